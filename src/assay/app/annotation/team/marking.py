"""How an answer compares with the gold of a training example, unit by unit.

A sentence is right where it has the boundaries and the label of the gold. A span of the gold is
right where a span that overlaps it has its label; a span that overlaps none of the gold is wrong;
and where the gold has no span at all, the response as a whole is right if nothing was marked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.team.disagreement import overlaps, place_of, sentences
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Label
from assay.core.records import unit_record
from assay.core.taxonomies import FAITHBENCH
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.core.wire import UnitRecord


@dataclass(frozen=True, slots=True)
class Mark:
    """A unit of an answer beside the gold; `is_near` means that at least the coarse class is right.

    `unit` is the gold with its label, reason and evidence; None where nothing should be marked
    there, and then `start`, `end` and `text` say where it was.
    """

    start: int
    end: int
    text: str
    label: str | None  # theirs
    gold: str
    is_right: bool
    is_near: bool
    unit: UnitRecord | None


@dataclass(frozen=True, slots=True)
class Score:
    """The share of units that are right, and the share whose coarse class is; out of `n`."""

    n: int
    right: int
    near: int

    @property
    def share(self) -> float:
        """The share of units with the very label."""
        return self.right / self.n if self.n else 1.0

    @property
    def near_share(self) -> float:
        """The share of units whose coarse class is right."""
        return self.near / self.n if self.n else 1.0


def mark(
    answer: Judgement, gold: Judgement, settings: ProjectSettings, response: str
) -> tuple[Mark, ...]:
    """An answer beside the gold, in the order of the response."""
    found: list[Mark] = []
    if settings.has_sentences:
        found += _mark_sentences(answer, gold)
    if settings.has_spans:
        found += _mark_spans(answer, gold, response)
    return tuple(sorted(found, key=lambda each: (each.start, each.end)))


def score(marks: Sequence[Mark]) -> Score:
    """How many units are right."""
    right = sum(each.is_right for each in marks)
    return Score(len(marks), right, sum(each.is_near for each in marks))


def _mark_sentences(answer: Judgement, gold: Judgement) -> Iterator[Mark]:
    theirs = {place_of(each): each.label for each in sentences(answer)}
    for each in sentences(gold):
        yield _mark(each, theirs.get(place_of(each)))


def _mark_spans(answer: Judgement, gold: Judgement, response: str) -> Iterator[Mark]:
    marked, wanted = _spans(answer), _spans(gold)
    for each in wanted:
        near = [other.label for other in marked if _touch(each, other)]
        yield _mark(each, each.label if each.label in near else next(iter(near), None))
    for extra in marked:
        if not any(_touch(extra, each) for each in wanted):
            start, end = place_of(extra)
            label = str(extra.label) if extra.label else None
            yield Mark(start, end, extra.text, label, "consistent", False, False, None)
    if not wanted and not marked:
        consistent = FAITHBENCH["consistent"]
        note = gold.finding(RESPONSE)
        whole = Unit.response(response)
        verdict = note.outcome if note else Verdict(RESPONSE, consistent)
        yield _mark(Finding(whole, verdict), consistent)


def _mark(gold: Finding, theirs: Label | None) -> Mark:
    start, end = place_of(gold)
    label = gold.label
    is_near = bool(theirs and label and theirs.coarse == label.coarse)
    record = unit_record(gold.unit, gold.outcome, label.taxonomy if label else "")
    return Mark(
        start,
        end,
        gold.text,
        str(theirs) if theirs else None,
        str(label),
        bool(theirs and theirs == label),
        is_near,
        record,
    )


def _spans(judgement: Judgement) -> list[Finding]:
    return [each for each in judgement.findings if each.kind == "span" and each.unit.spans]


def _touch(one: Finding, other: Finding) -> bool:
    return any(
        overlaps((a.start, a.end), (b.start, b.end))
        for a in one.unit.spans
        for b in other.unit.spans
    )
