"""Judgements of one author on one example, and sets of them: the same for people and machines."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Any, Literal

from assay.core.errors import InputError
from assay.core.labels import Coarse, Label
from assay.core.stages import StageUses
from assay.core.texts import Span, shortened
from assay.core.units import RESPONSE, Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict

Parameter = str | int | float | bool | None
MARKS = "marks"  # the parameter of a manifest that says that the author marks words

# What may differ when a run goes on: the same data may have another name, and has a digest.
_KNOWN_BY_DIGEST = ("dataset", "peers", "example_ids")


@dataclass(frozen=True, slots=True)
class Author:
    """The author of a judgement: a person, or a detector with its version or digest."""

    name: str
    kind: Literal["person", "detector"] = "detector"
    version: str = ""


GOLD = Author("gold", "person")  # the label that a corpus itself settled on
VOTER = "verify-revision"  # begins the name of whoever votes on the revision of a label
COLLECTING, FILTERING = "collect", "filter"  # steps that note why a response is not to be judged
# Begin the names of notes about an audit: who flagged, who gave reasons, that there are controls,
# and how labels of several annotators were pooled.
FLAGGED_BY, REASONS_OF, CONTROLLED = "audit-flag", "audit-rationale", "audit-control"
POOLED = "audit-pool"
_NO_JUDGES = (VOTER, FLAGGED_BY, REASONS_OF, CONTROLLED, POOLED)


def is_voter(author: Author) -> bool:
    """True if an author votes on revisions."""
    return author.kind == "detector" and author.name.partition(" ")[0] == VOTER


def judges_data(author: Author) -> bool:
    """True if an author is a detector that judges responses.

    Voters on revisions judge labels, and steps such as collecting and flagging only leave notes.

    >>> [judges_data(Author(name)) for name in ("overlap", "verify-revision m", "filter")]
    [True, False, False]
    """
    return author.kind == "detector" and _names_a_judge(author.name)


@lru_cache(maxsize=4096)  # asked of every judgement that is read
def _names_a_judge(name: str) -> bool:
    return name not in (COLLECTING, FILTERING) and name.partition(" ")[0] not in _NO_JUDGES


@dataclass(frozen=True, slots=True)
class Finding:
    """A unit with what an author said of it."""

    unit: Unit
    outcome: Outcome

    def __repr__(self) -> str:
        no_label = f"no verdict ({self.failure.reason})" if self.failure else "score only"
        said = str(self.label or no_label)
        said = said if self.coarse == self.leaning else f"{self.coarse} ({said})"
        score = "" if self.score is None else f" {self.score:.2f}"
        return f"<Finding {shortened(self.id, 20)}: {said}{score} {shortened(self.text, 50)!r}>"

    @property
    def id(self) -> str:
        """The unit's id."""
        return self.unit.id

    @property
    def kind(self) -> UnitKind:
        """The unit's kind."""
        return self.unit.kind

    @property
    def text(self) -> str:
        """The unit's wording."""
        return self.unit.text

    @property
    def label(self) -> Label | None:
        """The label; None where there is none."""
        return self.outcome.label

    @property
    def score(self) -> float | None:
        """The probability that it is faithful; None where there is none."""
        return self.outcome.score

    @property
    def confidence(self) -> float | None:
        """The author's certainty; None where that is not known."""
        return self.outcome.confidence

    @property
    def coarse(self) -> Coarse | None:
        """Faithful, unfaithful, not sure or no fact; None where there is no verdict."""
        return self.outcome.coarse

    @property
    def leaning(self) -> Coarse | None:
        """The same by the label alone, however unsure that is."""
        return self.outcome.leaning

    @property
    def note(self) -> str:
        """The reason, in words for people."""
        return self.outcome.note

    @property
    def evidence(self) -> tuple[Span, ...]:
        """The places in the source that it rests on."""
        return self.outcome.evidence

    @property
    def marks(self) -> tuple[Span, ...]:
        """The words of the response that the source does not bear out, where the author says so."""
        return self.outcome.marks

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None where there is none."""
        return self.outcome if isinstance(self.outcome, Verdict) else None

    @property
    def failure(self) -> Failure | None:
        """The failure; None where there is a verdict."""
        return self.outcome if isinstance(self.outcome, Failure) else None


@dataclass(frozen=True)
class Judgement:
    """All that one author says of one example, by its id.

    Outcomes refer to `units` by id, at most one to each. A revision says which judgement it
    `supersedes`, by its key, and comes in a later `round`; nothing is overwritten.
    """

    example: str
    author: Author
    units: tuple[Unit, ...]
    outcomes: tuple[Outcome, ...]
    source_characters: int = 0
    characters_read: int = 0
    at: str = ""  # when, in ISO 8601
    round: int = 1
    supersedes: str = ""

    def __post_init__(self) -> None:
        if len(self.units) == len(self.outcomes) == 1 and self.units[0].id == self.outcomes[0].unit:
            return  # as most are; large corpora have millions
        known = {unit.id for unit in self.units}
        if len(known) < len(self.units):
            raise InputError(f"the judgement of '{self.example}' names a unit twice")
        said = [outcome.unit for outcome in self.outcomes]
        if len(set(said)) < len(said):
            raise InputError(f"the judgement of '{self.example}' has two outcomes for one unit")
        if not known.issuperset(said):
            lost = next(each for each in said if each not in known)
            raise InputError(f"the judgement of '{self.example}' has no unit '{lost}'")

    @property
    def key(self) -> str:
        """The name by which a later judgement supersedes this one."""
        return f"{self.example}/{self.author.name}/{self.round}"

    @cached_property
    def by_id(self) -> dict[str, Unit]:
        """The units by their ids."""
        return {unit.id: unit for unit in self.units}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Every unit that something was said of, in the order of the units."""
        said = {outcome.unit: outcome for outcome in self.outcomes}
        return tuple(Finding(unit, said[unit.id]) for unit in self.units if unit.id in said)

    @cached_property
    def counted(self) -> tuple[Finding, ...]:
        """The findings that say how good the response is: all but parts of what was judged."""
        return tuple(each for each in self.findings if not self.is_part(each.unit))

    @cached_property
    def parts(self) -> tuple[Finding, ...]:
        """The findings about parts of units that were judged as a whole as well."""
        return tuple(each for each in self.findings if self.is_part(each.unit))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The outcomes that are verdicts."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Verdict))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The outcomes that are failures."""
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Failure))

    def finding(self, unit: str) -> Finding | None:
        """The finding about the unit of that id, if there is one."""
        return self._by_unit.get(unit)

    def children(self, unit: str) -> tuple[Finding, ...]:
        """The findings about the direct parts of a unit."""
        return tuple(each for each in self.findings if each.unit.parent == unit)

    def is_part(self, unit: Unit) -> bool:
        """True if a unit that it belongs to was judged as well."""
        if unit.id == RESPONSE:
            return False
        if RESPONSE in self._by_unit:
            return True
        parent = unit.parent
        while parent:
            if parent in self._by_unit:
                return True
            owner = self.by_id.get(parent)
            parent = owner.parent if owner else ""
        return False

    @cached_property
    def _by_unit(self) -> dict[str, Finding]:
        return {finding.unit.id: finding for finding in self.findings}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a set of judgements: enough to repeat it and to compare it.

    `detector` is the name that the user gave. `examples` counts the data, and `sample` says how
    many of them were chosen, by `seed`; None means all. `example_ids` are those to be judged, where
    they are a sample or a part; empty means all, or that an older Assay did not note them.
    """

    author: Author
    version: str = ""  # of Assay
    detector: str = ""
    unit_kind: UnitKind = "sentence"
    taxonomy: str = ""
    dataset: str = ""
    dataset_digest: str = ""
    split: str = ""
    examples: int = 0
    sample: int | None = None
    seed: int | None = None
    model: str = ""
    votes: int = 1
    peers: str = ""
    knowledge: str = ""  # the outside source that was consulted
    knowledge_digest: str = ""  # of all that is there, if it does not change by itself
    parameters: dict[str, Parameter] = field(default_factory=dict)
    prompt_digests: dict[str, str] = field(default_factory=dict)
    task: str = ""  # the part that was chosen, beside `split`
    example_ids: tuple[str, ...] = field(default=(), repr=False)

    @property
    def chosen(self) -> int:
        """The number of examples to judge."""
        return self.examples if self.sample is None else min(self.sample, self.examples)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain JSON values, but for the ids, which may be many."""
        return {name: each for name, each in asdict(self).items() if name != "example_ids"}


@dataclass(frozen=True)
class Judgements:
    """A set of judgements: a run, a file, a corpus's gold, a corpus's recorded detectors.

    `reference` is what opened it. `read` gives those that no later one supersedes, from the
    beginning each time it is called.
    """

    reference: str
    manifest: Manifest
    read: Callable[[], Iterable[Judgement]]
    seconds: float | None = None  # that it took, where this is known
    cost: float | None = None  # in US dollars
    stages: StageUses = ()  # the work of each part of a combined detector

    @property
    def marks_words(self) -> bool:
        """True if their author marks words, by the manifest; a mark tells as well."""
        if self.manifest.parameters.get(MARKS) is True:
            return True
        return any(outcome.marks for judgement in self for outcome in judgement.outcomes)

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self.read())

    def by_example(self) -> dict[str, tuple[Judgement, ...]]:
        """The judgements of each example, by its id."""
        found: dict[str, list[Judgement]] = {}
        for judgement in self:
            found.setdefault(judgement.example, []).append(judgement)
        return {example: tuple(given) for example, given in found.items()}


def utc_now() -> str:
    """The time, as judgements carry it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def current(judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements that no other supersedes, in order."""
    given = list(judgements)
    replaced = {each.supersedes for each in given if each.supersedes}
    return [each for each in given if each.key not in replaced] if replaced else given


def differences(old: Manifest, new: Manifest) -> Iterator[str]:
    """The changes from one manifest to another, a line for each: `temperature: 0.0 -> 0.7`."""
    for each in fields(Manifest):
        before, after = getattr(old, each.name), getattr(new, each.name)
        if each.name in _KNOWN_BY_DIGEST or before == after:
            continue
        name = each.name.replace("_", " ")
        if each.name == "author":
            yield f"author: {before.name} {before.version} -> {after.name} {after.version}"
        elif isinstance(before, dict):
            yield from _changed_entries(name, before, after)
        else:
            yield f"{name}: {_word(before)} -> {_word(after)}"


def _changed_entries(
    name: str, before: dict[str, Parameter], after: dict[str, Parameter]
) -> Iterator[str]:
    prefix = "prompt " if name == "prompt digests" else ""
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            yield f"{prefix}{key}: {_word(before.get(key))} -> {_word(after.get(key))}"


def _word(value: Parameter) -> str:
    return "none" if value is None or value == "" else str(value)
