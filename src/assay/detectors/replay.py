"""Outcomes read back from records of the JSON document, wherever these are kept."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from assay.core.errors import InputError, SpanError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.records import read_unit, read_verdict
from assay.core.stored import on_menu, read_judged_unit
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, FailureReason, Outcome
from assay.detectors.units import response_unit, sentence_units

ExampleRecord = Mapping[str, Any]


@dataclass(frozen=True)
class Replay:
    """Gives back what was recorded for each example's id; anything else is a `missing` failure."""

    name: str
    taxonomy: Taxonomy
    unit_kind: UnitKind
    origin: str  # where the records are, for messages
    records: Mapping[str, ExampleRecord]

    @property
    def ids(self) -> tuple[str, ...]:
        """The examples that there are records of."""
        return tuple(self.records)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges each example by its record; one recorded with another text is a failure."""
        for example in examples:
            record = self.records.get(example.id)
            if record is None:
                yield self._nothing(example, f"{self.origin} has no example '{example.id}'")
                continue
            try:
                judgement = self._only_named(read_judgement(record, example, self.taxonomy))
            except SpanError as error:
                judgement = self._nothing(example, f"{self.origin} is about another text: {error}")
            except InputError as error:
                raise InputError(f"example '{example.id}' of {self.origin}: {error}") from None
            yield judgement

    def _only_named(self, judgement: Judgement) -> Judgement:
        """Exactly the units that the example names, if it names any of a kind that was judged."""
        recorded = {outcome.unit: outcome for outcome in judgement.outcomes}
        named = judgement.example.units
        kinds = {self.unit_kind, *(unit.kind for unit in recorded)}
        if not any(unit.kind in kinds for unit in named):
            return judgement
        outcomes = tuple(
            recorded.get(unit) or self._missing(unit, f"has no verdict on this {unit.kind}")
            for unit in named
        )
        return Judgement(judgement.example, outcomes, judgement.characters_read)

    def _missing(self, unit: Unit, what: str) -> Failure:
        return Failure(unit, "missing", f"{self.origin} {what}")

    def _nothing(self, example: Example, detail: str) -> Judgement:
        units = tuple(unit for unit in example.units if unit.kind == self.unit_kind)
        if not units and self.unit_kind == "sentence":
            units = sentence_units(example)
        units = units or (response_unit(example),)
        return Judgement(example, tuple(Failure(unit, "missing", detail) for unit in units), 0)


def read_judgement(record: ExampleRecord, example: Example, taxonomy: Taxonomy) -> Judgement:
    """All outcomes of a record, their spans checked against the example; a damaged one raises."""
    try:
        outcomes = tuple(_outcomes(record, example, taxonomy))
        read = int(record["source"]["characters_read"])
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"its record is damaged: {error!r}") from None
    sentences = [outcome.unit for outcome in outcomes if outcome.unit.kind == "sentence"]
    if len(set(sentences)) < len(sentences):
        raise InputError("a sentence appears twice")
    return Judgement(example, outcomes, read)


def _outcomes(record: ExampleRecord, example: Example, taxonomy: Taxonomy) -> Iterator[Outcome]:
    text = example.response.text
    reasons = {
        (each["unit"]["kind"], each["unit"]["start"], each["unit"]["text"]): each
        for each in record["failures"]
    }
    units = [(read_unit(each, text, "sentence"), each) for each in record["sentences"]]
    units += [(read_judged_unit(each, text), each) for each in record.get("units", ())]
    for unit, said in units:
        verdict = read_verdict(said, unit, example.source.text, taxonomy)
        yield verdict or _failure(unit, reasons.get((unit.kind, unit.start, unit.text), {}))


def _failure(unit: Unit, record: Mapping[str, Any]) -> Failure:
    reason = on_menu(record.get("reason", "missing"), get_args(FailureReason))
    detail = record.get("detail", "recorded without a verdict")
    return Failure(unit, reason, detail, record.get("raw", ""))
