"""What a model says of a claim or relation: an opinion, and the kind of discourse error in it."""

from dataclasses import dataclass, replace
from typing import Any

from assay.core.decision import Answers
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.opinions import Fields, Opinion, Record
from assay.detectors.judges.quoting import Quotable
from assay.llm.schemas import Schema, object_with, one_of, read_value

NONE = "none"
LINKS = Taxonomy(
    GRAY7.name,
    "How a source bears out a relation",
    tuple(label for label in GRAY7 if label.name not in ("ambiguous", "no-fact")),
)
# What an unsupported relation is called if the model names no kind of error.
USUAL_ERRORS = {
    "cause": "fabricated-link",
    "contrast": "fabricated-link",
    "concession": "fabricated-link",
    "condition": "fabricated-link",
    "purpose": "fabricated-link",
    "temporal": "temporal-state",
    "attribution": "scope-attachment",
    "elaboration": "scope-attachment",
    "evaluation": "semantic-reframing",
}


@dataclass(frozen=True)  # without slots: `super()` does not find a class that was made anew
class Diagnosis(Opinion):
    """An opinion with the kind of error, if one is named; an error overrules the label."""

    error: Label | None = None

    def verdict(self, unit: Unit, source: Quotable, confidence: float | None) -> Verdict:
        """The verdict on the unit; what the model calls supported but wrong is not supported."""
        said = super().verdict(unit, source, confidence)
        if self.error and self.label.coarse == "faithful":
            note = f"{said.note} The model calls it {self.label}, but names an error.".strip()
            answers = Answers(states_fact=True, entailed=False, contradicted=False)
            label = GRAY7["fabricated"]
            return replace(said, label=label, error=self.error, note=note, answers=answers)
        if self.label.coarse != "unfaithful":
            return said
        usual = ERROR5[USUAL_ERRORS[unit.link.name]] if unit.link else None
        return replace(said, error=self.error or usual)


@dataclass(frozen=True)
class DiagnosisFields(Fields):
    """The fields of an opinion, with the kind of error before the label."""

    @property
    def parts(self) -> dict[str, Schema]:
        """Reason, quotes and readings, the error, and at last the label."""
        parts = super().parts
        label = parts.pop("label")
        return {**parts, "error": one_of((NONE, *ERROR5.names)), "label": label}

    @property
    def example(self) -> dict[str, Any]:
        """An opinion in the wanted format."""
        own = super().example
        label = own.pop("label")
        return {**own, "error": NONE, "label": label}

    def read(self, record: Record) -> Diagnosis:
        """The opinion in a record; without the field there is no error."""
        said = super().read(record)
        error = _error(record)
        return Diagnosis(said.label, said.reason, said.evidence, said.interpretations, error)


def _error(record: Record) -> Label | None:
    """The error that a record names; one that is not on the menu raises."""
    if record.get("error") in (None, "", NONE):
        return None
    menu = one_of((NONE, *ERROR5.names))
    name = read_value(record, object_with(error=menu))["error"]
    return None if name == NONE else ERROR5[name]
