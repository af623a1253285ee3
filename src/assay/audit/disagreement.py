"""Disagreement between labels and verdicts: how strong it is, and units whose label is suspected.

A disagreement weighs 1 where one says faithful and the other unfaithful. Within one taxonomy, two
other labels weigh their distance in its order as a share of the whole order, and a quarter where
they have one place in it: kinds of error, of which none is worse. A class and a kind of it agree.
Between taxonomies, "not sure" and "no fact" are compared only with a menu that has such a label,
and then weigh a half: a detector that can only say yes or no cannot be wrong about what is neither.
With a reading, both sides are read in its target first. What cannot be compared is None, never an
agreement. The audit of a file and that of the studio both find their flags here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from assay.core.errors import InputError, UnknownNameError
from assay.core.folding import fold_judgement
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Coarse, Label
from assay.core.readings import READINGS, USUAL_READINGS, Reading, reading
from assay.core.results import is_unsure
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import FAITHFUL_FROM, Failure, Outcome, Verdict

Place = tuple[int, int]
Labelled = tuple[Unit, Label]
_ORDER: tuple[Coarse, ...] = ("unfaithful", "not-sure", "no-fact", "faithful")
ANOTHER_KIND = 0.25  # what two labels weigh that have the same place in their order


def strength(label: Label, other: Verdict) -> float | None:
    """The disagreement of a verdict with a label, from 0 to 1; None where nobody can tell."""
    if {label.coarse, other.leaning} == {"faithful", "unfaithful"}:
        return 1.0
    if other.label is not None and other.label.taxonomy == label.taxonomy:
        return _distance(label, other.label)
    if label.coarse == other.leaning:
        return 0.0
    theirs = taxonomy(other.label.taxonomy) if other.label else ()
    can_say = {each.coarse for each in theirs}
    can_be = {each.coarse for each in taxonomy(label.taxonomy)}
    return 0.5 if label.coarse in can_say and other.leaning in can_be else None


def _distance(one: Label, other: Label) -> float:
    if one.rank == other.rank:
        is_same = one == other or one.parent == other.name or other.parent == one.name
        return 0.0 if is_same else ANOTHER_KIND
    ranks = [each.rank for each in taxonomy(one.taxonomy)]
    return round(abs(one.rank - other.rank) / (max(ranks) - min(ranks)), 4)


@dataclass(frozen=True, slots=True)
class Comparing:
    """The way in which gold labels and verdicts are compared.

    `reading` names a table for the gold labels; verdicts are then read in its target, too. Gold
    labels that are `left_out` are not looked at.
    """

    reading: str = ""
    left_out: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if self.reading:
            reading(self.reading)

    def require_labels(self, menus: set[str]) -> None:
        """Raises where the reading, or a label that is left out, fits none of the gold labels."""
        if self.reading and reading(self.reading).origin not in menus:
            raise InputError(
                f"reading '{self.reading}' is for {reading(self.reading).origin} labels; "
                f"the gold labels here are {', '.join(sorted(menus))}",
                field="reading",
            )
        known = [label.name for menu in sorted(menus) for label in taxonomy(menu)]
        for name in sorted(self.left_out):
            if name not in known:
                raise UnknownNameError("gold label", name, known, field="leave_out")

    def counts(self, label: Label) -> bool:
        """True if a gold label is looked at at all."""
        return label.name not in self.left_out and self.read_gold(label) is not None

    def read_gold(self, label: Label) -> Label | None:
        """The gold label as it is compared; None where the reading leaves it out."""
        if self.reading and reading(self.reading).origin == label.taxonomy:
            return reading(self.reading)(label)
        return label

    def strength(self, label: Label, other: Verdict) -> float | None:
        """The disagreement of a verdict with a gold label; None where nobody can tell."""
        gold = self.read_gold(label)
        if gold is None:
            return None
        if not self.reading or reading(self.reading).origin != label.taxonomy:
            return strength(gold, other)
        said = _read(other, reading(self.reading))
        return None if said is None else strength(gold, replace(other, label=said))

    def describe(self) -> str:
        """The comparison in words."""
        left = f"gold {', '.join(sorted(self.left_out))} left out" if self.left_out else ""
        if self.reading:
            table = reading(self.reading)
            words = f"labels read as {table.target} by '{table.name}' ({table.meaning})"
        else:
            words = (
                "labels of one taxonomy as they are, those of others by what each says of being "
                "faithful"
            )
        return "; ".join(filter(None, (words, left)))


def _read(verdict: Verdict, table: Reading) -> Label | None:
    """A verdict in the target of a reading; None where no table leads there."""
    label = verdict.label
    if label is None:
        if table.target != BINARY.name or verdict.score is None:
            return None
        return BINARY.labels[verdict.score >= FAITHFUL_FROM]
    if label.taxonomy == table.target:
        return label
    if label.taxonomy == table.origin:
        return table(label)
    usual = USUAL_READINGS.get(label.taxonomy, "")
    if usual and READINGS[usual].target == table.target:
        return READINGS[usual](label)
    leading = [
        each
        for each in READINGS.values()
        if (each.origin, each.target) == (label.taxonomy, table.target)
    ]
    return leading[0](label) if len(leading) == 1 else None


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
    """An author's reason against the label of a unit.

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
    """An author's word on a unit, with the reason; it weighs nothing, disagreeing or not."""
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
    """The note of a verdict; of a response that was folded, that of its worst part."""
    if unit.kind != RESPONSE or said.finding(RESPONSE):
        return outcome.note
    parts = [each for each in said.counted if each.leaning == outcome.leaning and each.note]
    worst = min(parts, key=_faithfulness, default=None)
    return f"{worst.id}: {worst.note}" if worst else outcome.note


def outcome_on(unit: Unit, said: Judgement) -> Outcome:
    """An author's outcome on a unit: on the same words, or the worst on its place."""
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
    """True if a finding and a place share more than half of the shorter of the two."""
    spans = [(span.start, span.end) for span in finding.unit.spans]
    own = sum(end - start for start, end in spans)
    shared = sum(max(0, min(end, place[1]) - max(start, place[0])) for start, end in spans)
    return shared * 2 > min(own, place[1] - place[0])


def place_of(unit: Unit) -> Place:
    """The beginning and end of a unit."""
    return (unit.spans[0].start, unit.spans[-1].end)


def _parts(judgement: Judgement) -> Sequence[Finding]:
    """Findings on parts of the response, without parts of those."""
    found = [each for each in judgement.findings if each.kind != RESPONSE]
    judged = {each.id for each in found}
    return [each for each in found if each.unit.parent not in judged and each.unit.spans]


def _faithfulness(finding: Finding) -> tuple[int, bool, float]:
    """The worst first, by what each leans to; of equals, one that its author is sure of."""
    score = 1.0 if finding.score is None else finding.score
    return _ORDER.index(finding.leaning or "faithful"), is_unsure(finding.outcome), score
