"""Gold classes against predicted ones, as in Table 3 of FaithJudge, whose judge is ternary."""

from dataclasses import replace
from typing import Any

import pytest

from assay import Unit, Verdict, taxonomy
from assay.core.taxonomies import FAITHBENCH
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.items import Item, Judged
from assay.evaluation.label_figures import count_classes, measure_classes
from assay.metrics import Resampling
from assay.report.evaluation.table import class_details, markdown_table, report_view
from assay.report.pages.charts import Scope, confusion
from tests.reading_tables import markdown_tables
from tests.reading_tables import terminal_tables as tables_of

SAID = ("unwanted", "benign", "consistent")
# What the judge says of each gold label, in this order; every count is another one.
GOLD = {
    "unwanted": (5, 1, 2),
    "unwanted.intrinsic": (11, 3, 4),
    "unwanted.extrinsic": (13, 6, 8),
    "questionable": (7, 9, 10),
    "benign": (12, 14, 15),
    "consistent": (16, 17, 20),
}
# The three kinds of unwanted added: 5 + 11 + 13, 1 + 3 + 6, 2 + 4 + 8.
FOLDED = {
    "unwanted": (29, 10, 14),
    "questionable": (7, 9, 10),
    "benign": (12, 14, 15),
    "consistent": (16, 17, 20),
}


def judged(menu: str = "faithbench", said: tuple[str, ...] = SAID) -> list[Judged]:
    labels = taxonomy(menu)
    unit = Unit.response("It rained.")
    found: list[Judged] = []
    for gold, counts in GOLD.items():
        for name, count in zip(said, counts, strict=True):
            for _ in range(count):
                at = f"e{len(found)}"
                item = Item(at, at, "m", unit, FAITHBENCH[gold], True)
                found.append(Judged(item, Verdict(unit.id, labels[name]), True))
    return found


def test_kinds_are_folded_into_their_class() -> None:
    found = count_classes([judged()])
    assert found is not None
    assert found.predicted == SAID
    assert dict(zip(found.gold, found.counts, strict=True)) == FOLDED


def test_class_wise_f1_is_after_folding() -> None:
    found = measure_classes([judged()], Resampling(replicates=50))
    # unwanted: 2 x 29 / (53 gold + 64 said); benign: 2 x 14 / (41 + 50).
    assert list(found) == ["unwanted", "questionable", "benign", "consistent"]
    assert found["unwanted"].value == pytest.approx(58 / 117)
    assert found["benign"].value == pytest.approx(28 / 91)
    assert found["consistent"].value == pytest.approx(40 / 112)
    assert found["questionable"].value == 0
    assert [each.n for each in found.values()] == [53, 26, 41, 53]


def test_a_judge_of_kinds_is_held_against_kinds() -> None:
    rows = judged(said=("unwanted.intrinsic", "benign", "consistent"))
    found = count_classes([rows])
    assert found is not None
    assert dict(zip(found.gold, found.counts, strict=True)) == GOLD
    assert "unwanted.extrinsic" in measure_classes([rows], Resampling(replicates=50))


def test_another_menu_has_a_matrix_with_all_gold_labels_and_no_f1() -> None:
    rows = judged("nli", ("contradiction", "neutral", "entailment"))
    found = count_classes([rows])
    assert found is not None
    assert (found.predicted, found.gold) == (
        ("contradiction", "neutral", "entailment"),
        tuple(GOLD),
    )
    assert measure_classes([rows], Resampling(replicates=50)) == {}
    assert count_classes([[]]) is None


def test_every_form_has_each_count_under_its_head(small_report: EvaluationReport) -> None:
    matrix = count_classes([judged()])
    first, *others = (replace(each, classes=None) for each in small_report.evaluations)
    report = replace(small_report, evaluations=(replace(first, classes=matrix), *others))
    expected: list[dict[str, Any]] = [
        {"gold": gold, **{name: str(n) for name, n in zip(SAID, counts, strict=True)}}
        for gold, counts in FOLDED.items()
    ]
    [detail] = class_details(report)
    assert detail.title == f"Classes of {first.detector}"
    assert tables_of(*report_view(report, 120))[-1] == expected
    assert markdown_tables(markdown_table(report))[-1] == expected
    assert report.to_dict()["detectors"][0]["classes"] == {
        "gold": tuple(FOLDED),
        "predicted": SAID,
        "counts": tuple(FOLDED.values()),
    }
    assert report.to_dict()["detectors"][1]["classes"] is None


def test_two_classes_need_no_matrix_beside_the_figures(small_report: EvaluationReport) -> None:
    matrix = count_classes([judged("binary", ("unfaithful", "faithful", "faithful"))])
    every = tuple(replace(each, classes=matrix) for each in small_report.evaluations)
    assert list(class_details(replace(small_report, evaluations=every))) == []


def test_the_page_folds_kinds_too() -> None:
    rows = judged()
    found = confusion(rows, Scope("d", {}), square=False)
    assert [row.badge.name for row in found.rows] == list(FOLDED)
