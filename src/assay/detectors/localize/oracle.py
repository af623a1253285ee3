"""What people said of a response, in the place of a first step: an upper bound for real ones."""

from dataclasses import dataclass

from assay.core.examples import Example, Judgement
from assay.core.labels import Label, worst
from assay.core.readings import READINGS, Reading
from assay.core.taxonomies import BINARY
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.units import response_unit

_PARTS: tuple[UnitKind, ...] = ("inconsistency", "span", "sentence")


@dataclass(frozen=True, slots=True)
class Oracle:
    """Says what the gold label of the response says under the usual reading of its taxonomy."""

    name: str = "gold"
    unit_kind: UnitKind = "response"

    async def judge(self, example: Example) -> Judgement:
        """The gold verdict; a response without one, or with one that is left out, is a failure."""
        return Judgement(example, (_outcome(example),), len(example.source.text))


def gold_label(example: Example) -> Label | None:
    """The corpus's own label of the response; without one the worst that people gave it."""
    labelled = [verdict for verdict in example.gold if verdict.label]
    whole = [verdict for verdict in labelled if verdict.unit.kind == "response"]
    parts = ([v for v in labelled if v.unit.kind == kind] for kind in _PARTS)
    for verdicts in ([v for v in whole if not v.judge], whole, *parts):
        labels = [verdict.label for verdict in verdicts if verdict.label]
        if labels:
            return worst([label for label in labels if label.coarse != "no-fact"] or labels)
    return None


def usual_reading(taxonomy: str) -> Reading:
    """How labels are read as faithful or not: the first table of their taxonomy that says so."""
    tables = READINGS.values()
    return next(m for m in tables if (m.origin, m.target) == (taxonomy, BINARY.name))


def _outcome(example: Example) -> Outcome:
    unit, label = response_unit(example), gold_label(example)
    if label is None:
        return Failure(unit, "missing", "the example has no gold label")
    if label.taxonomy == BINARY.name:
        return Verdict(unit, label)
    reading = usual_reading(label.taxonomy)
    read = reading(label)
    if read is None:
        return Failure(unit, "missing", f"the reading '{reading.name}' leaves out {label}")
    return Verdict(unit, read)
