"""Rules for responses that do not belong in a benchmark; each gives its reason in words.

The rule of the length is that of VeriGray (docs/papers.md): a source that is shorter than twice its
summary leaves little to summarize. Rules about one response come first, then those that compare
it with the ones before that are kept.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated as With
from typing import Any, Literal

from assay.bench.near_duplicates import NearDuplicates, require_similarity
from assay.bench.responses import COLLECT, provenance_of
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.options import Option
from assay.core.units import Unit
from assay.datasets.rows import check_language
from assay.datasets.sources import is_structured
from assay.text.languages import foreign_units, other_language, source_language
from assay.text.refusals import refusal_of
from assay.text.words import words

RULES = "The rules"  # the options that say what is dropped
RATIO = 2.0  # words of a source for each word of its summary

Rule = Literal[
    "listed",
    "refusal",
    "cut-off",
    "ratio",
    "length",
    "language",
    "same-source",
    "duplicate",
    "near-source",
    "near-duplicate",
    "group",
]
Duplicates = Literal["model", "any", "off"]
_DUPLICATES = ("model", "any", "off")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The number of words that a text may have; None is no limit."""

    least: int | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise InputError(f"no text has {self.least} words or more and {self.most} or fewer")

    def problem(self, what: str, count: int) -> str:
        """The fault of a text of so many words; empty if it has none."""
        if self.least is not None and count < self.least:
            return f"the {what} has {count:,} words, fewer than {self.least:,}"
        if self.most is not None and count > self.most:
            return f"the {what} has {count:,} words, more than {self.most:,}"
        return ""


def read_bounds(text: str) -> Bounds:
    """Bounds written as MIN:MAX, of which either may be left out."""
    least, colon, most = text.partition(":")
    try:
        if text and not colon:
            raise ValueError
        return Bounds(*(int(number) if number.strip() else None for number in (least, most)))
    except ValueError:
        raise InputError(
            f"bounds are written MIN:MAX, as in 50:900, 50: or :900, not '{text}'"
        ) from None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules to apply. A `ratio` of 0 is no rule; `duplicates` says whose responses count.

    `near` and `near_sources` are similarities from which texts are nearly the same. `listed` are
    ids of sources to drop. With `whole_groups`, a source that loses a response loses all.
    """

    ratio: With[
        float,
        Option(
            "Drop a summary whose source has fewer than X times as many words; 0: no rule.",
            "X",
            RULES,
        ),
    ] = RATIO
    refusals: With[
        bool,
        Option("Keep refusals and empty responses.", "", RULES, "keep_refusals", turns_off=True),
    ] = True
    truncated: With[
        bool,
        Option("Keep responses that were cut off.", "", RULES, "keep_cut_off", turns_off=True),
    ] = True
    duplicates: With[
        Duplicates,
        Option(
            "Drop a response that the same model, or any model, gave to the source before, and a "
            "source that is there under another id.",
            panel=RULES,
        ),
    ] = "model"
    near: With[
        float | None,
        Option("Drop responses that resemble an earlier one this much (0.1-1).", "J", RULES),
    ] = None
    near_sources: With[
        float | None,
        Option("Drop sources that resemble an earlier one this much (0.1-1).", "J", RULES),
    ] = None
    language: With[str, Option("Drop what is in another language, as in en.", "CODE", RULES)] = ""
    source_words: With[
        Bounds,
        Option(
            "Bounds of the words of a source, as in 50: or :900.",
            "MIN:MAX",
            RULES,
            reads=lambda text: read_bounds(text),
        ),
    ] = field(default_factory=Bounds)
    response_words: With[
        Bounds,
        Option(
            "Bounds of the words of a response.",
            "MIN:MAX",
            RULES,
            reads=lambda text: read_bounds(text),
        ),
    ] = field(default_factory=Bounds)
    listed: frozenset[str] = frozenset()
    whole_groups: With[
        bool, Option("A source that loses a response loses all of them.", panel=RULES)
    ] = False

    def __post_init__(self) -> None:
        if not self.ratio >= 0:
            problem = f"a ratio must be 0 or more, not {self.ratio:g}; 0 is no rule"
            raise InputError(problem, field="ratio")
        if self.duplicates not in _DUPLICATES:
            raise UnknownNameError(
                "kind of duplicates", self.duplicates, _DUPLICATES, field="duplicates"
            )
        check_language(self.language)
        for name in ("near", "near_sources"):
            value = getattr(self, name)
            if value is not None:
                try:
                    require_similarity(value)
                except InputError as error:
                    raise InputError(error.message, field=name) from None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A rule that drops a response, and its reason in words."""

    rule: Rule
    detail: str


@dataclass(slots=True)
class Decisions:
    """For each example in order the reason to drop it, or None; and the counts."""

    dropped: list[Dropped | None] = field(default_factory=list)
    models: dict[str, Counter[str]] = field(default_factory=dict)  # by rule, or `kept`
    sources: int = 0
    kept_sources: int = 0
    listed: frozenset[str] = frozenset()  # the listed sources that are there


@dataclass(frozen=True, slots=True)
class Filtered:
    """Counts of responses and of sources; `models` has for each LLM its counts by rule.

    `proposed` counts the sentences that seem to contradict their source, None if nobody looked.
    """

    responses: int
    kept: int
    sources: int
    kept_sources: int
    models: dict[str, dict[str, int]]
    file: str = ""
    dropped_file: str = ""
    proposals_file: str = ""
    proposed: int | None = None
    proposed_sources: int = 0

    @property
    def rules(self) -> Counter[str]:
        """The number of responses that each rule dropped."""
        total = Counter[str]()
        for counts in self.models.values():
            total.update({rule: count for rule, count in counts.items() if rule != "kept"})
        return total

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay filter --json` prints."""
        return {
            "responses": self.responses,
            "kept": self.kept,
            "sources": self.sources,
            "kept_sources": self.kept_sources,
            "dropped": dict(self.rules),
            "models": self.models,
            "file": self.file,
            "dropped_file": self.dropped_file,
            "proposals_file": self.proposals_file,
            "proposed": self.proposed,
            "proposed_sources": self.proposed_sources,
        }


def decide(rows: Iterable[Annotated], rules: Rules) -> Decisions:
    """Decides about each example; nothing of the texts is kept but digests and shingles."""
    filtering = _Filtering(rules)
    groups: list[str] = []
    models: list[str] = []
    found = Decisions()
    for each in rows:
        groups.append(filtering.group_of(each.example))
        models.append(each.example.response.model)
        found.dropped.append(filtering.decide(each))
    if rules.whole_groups:
        _drop_groups(groups, found.dropped)
    for model, why in zip(models, found.dropped, strict=True):
        found.models.setdefault(model, Counter())[why.rule if why else "kept"] += 1
    kept = {group for group, why in zip(groups, found.dropped, strict=True) if why is None}
    found.sources, found.kept_sources = len(set(groups)), len(kept)
    found.listed = frozenset(rules.listed & set(groups))
    return found


def _drop_groups(groups: list[str], dropped: list[Dropped | None]) -> None:
    lost = {group: why for group, why in zip(groups, dropped, strict=True) if why}
    for place, group in enumerate(groups):
        if dropped[place] is None and group in lost:
            words = f"another response to its source is dropped: {lost[group].detail}"
            dropped[place] = Dropped("group", words)


class _Filtering:
    """The rules with what they remember of the examples before."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._language = check_language(rules.language)
        self._counts: dict[str, int] = {}  # words, by source
        self._first: dict[tuple[str, str], str] = {}  # the group with a text and question
        self._said: dict[tuple[str, ...], str] = {}  # the example with a response
        self._near = NearDuplicates(rules.near) if rules.near else None
        self._near_sources = NearDuplicates(rules.near_sources) if rules.near_sources else None
        self._foreign_sources: dict[str, bool] = {}
        self._settled: dict[str, Dropped | None] = {}  # what was found of a whole source

    def group_of(self, example: Example) -> str:
        """The source of an example: by its id, or else by its text."""
        return example.source.id or example.source.text

    def decide(self, each: Annotated) -> Dropped | None:
        """The reason to drop an example; None if it is kept."""
        example = each.example
        group = self.group_of(example)
        return (
            self._alone(each, group)
            or self._of_source(example, group)
            or self._repeated(example, group)
        )

    def _alone(self, each: Annotated, group: str) -> Dropped | None:
        rules, example = self._rules, each.example
        if group in rules.listed:
            return Dropped("listed", "its source is on the list of sources to drop")
        if rules.refusals and (why := _refusal(each)):
            return Dropped("refusal", why)
        made = provenance_of(example) if rules.truncated and example.original else None
        if made and made.is_truncated:
            return Dropped("cut-off", "the reply was cut off at the longest length allowed")
        return self._measured(example, group) or self._foreign(example)

    def _measured(self, example: Example, group: str) -> Dropped | None:
        rules = self._rules
        source = self._words_of(example, group)
        response = len(words(example.response.text))
        is_summary = not example.question and not is_structured(example.source)
        if rules.ratio and is_summary and source < rules.ratio * response:
            detail = f"{source:,} words of source for {response:,} of the response"
            return Dropped("ratio", f"{detail}, less than {rules.ratio:g} times as many")
        problem = rules.source_words.problem("source", source) or rules.response_words.problem(
            "response", response
        )
        return Dropped("length", problem) if problem else None

    def _words_of(self, example: Example, group: str) -> int:
        if group not in self._counts:
            self._counts[group] = len(words(example.source.text))
        return self._counts[group]

    def _foreign(self, example: Example) -> Dropped | None:
        wanted = self._language
        if wanted is None:
            return None
        if wanted != "en" or example.language != "en":
            if example.language == wanted:
                return None
            return Dropped("language", f"its language is '{example.language}', not '{wanted}'")
        if example.is_english_stated or not self._may_be_foreign(example):
            return None
        unit = Unit.response(example.response.text)
        found = foreign_units(example, (unit,))
        return Dropped("language", f"it is in {found[unit]}") if found else None

    def _may_be_foreign(self, example: Example) -> bool:
        """True if it is worth a close look, which is slow; a source is looked at once."""
        group = self.group_of(example)
        if group not in self._foreign_sources:
            self._foreign_sources[group] = source_language(example.source.text) is not None
        return self._foreign_sources[group] or other_language(example.response.text) is not None

    def _of_source(self, example: Example, group: str) -> Dropped | None:
        """The source as a repetition of another; found once for all of its responses."""
        if group not in self._settled:
            self._settled[group] = self._same_source(example, group)
        return self._settled[group]

    def _same_source(self, example: Example, group: str) -> Dropped | None:
        text = " ".join(example.source.text.split())
        if self._rules.duplicates != "off":
            first = self._first.setdefault((text, example.question), group)
            if first != group:
                return Dropped("same-source", f"its source is that of '{_short(first)}'")
        if self._near_sources:
            found = self._near_sources.first(example.question, group, text)
            if found:
                other, similarity = found
                detail = f"its source is nearly that of '{_short(other)}'"
                return Dropped("near-source", f"{detail} (similarity {similarity:.2f})")
        return None

    def _repeated(self, example: Example, group: str) -> Dropped | None:
        text = " ".join(example.response.text.split())
        if self._rules.duplicates != "off":
            model = example.response.model if self._rules.duplicates == "model" else ""
            first = self._said.setdefault((group, example.question, model, text), example.id)
            if first != example.id:
                return Dropped("duplicate", f"the same response as '{first}'")
        if self._near:
            found = self._near.first(f"{group}\n{example.question}", example.id, text)
            if found:
                other, similarity = found
                detail = f"nearly the same response as '{other}' (similarity {similarity:.2f})"
                return Dropped("near-duplicate", detail)
        return None


def _refusal(each: Annotated) -> str:
    """The reason for a missing response: from `collect`, or else from its text."""
    for judgement in each.judgements:
        if judgement.author.name == COLLECT.name and judgement.failures:
            return judgement.failures[0].detail
    found = refusal_of(each.example.response.text, each.example.question)
    return found.detail if found else ""


def _short(group: str) -> str:
    return group if len(group) <= 60 else group[:59] + "…"
