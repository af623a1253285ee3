"""Units whose label others disagree with: what each of them says, and how severe it is altogether.

The audit of a file and that of the studio both flag here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.audit.comparing import Comparing
from assay.core.folding import fold_judgement
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Coarse, Label
from assay.core.results import is_unsure
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Outcome, Verdict

Place = tuple[int, int]
Labelled = tuple[Unit, Label]
_ORDER: tuple[Coarse, ...] = ("unfaithful", "not-sure", "no-fact", "faithful")


@dataclass(frozen=True, slots=True)
class Reason:
    """Somebody who disagrees with a label, and why; without strength, asked for reasons only."""

    author: str
    kind: str  # person or detector
    label: str | None
    taxonomy: str
    coarse: str
    score: float | None
    note: str
    strength: float


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A unit whose label others disagree with; more and stronger disagreement is more severe."""

    unit: str
    severity: float
    reasons: tuple[Reason, ...]


def suspicion_of(unit: str, reasons: Iterable[Reason]) -> Suspicion:
    """A unit with all who disagree with its label."""
    why = tuple(reasons)
    return Suspicion(unit, round(sum(each.strength for each in why), 4), why)


def most_severe_first(found: Iterable[Suspicion]) -> list[Suspicion]:
    """Suspicions in the order in which people look at them."""
    return sorted(found, key=lambda each: -each.severity)


def reason_against(
    labelled: Labelled, said: Judgement, comparing: Comparing
) -> Reason | Outcome | None:
    """Why an author disagrees with the label of a unit.

    Otherwise the verdict that does not disagree, the failure to reach one, or None where the two
    cannot be compared.
    """
    unit, label = labelled
    outcome = outcome_on(unit, said)
    if isinstance(outcome, Failure):
        return outcome
    weight = comparing.strength(label, outcome)
    if not weight:
        return None if weight is None else outcome
    return _reason(unit, said, outcome, weight)


def reason_of(labelled: Labelled, said: Judgement) -> Reason | Failure:
    """What an author says of a unit and why; it weighs nothing, whether or not they disagree."""
    unit, _ = labelled
    outcome = outcome_on(unit, said)
    return outcome if isinstance(outcome, Failure) else _reason(unit, said, outcome, 0.0)


def _reason(unit: Unit, said: Judgement, outcome: Verdict, weight: float) -> Reason:
    theirs = outcome.label
    return Reason(
        said.author.name,
        said.author.kind,
        theirs.name if theirs else None,
        theirs.taxonomy if theirs else "",
        outcome.coarse,
        outcome.score,
        _rationale(unit, said, outcome),
        weight,
    )


def _rationale(unit: Unit, said: Judgement, outcome: Verdict) -> str:
    """Why the verdict is what it is; of a response that was folded, that of its worst part."""
    if unit.kind != RESPONSE or said.finding(RESPONSE):
        return outcome.note
    parts = [each for each in said.counted if each.leaning == outcome.leaning and each.note]
    worst = min(parts, key=_faithfulness, default=None)
    return f"{worst.id}: {worst.note}" if worst else outcome.note


def outcome_on(unit: Unit, said: Judgement) -> Outcome:
    """What an author says of a unit: of the same words, or the worst of what is about its place."""
    if unit.kind == RESPONSE:
        return fold_judgement(said)
    own = said.finding(unit.id)
    if own and own.text == unit.text:
        return own.outcome
    near = [each for each in _parts(said) if unit.spans and speaks_of(each, place_of(unit))]
    failures = [each.outcome for each in near if isinstance(each.outcome, Failure)]
    verdicts = [each for each in near if isinstance(each.outcome, Verdict)]
    worst = min(verdicts, key=_faithfulness, default=None)
    if worst and (not failures or worst.leaning == "unfaithful"):
        return worst.outcome
    if failures:
        first = failures[0]
        return Failure(unit.id, first.reason, first.detail, first.raw)
    return Failure(unit.id, "missing", f"{said.author.name} says nothing of it")


def speaks_of(finding: Finding, place: Place) -> bool:
    """Whether a finding is about a place: they share more than half of the shorter of the two."""
    spans = [(span.start, span.end) for span in finding.unit.spans]
    own = sum(end - start for start, end in spans)
    shared = sum(max(0, min(end, place[1]) - max(start, place[0])) for start, end in spans)
    return shared * 2 > min(own, place[1] - place[0])


def place_of(unit: Unit) -> Place:
    """Where a unit begins and ends."""
    return (unit.spans[0].start, unit.spans[-1].end)


def _parts(judgement: Judgement) -> Sequence[Finding]:
    """What was said of parts of the response, without parts of those."""
    found = [each for each in judgement.findings if each.kind != RESPONSE]
    judged = {each.id for each in found}
    return [each for each in found if each.unit.parent not in judged and each.unit.spans]


def _faithfulness(finding: Finding) -> tuple[int, bool, float]:
    """The worst first, by what each leans to; of equals, one that its author is sure of."""
    score = 1.0 if finding.score is None else finding.score
    return _ORDER.index(finding.leaning or "faithful"), is_unsure(finding.outcome), score
