"""What a model says of a claim or relation: an opinion, and the kind of discourse error."""

from dataclasses import dataclass, fields, replace
from typing import Any

from assay.core.decision import Answers
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.discourse.aligning import shorten
from assay.detectors.discourse.folding import USUAL_ERRORS
from assay.detectors.judges.opinions import Fields, Opinion, Record
from assay.detectors.judges.quoting import Quotable
from assay.llm.replies import UnreadableError
from assay.llm.schemas import Schema, object_with, one_of, read_value

NONE = "none"
_NO_ERROR = frozenset(
    ("", NONE, "no", "no error", "no errors", "no-error", "null", "nil", "n/a", "na", "-", "false")
)
_LEFT_OUT = "The error that the model names, “{}”, is none of the kinds and is left out."
_NAMES = tuple(name for label in ERROR5 for name in (label.name, *label.aliases))
_KIND = object_with(error=one_of(_NAMES))
LINKS = Taxonomy(
    GRAY7.name,
    "How a source bears out a relation",
    tuple(label for label in GRAY7 if label.name not in ("ambiguous", "no-fact")),
)


@dataclass(frozen=True)  # without slots: `super()` does not find a class that was made anew
class Diagnosis(Opinion):
    """An opinion with the kind of error, if one is named.

    What is said to be supported and to have an error is not supported. What depends on outside
    knowledge or on how it is read keeps its label, and its error.
    """

    error: Label | None = None

    def verdict(self, unit: Unit, source: Quotable, confidence: float | None) -> Verdict:
        """The verdict on the unit, with its error; an unsupported link always has one."""
        said = super().verdict(unit, source, confidence)
        if self.error and self.label.coarse == "faithful":
            note = f"{said.note} The model calls it {self.label}, but names an error.".strip()
            answers = Answers(states_fact=True, entailed=False, contradicted=False)
            label = GRAY7["fabricated"]
            return replace(said, label=label, error=self.error, note=note, answers=answers)
        if self.label.coarse == "no-fact":
            return said
        is_bad_link = unit.link is not None and self.label.coarse == "unfaithful"
        usual = ERROR5[USUAL_ERRORS[unit.link.name]] if unit.link and is_bad_link else None
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
        """The opinion in a record; an error that is not one of the kinds is left out and told."""
        said, given = super().read(record), _named(record.get("error"))
        found = [error for error in map(_error, given) if error]
        left_out = "" if found or not given else _LEFT_OUT.format(shorten(", ".join(given), 60))
        own = {each.name: getattr(said, each.name) for each in fields(Opinion)}
        own["remark"] = f"{said.remark} {left_out}".strip()
        return Diagnosis(**own, error=next(iter(found), None))


def _named(given: object) -> list[str]:
    """What a reply names as errors; one or several, and often that there is none."""
    several = given if isinstance(given, list) else [given]
    words = (each.strip() for each in several if isinstance(each, str))
    return [each for each in words if each.casefold().strip(" .") not in _NO_ERROR]


def _error(name: str) -> Label | None:
    try:
        return ERROR5[read_value({"error": name}, _KIND)["error"]]
    except UnreadableError:
        return None


CLAIMS = DiagnosisFields(GRAY7, quotes=True, readings=True)
RELATIONS = DiagnosisFields(LINKS, quotes=True)
