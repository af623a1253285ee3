"""Recorded predictions as opinions of detectors."""

from typing import Any

import pytest

from assay.core.judgements import Author, Finding
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.annotations import (
    find_columns,
    read_decision,
    read_outcomes,
    read_score,
)

UNIT = Unit.response("A text.")
AUTHOR = Author("d", "detector")


@pytest.mark.parametrize("name", ["HHEMv1", "hhemv1", "hhem_1"])
def test_a_detector_has_one_name(name: str) -> None:
    assert [column.detector for column in find_columns([name])] == ["hhem-1"]


def test_other_columns_are_no_predictions() -> None:
    names = ["source", "summarizer", "HHEM-2.1", "true_nli", "raw_sample_id"]
    assert [column.detector for column in find_columns(names)] == ["hhem-2.1", "true-nli"]


@pytest.mark.parametrize("value", [0.25, "0.25"])
def test_a_score_is_a_score(value: Any) -> None:
    said = AUTHOR, Finding(UNIT, Verdict("response", score=0.25))
    assert read_score(UNIT, value, "d") == said


@pytest.mark.parametrize(
    ("value", "name"), [(1, "faithful"), ("1.0", "faithful"), (0, "unfaithful")]
)
def test_a_decision_is_a_label(value: Any, name: str) -> None:
    author, finding = read_decision(UNIT, value, "d")
    assert author == AUTHOR
    assert finding.label
    assert (finding.label.taxonomy, finding.label.name) == ("binary", name)


@pytest.mark.parametrize("value", [None, "", float("nan")])
def test_no_prediction_is_missing(value: Any) -> None:
    for author, finding in (read_score(UNIT, value, "d"), read_decision(UNIT, value, "d")):
        assert finding.failure
        assert (finding.failure.reason, author) == ("missing", AUTHOR)


@pytest.mark.parametrize("value", [10, -1, "yes", [1]])
def test_an_unreadable_prediction_is_kept_raw(value: Any) -> None:
    for _, finding in (read_score(UNIT, value, "d"), read_decision(UNIT, value, "d")):
        assert finding.failure
        assert (finding.failure.reason, finding.failure.raw) == ("parse", str(value))


def test_a_column_that_a_row_lacks_is_missing() -> None:
    opinions = read_outcomes(UNIT, {"gpt_4o": 1}, find_columns(["gpt_4o", "o3-mini"]))
    assert [finding.verdict is None for _, finding in opinions] == [False, True]
