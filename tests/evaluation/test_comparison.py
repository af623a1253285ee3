"""Detectors on the same items."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay import Annotated, InputError, Judgements
from assay.evaluation.comparison import (
    EvaluationReport,
    compare,
    make_report,
    not_significantly_worse,
)
from assay.evaluation.evaluate import Evaluation, Settings, evaluate_each
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import recorded_judgements
from assay.metrics import Resampling
from assay.report.evaluation.table import csv_table, details, markdown_table
from tests.evaluation.opinions import Make, predicted, scores

SETTINGS = Settings(GoldPolicy(unit="sentence"), resampling=Resampling(replicates=200))


def both(annotated: Sequence[Annotated], other: str) -> tuple[Evaluation, Evaluation]:
    """The recorded detector `j`, and one that gives these scores."""
    said = [recorded_judgements("j", "d", annotated), predicted(annotated, scores(other), "k")]
    first, second = evaluate_each("d", annotated, said, SETTINGS)
    return first, second


def test_differences_and_errors_are_counted_by_gold_label(make_annotated: Make) -> None:
    labels = "fabricated explicitly-supported contradicting"
    result = compare(*both([make_annotated("a", labels, ".1 .9 .9")], ".1 .1 .1"))
    assert result.n == 3
    assert [d.first.item.gold.name for d in result.differences] == [
        "explicitly-supported",
        "contradicting",
    ]
    assert result.errors_by_gold["contradicting"] == {"first wrong": 1}
    assert (result.right.only_first, result.right.only_second) == (1, 1)


def test_a_clear_winner_is_significant(make_annotated: Make) -> None:
    labels = "fabricated explicitly-supported"
    annotated = [make_annotated(f"{n}", labels, ".1 .9") for n in range(30)]
    result = compare(*both(annotated, ".9 .9"))
    assert result.balanced_accuracy.difference.value == pytest.approx(0.5)
    assert (result.balanced_accuracy.p_value or 1) < 0.05
    assert (result.right.p_value or 1) < 0.001


def test_only_items_that_both_judged_are_compared(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported", "- .9")]
    assert compare(*both(annotated, ".1 .9")).n == 1


def test_different_items_cannot_be_compared(make_annotated: Make) -> None:
    first, _ = both([make_annotated("a", "fabricated", ".1")], ".1")
    second, _ = both([make_annotated("b", "fabricated", ".1")], ".1")
    with pytest.raises(InputError, match="same items"):
        compare(first, second)


def test_failing_on_the_hard_items_does_not_make_a_detector_the_best(make_annotated: Make) -> None:
    # j is right on all it judges but fails on every third; k is right there too and wrong once.
    labels = "fabricated explicitly-supported fabricated"
    annotated = [make_annotated(f"{n}", labels, ".1 .9 -") for n in range(20)]
    evaluations = both(annotated, ".1 .9 .9")
    assert evaluations[0].figures["balanced accuracy"].value == 1
    assert set(not_significantly_worse(evaluations)) == {"j", "k"}


def test_each_is_compared_with_the_best_with_holms_correction(make_annotated: Make) -> None:
    # A detector that is wrong about 4 of 40 sources is as good in (36/40)^40 = 1.5 % of draws,
    # p = .03: worse where it is the only one, but not where four are compared (.05 / 4).
    labels = "fabricated explicitly-supported"
    annotated = [make_annotated(f"{n}", labels, ".1 .9") for n in range(40)]
    best = recorded_judgements("j", "d", annotated)
    wrong = [{f"{n}" for n in range(start, start + 4)} for start in (0, 10, 20, 30)]
    others = [_wrong_about(ids, annotated, f"k{n}") for n, ids in enumerate(wrong)]
    often = Resampling(replicates=1000)
    alone = evaluate_each("d", annotated, [best, others[0]], SETTINGS)
    assert not_significantly_worse(alone, often) == ["j"]
    all_five = evaluate_each("d", annotated, [best, *others], SETTINGS)
    assert not_significantly_worse(all_five, often) == ["j", "k0", "k1", "k2", "k3"]
    assert not_significantly_worse(alone[:1]) == []


def _wrong_about(ids: set[str], annotated: Sequence[Annotated], name: str) -> Judgements:
    """A detector that finds both sentences of some examples faithful, and is right elsewhere."""
    parts = [
        predicted([each], scores(".9 .9" if each.id in ids else ".1 .9"), name)
        for each in annotated
    ]
    return replace(parts[0], read=lambda: [one for part in parts for one in part])


def test_a_detector_without_any_verdict_is_never_marked(make_annotated: Make) -> None:
    labels = "fabricated explicitly-supported"
    annotated = [make_annotated(f"{n}", labels, "- -") for n in range(3)]
    assert not_significantly_worse(both(annotated, ".1 .9")) == ["k"]


RANKINGS_SETTINGS = Settings(
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
    return make_report(
        "d", annotated, [said_of(annotated, name) for name in SAID], RANKINGS_SETTINGS
    )


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
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.texts()]
    second = rows[3]
    assert second["balanced accuracy"] == str(report.evaluations[3].figures["balanced accuracy"])
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
        make_report("d", annotated, [said_of(annotated, "plain")], RANKINGS_SETTINGS)
