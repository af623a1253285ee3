"""Detectors ranked among those that ask the same model: each form of the table, under its heads."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay import Annotated, InputError, Judgements
from assay.evaluation.comparison import EvaluationReport, make_report
from assay.evaluation.evaluate import Settings
from assay.evaluation.policy import GoldPolicy
from assay.metrics import Resampling
from assay.report.evaluation_details import details
from assay.report.evaluation_table import csv_table, markdown_table
from tests.evaluation.opinions import Make, predicted, scores

SETTINGS = Settings(
    GoldPolicy(unit="sentence"), resampling=Resampling(replicates=100), by_model=True
)
# Two faithful and two unfaithful sentences; a detector is right about so many of each.
LABELS = "explicitly-supported explicitly-supported fabricated fabricated"
SAID = {
    "a-gpt": ("gpt", ".9 .9 .1 .1"),  # 1
    "a-gem": ("gem", ".9 .9 .1 .9"),  # (1 + 1/2) / 2 = 0.75
    "b-gpt": ("gpt", ".9 .1 .9 .9"),  # (1/2 + 0) / 2 = 0.25
    "b-gem": ("gem", ".9 .1 .1 .9"),  # (1/2 + 1/2) / 2 = 0.5
    "c-gem": ("gem", "- - - -"),
    "plain": ("", ".9 .9 .9 .9"),  # (1 + 0) / 2 = 0.5
}


def said_of(annotated: Sequence[Annotated], name: str) -> Judgements:
    model, given = SAID[name]
    found = predicted(annotated, scores(given), name)
    return replace(found, manifest=replace(found.manifest, model=model))


@pytest.fixture
def report(make_annotated: Make) -> EvaluationReport:
    annotated = [make_annotated(f"{n}", LABELS) for n in range(30)]
    return make_report("d", annotated, [said_of(annotated, name) for name in SAID], SETTINGS)


def test_ranks_are_among_detectors_of_one_model(report: EvaluationReport) -> None:
    found = [(each.model, each.detector, each.rank) for each in report.by_model]
    assert found == [
        ("gpt", "a-gpt", 1),
        ("gpt", "b-gpt", 2),
        ("gem", "a-gem", 1),
        ("gem", "b-gem", 2),
        ("gem", "c-gem", None),
        ("", "plain", 1),
    ]
    assert report.ranks == (1, 2, 5, 3, None, 3)  # among all


def test_each_model_has_its_best(report: EvaluationReport) -> None:
    # Every example says the same, so that every difference is a certain one.
    # One that is the only one of its model is the best of nothing.
    assert [each.detector for each in report.by_model if each.is_best] == ["a-gpt", "a-gem"]
    assert report.best == ("a-gpt",)


def test_the_table_has_each_value_under_its_head(report: EvaluationReport) -> None:
    [table] = [each for each in details(report) if each.title == "Within each model"]
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    second = rows[3]
    assert second["balanced accuracy"] == report.evaluations[3].figures["balanced accuracy"]
    assert [second[each] for each in ("model", "detector", "rank", "n", "coverage")] == [
        "gem",
        "b-gem",
        "2",
        "120",
        "100.0%",
    ]
    assert (rows[4]["rank"], rows[4]["coverage"]) == ("-", "0.0%")
    assert (rows[5]["model"], rows[0]["detector"]) == ("no model named", "a-gpt*")
    assert "| gem | b-gem | 2 | 120 | 100.0% |" in markdown_table(report)


def test_csv_and_json_have_them_too(report: EvaluationReport) -> None:
    lines = list(csv.DictReader(io.StringIO(csv_table(report))))
    found = {(e["detector"], e["model"], e["figure"]): e["value"] for e in lines}
    assert found["b-gem", "gem", "rank within model"] == "2"
    assert found["a-gem", "gem", "best within model"] == "1"
    assert found["b-gem", "gem", "rank"] == "3"
    assert report.to_dict()["by_model"][1] == {
        "model": "gpt",
        "detector": "b-gpt",
        "rank": 2,
        "is_best": False,
    }


def test_without_any_model_there_is_nothing_to_rank_within(make_annotated: Make) -> None:
    annotated = [make_annotated("a", LABELS)]
    with pytest.raises(InputError, match="which model it asks"):
        make_report("d", annotated, [said_of(annotated, "plain")], SETTINGS)
