"""`recorded`: replays the verdicts in a file that `assay check --json` wrote."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.records import read_unit, read_verdict
from assay.core.taxonomies import taxonomy
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, FailureReason, Outcome
from assay.detectors.units import response_unit


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
        self._examples: dict[str, Mapping[str, Any]] = {
            str(example["id"]): example for example in document["examples"]
        }

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges each example by its record."""
        for example in examples:
            record = self._examples.get(example.id)
            if record is None:
                units = example.units or (response_unit(example),)
                detail = f"{self.path} has no example '{example.id}'"
                yield Judgement(example, tuple(_missing(unit, detail) for unit in units), 0)
            else:
                outcomes = tuple(self._outcomes(example, record))
                yield Judgement(example, outcomes, int(record["source"]["characters_read"]))

    def _outcomes(self, example: Example, record: Mapping[str, Any]) -> Iterator[Outcome]:
        recorded = {
            read_unit(each, example.response.text, self.unit_kind): each
            for each in record["sentences"]
        }
        reasons = {
            (each["unit"]["start"], each["unit"]["text"]): each for each in record["failures"]
        }
        for unit in example.units or recorded:
            if unit not in recorded:
                yield _missing(unit, f"{self.path} has no verdict on this {unit.kind}")
                continue
            verdict = read_verdict(recorded[unit], unit, example.source.text, self.taxonomy)
            yield verdict or _failure(unit, reasons.get((unit.start, unit.text), {}))


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
    if not isinstance(document, dict) or not {"detector", "taxonomy", "examples"} <= set(document):
        raise InputError(f"{path} is not a file that 'assay check --json' wrote")
    return document
