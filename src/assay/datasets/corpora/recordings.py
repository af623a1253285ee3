"""Recorded predictions as opinions; a detector has one name in all corpora."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.core.judgements import Author, Finding
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.datasets.corpora.annotations import Opinion, opinion

# A column of a release, in lower case and with hyphens -> the name of its detector.
SCORES = {
    "alignscore-base": "alignscore-base",
    "alignscore-large": "alignscore-large",
    "hhem-1": "hhem-1",
    "hhem-2-1": "hhem-2.1",
    "hhem-2-1-english": "hhem-2.1-english",
    "hhem-2.1": "hhem-2.1",
    "hhem-2.1-english": "hhem-2.1-english",
    "hhem-2.1-open": "hhem-2.1-open",
    "hhemv1": "hhem-1",
}
DECISIONS = {
    "gpt-3-5-turbo": "gpt-3.5-turbo",
    "gpt-3.5-turbo": "gpt-3.5-turbo",
    "gpt-4": "gpt-4",
    "gpt-4-turbo": "gpt-4-turbo",
    "gpt-4o": "gpt-4o",
    "minicheck-deberta-v3-large": "minicheck-deberta-v3-large",
    "minicheck-flan-t5-large": "minicheck-flan-t5-large",
    "minicheck-roberta-large": "minicheck-roberta-large",
    "o1-mini": "o1-mini",
    "o3-mini": "o3-mini",
    "true-nli": "true-nli",
    "trueteacher": "trueteacher",
}
# Those that ask an LLM. MiniCheck, TRUE and TrueTeacher are models of their own, whatever they
# were trained from.
ASKS = {
    name: f"openai/{name}"
    for name in ("gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o", "o1-mini", "o3-mini")
}
_LABELS = dict(enumerate(BINARY.labels))


@dataclass(frozen=True, slots=True)
class RecordedColumn:
    """A column of predictions: a score in [0, 1], or a decision for 1 or 0."""

    name: str
    detector: str
    is_score: bool


def find_columns(names: Iterable[str]) -> tuple[RecordedColumn, ...]:
    """The columns that are predictions of a known detector.

    >>> find_columns(["summary", "HHEMv1", "gpt_4o"])[1]
    RecordedColumn(name='gpt_4o', detector='gpt-4o', is_score=False)
    """
    folded = {name: name.lower().replace("_", "-") for name in names}
    return tuple(
        RecordedColumn(name, SCORES.get(key) or DECISIONS[key], key in SCORES)
        for name, key in folded.items()
        if key in SCORES or key in DECISIONS
    )


def read_outcomes(
    unit: Unit, row: Mapping[str, Any], columns: Iterable[RecordedColumn]
) -> tuple[Opinion, ...]:
    """The opinion of each detector on a unit; a missing or unreadable prediction is a failure."""
    return tuple(
        read_score(unit, row.get(column.name), column.detector)
        if column.is_score
        else read_decision(unit, row.get(column.name), column.detector)
        for column in columns
    )


def read_score(unit: Unit, value: Any, name: str) -> Opinion:
    """The opinion of a detector that gives the probability of being faithful."""
    number = _number(value)
    if number is not None and 0 <= number <= 1:
        return opinion(unit, score=float(number), by=detector(name))
    return detector(name), Finding(unit, _failure(unit, value, "a score from 0 to 1"))


def read_decision(unit: Unit, value: Any, name: str, note: str = "") -> Opinion:
    """The opinion of a detector that says 1 for faithful and 0 for unfaithful."""
    number = _number(value)
    if number in _LABELS:
        return opinion(unit, _LABELS[number], by=detector(name), note=note)
    return detector(name), Finding(unit, _failure(unit, value, "0 or 1"))


@cache
def detector(name: str) -> Author:
    """The detector of that name, whose version is not known."""
    return Author(name, "detector")


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value if isinstance(value, int | float) else None
    try:
        return float(value)
    except ValueError:
        return None


def _failure(unit: Unit, value: Any, wanted: str) -> Failure:
    if value is None or value == "" or value != value:
        return Failure(unit.id, "missing", "no prediction was recorded")
    return Failure(unit.id, "parse", f"{value!r} is not {wanted}", raw=str(value))
