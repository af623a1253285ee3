"""`recorded`: replays the verdicts in a file that `assay check --json` wrote."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from assay.core.errors import InputError, SpanError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.records import read_unit, read_verdict
from assay.core.taxonomies import taxonomy
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, FailureReason, Outcome
from assay.detectors.units import sentence_units


class RecordedDetector:
    """Gives back what was recorded for each example's id; anything else is a `missing` failure."""

    unit_kind: UnitKind = "sentence"

    def __init__(self, path: str = "") -> None:
        if not path:
            raise InputError("detector 'recorded' needs a file: write recorded:FILE.json")
        self.path = path
        document = _read(path)
        self.name = f"recorded {document['detector']}"
        self.taxonomy: Taxonomy = taxonomy(document["taxonomy"])
        self._examples = _by_id(document["examples"], path)

    @property
    def ids(self) -> tuple[str, ...]:
        """The examples that the file has."""
        return tuple(self._examples)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges each example by its record; one recorded with another text is a failure."""
        for example in examples:
            record = self._examples.get(example.id)
            if record is None:
                yield self._nothing(example, f"{self.path} has no example '{example.id}'")
                continue
            try:
                judgement = self._replay(example, record)
            except SpanError as error:
                judgement = self._nothing(example, f"{self.path} is about another text: {error}")
            except InputError as error:
                raise InputError(f"example '{example.id}' of {self.path}: {error}") from None
            except (AttributeError, KeyError, TypeError) as error:
                raise InputError(
                    f"example '{example.id}' of {self.path} is damaged: {error!r}"
                ) from None
            yield judgement

    def _replay(self, example: Example, record: Mapping[str, Any]) -> Judgement:
        outcomes = tuple(self._outcomes(example, record))
        return Judgement(example, outcomes, int(record["source"]["characters_read"]))

    def _nothing(self, example: Example, detail: str) -> Judgement:
        units = example.units or sentence_units(example)
        return Judgement(example, tuple(_missing(unit, detail) for unit in units), 0)

    def _outcomes(self, example: Example, record: Mapping[str, Any]) -> Iterator[Outcome]:
        recorded = {
            read_unit(each, example.response.text, self.unit_kind): each
            for each in record["sentences"]
        }
        if len(recorded) < len(record["sentences"]):
            raise InputError("a sentence appears twice")
        reasons = {
            (each["unit"]["start"], each["unit"]["text"]): each for each in record["failures"]
        }
        for unit in example.units or recorded:
            if unit not in recorded:
                yield _missing(unit, f"{self.path} has no verdict on this {unit.kind}")
                continue
            verdict = read_verdict(recorded[unit], unit, example.source.text, self.taxonomy)
            yield verdict or _failure(unit, reasons.get((unit.start, unit.text), {}))


def _by_id(records: list[Mapping[str, Any]], path: str) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for record in records:
        key = str(record["id"])
        if key in found:
            raise InputError(f"{path} has two examples with the id '{key}'")
        found[key] = record
    return found


def _missing(unit: Unit, detail: str) -> Failure:
    return Failure(unit, "missing", detail)


def _failure(unit: Unit, record: Mapping[str, Any]) -> Failure:
    reason: FailureReason = record.get("reason", "missing")
    return Failure(unit, reason, record.get("detail", "recorded without a verdict"))


def _read(path: str) -> Mapping[str, Any]:
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None
    if not _is_report(document):
        raise InputError(f"{path} is not a file that 'assay check --json' wrote")
    return cast(Mapping[str, Any], document)


def _is_report(document: object) -> bool:
    return (
        isinstance(document, dict)
        and {"detector", "taxonomy", "examples"} <= set(document)
        and isinstance(document["examples"], list)
        and all(isinstance(each, dict) and "id" in each for each in document["examples"])
    )
