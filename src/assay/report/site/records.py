"""A row of a board as the page reads it: the response, and what each judge says of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.labels import Label
from assay.core.results import is_unsure
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import NO_ATTRIBUTES, Verdict
from assay.report.pages.badges import Badge, label_badge, outcome_badge
from assay.report.pages.records import Json, Numbers, record
from assay.report.pages.texts import SeenEdit, ShownSource, is_quoted
from assay.report.pages.views import LONGEST_QUOTE, PersonView, UnitView, UnitViews, coloured

# FaithBench's labels are four degrees, which their coarse reading does not tell apart.
_TONES = {
    "faithbench": {
        "questionable": "ambiguous",
        "benign": "implicitly-supported",
        "consistent": "explicitly-supported",
        "unwanted.extrinsic": "fabricated",
    }
}

UnitKey = tuple[str, tuple[tuple[int, int], ...], str]


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """The piece that a source is in, and its position there."""

    block: int
    at: int


@dataclass(frozen=True, slots=True)
class JudgementView:
    """A judge's units of a response, and `whole` where the judge says nothing of it as a whole."""

    units: tuple[UnitView, ...]
    whole: UnitView | None = None


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A response of a board with what each judge says of it, in the order of the judges."""

    id: str
    source: SourcePlace
    said: tuple[JudgementView | None, ...]
    text: str = ""
    question: str = ""


class Recorder:
    """Makes the records of rows; `badges` are all that it met, by number."""

    def __init__(self) -> None:
        self.badges = Numbers()
        self._known: dict[Label, Badge] = {}

    def badge_of(self, label: Label) -> int:
        """The number of a label's badge."""
        return self.badges[self._badge(label)]

    def _badge(self, label: Label) -> Badge:
        if label not in self._known:
            badge = label_badge(label)
            tone = _TONES.get(label.taxonomy, {}).get(label.name, badge.tone)
            self._known[label] = replace(badge, tone=tone)
        return self._known[label]

    def label(self, judgement: Judgement | None) -> int:
        """The number of the badge of a whole response, from 1; 0 where nothing is said.

        A lone score is read, as counts read it.
        """
        if judgement is None:
            return 0
        outcome = fold_judgement(judgement)
        if isinstance(outcome, Verdict) and outcome.label is None and not is_unsure(outcome):
            return 1 + self.badge_of(BINARY[outcome.coarse])
        return 1 + self.badges[outcome_badge(outcome, self._badge)]

    def row(
        self,
        example: Example,
        said: Sequence[Judgement | None],
        people: Sequence[Judgement],
        source: SourcePlace,
        edits: Sequence[SeenEdit],
    ) -> Json:
        """The record of a row; `said` goes by judge.

        What people say together is shown with what each of the `people` says.
        """
        views = UnitViews(example, ShownSource(example.source.text, edits), self._badge)
        told = tuple(
            None if each is None else self._judgement(each, people, views) for each in said
        )
        row = SiteRow(example.id, source, told, example.response.text, example.question)
        return record(row, self.badges)

    def _judgement(
        self, judgement: Judgement, people: Sequence[Judgement], views: UnitViews
    ) -> JudgementView:
        if judgement.author == GOLD:
            opinions = tuple(shared_opinions(judgement, people))
            shared = _units([each.finding for each in opinions], views)
            return JudgementView(tuple(map(self._with_people, shared, opinions)))
        units = tuple(_units(judgement.findings, views))
        if judgement.finding(RESPONSE) is not None:
            return JudgementView(units)
        folded = Finding(Unit.response(""), fold_judgement(judgement))
        return JudgementView(units, views.view(folded, ()))

    def _with_people(self, unit: UnitView, opinion: "SharedOpinion") -> UnitView:
        others = (
            PersonView(
                who,
                outcome_badge(each.outcome, self._badge),
                "" if each.note == opinion.finding.note else each.note,
            )
            for who, each in opinion.others
        )
        return unit._replace(who=opinion.who, people=tuple(others))


def _units(findings: Sequence[Finding], views: UnitViews) -> Iterator[UnitView]:
    """The views of findings; what is said of the whole response colours nothing of it."""
    ranges = coloured(findings, never=(RESPONSE,))
    for at, finding in enumerate(findings):
        is_in_response = finding.id == RESPONSE or is_quoted(finding.unit)
        text = "" if is_in_response else finding.text
        yield _with_attributes(views.view(finding, ranges.get(at, ()), text), finding.verdict)


def _with_attributes(view: UnitView, verdict: Verdict | None) -> UnitView:
    if verdict is None or verdict.attributes is NO_ATTRIBUTES:
        return view  # nearly always, where a detector only decides
    said = verdict.attributes
    return view._replace(
        explanation=said.explanation if said.explanation not in verdict.note else "",
        correction=said.correction,
        cited=said.cited[:LONGEST_QUOTE],
    )


@dataclass(frozen=True, slots=True)
class SharedOpinion:
    """A unit with the label that is shown for it, and what other persons say of the same unit.

    `who` gave the label; it is empty where the corpus settled on it.
    """

    finding: Finding
    who: str
    others: tuple[tuple[str, Finding], ...]


def shared_opinions(gold: Judgement, people: Sequence[Judgement]) -> Iterator[SharedOpinion]:
    """The whole response first, then its parts: the corpus's own labels before the annotators'."""
    by_unit: dict[UnitKey, list[tuple[str, Finding]]] = {}
    own = ""
    for judgement in sorted(people, key=lambda each: each.author != GOLD):
        name = "" if judgement.author == GOLD else judgement.author.name
        for finding in judgement.findings:
            if finding.id == RESPONSE and not name:
                own = finding.note
            else:
                by_unit.setdefault(_key(finding.unit), []).append((name, finding))
    for whole in gold.findings:
        others = tuple(each for each in by_unit.pop(_key(whole.unit), ()) if each[0])
        outcome = whole.outcome
        if whole.id == RESPONSE and isinstance(outcome, Verdict) and (own or others):
            whole = Finding(whole.unit, replace(outcome, note=own))
        yield SharedOpinion(whole, "", others)
    for (who, finding), *more in by_unit.values():
        yield SharedOpinion(finding, who, tuple(more))


def _key(unit: Unit) -> UnitKey:
    """The same for the same units of two persons: kind and places, or else words."""
    if unit.id == RESPONSE:
        return RESPONSE, (), ""
    spans = tuple((each.start, each.end) for each in unit.spans)
    return unit.kind, spans, "" if spans else unit.text
