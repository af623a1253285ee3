"""What a model is asked to say of a unit, as fields of JSON, and what is made of its answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.core.decision import Answers, Interpretation
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.judging import ReplyFormat, one_line
from assay.detectors.judges.quoting import Quotable
from assay.llm.fences import Fences
from assay.llm.schemas import (
    Schema,
    array_of,
    object_of,
    object_with,
    one_of,
    read_json,
    read_value,
    text,
)

Record = Mapping[str, Any]

_DEPENDING = (GRAY7["fabricated"], GRAY7["out-dependent"])
_NOT_SUPPORTED = Answers(states_fact=True, entailed=False, contradicted=False)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model says of a unit; its quotes are not looked up yet."""

    label: Label
    reason: str
    evidence: tuple[str, ...] = ()
    interpretations: tuple[Interpretation, ...] = ()

    def verdict(self, unit: Unit, source: Quotable, confidence: float | None) -> Verdict:
        """The verdict on the unit; quotes that are not in the source are dropped and counted."""
        quoted = source.find(self.evidence)
        return Verdict(
            unit.id,
            self.label,
            confidence=confidence,
            note=" ".join(filter(None, (self.reason, self._doubt, quoted.note))),
            evidence=quoted.spans,
            answers=self._answers,
            interpretations=self.interpretations,
        )

    @property
    def _doubt(self) -> str:
        differ = len({each.label for each in self.interpretations}) > 1
        if self.label.name != "ambiguous" or differ:
            return ""
        return "The model names no two readings with different labels."

    @property
    def _answers(self) -> Answers | None:
        """What a label that depends on outside knowledge implies; that question stays open."""
        return _NOT_SUPPORTED if self.label in _DEPENDING else None


@dataclass(frozen=True)
class Fields:
    """A reason, then quotes and readings where they are wanted, and at last a label."""

    taxonomy: Taxonomy
    quotes: bool = False
    readings: bool = False

    @property
    def parts(self) -> dict[str, Schema]:
        """The schema of each field, in the order in which they are asked for."""
        parts = {"reason": text()}
        if self.quotes:
            parts["evidence"] = array_of(text())
        if self.readings:
            single = [name for name in self.taxonomy.names if name != "ambiguous"]
            parts["interpretations"] = array_of(object_of(meaning=text(), label=one_of(single)))
        return {**parts, "label": one_of(self.taxonomy.names)}

    @property
    def example(self) -> dict[str, Any]:
        """An opinion in the wanted format."""
        lists: dict[str, Any] = {name: [] for name in self.parts if name not in ("reason", "label")}
        return {"reason": "The source says so.", **lists, "label": self.taxonomy.labels[-1].name}

    @cached_property
    def reply_format(self) -> ReplyFormat[Opinion]:
        """A reply that is one opinion."""
        return ReplyFormat(self.read_reply, json.dumps(self.example), object_of(**self.parts))

    def read_reply(self, reply: str, fences: Fences) -> Opinion:
        """The opinion in a reply; only its label must be there, and must be on the menu."""
        return self._opinion(read_json(reply, self._least, fences))

    def read(self, record: Record) -> Opinion:
        """The opinion in a record."""
        return self._opinion(read_value(record, self._least))

    def _opinion(self, record: Record) -> Opinion:
        """The opinion in a record that has been read."""
        label = self.taxonomy[record["label"]]
        readings = _list(record, "interpretations") if label.name == "ambiguous" else []
        return Opinion(
            label,
            one_line(record.get("reason")),
            tuple(each for each in _list(record, "evidence") if isinstance(each, str)),
            tuple(self._reading(each) for each in readings),
        )

    @cached_property
    def _least(self) -> Schema:
        """What a reply must have to be read at all; other words for a label are taken, too."""
        others = (each for label in self.taxonomy for each in label.aliases)
        return object_with(label=one_of((*self.taxonomy.names, *others)))

    def _reading(self, record: Any) -> Interpretation:
        label = self.taxonomy[read_value(record, self._least, "interpretations")["label"]]
        return Interpretation(label, one_line(record.get("meaning")))


def _list(record: Record, name: str) -> list[Any]:
    """A list of the record; models also give a single thing, or null, instead."""
    value = record.get(name)
    if isinstance(value, list):
        return value
    return [value] if value else []
