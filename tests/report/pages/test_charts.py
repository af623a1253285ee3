"""Charts of the page of an evaluation, as data."""

from collections.abc import Callable

import numpy as np

from assay.core.taxonomies import GRAY7
from assay.report.evaluation.charts import DetectorCharts, quarters
from assay.report.evaluation.page import PageView
from assay.report.pages.charts import Bar, ItemLink, risk_curve

Detectors = dict[str, DetectorCharts]
Shown = Callable[[PageView, ItemLink], list[str]]
Numbers = Callable[[tuple[Bar, ...]], list[tuple[str, int, float | None, int]]]


def test_confusion_counts_every_item_once(page: PageView) -> None:
    for each in page.detectors:
        sums = [sum(cell.link.count for cell in row.cells) for row in each.confusion.rows]
        assert sums == [row.link.count for row in each.confusion.rows]
        assert sum(sums) == 11


def test_same_menu_gives_a_square_matrix(detectors: Detectors) -> None:
    found = detectors["labels"].confusion
    assert [row.badge for row in found.rows] == list(found.columns)
    assert [badge.name for badge in found.columns] == list(GRAY7.names)
    contradicting = [cell.link.count for cell in found.rows[0].cells]
    assert contradicting == [1, 0, 0, 0, 0, 0, 1]


def test_scores_are_read_as_two_classes(detectors: Detectors) -> None:
    found = detectors["scores"].confusion
    assert [badge.name for badge in found.columns] == ["unfaithful", "faithful"]


def test_failures_have_their_own_columns(detectors: Detectors) -> None:
    found = detectors["failing"]
    counts = {part.badge.name: part.link.count for part in found.predicted}
    assert counts == {
        "unfaithful": 1,
        "faithful": 3,
        "no verdict: parse": 4,
        "no verdict: missing": 3,
    }


def test_cells_are_right_wrong_or_uncounted(detectors: Detectors) -> None:
    rows = detectors["labels"].confusion.rows
    kinds = {
        (row.badge.name, column.name): cell.kind
        for row in rows
        for column, cell in zip(detectors["labels"].confusion.columns, row.cells, strict=True)
        if cell.link.count
    }
    assert kinds["contradicting", "contradicting"] == "right"
    assert kinds["contradicting", "explicitly-supported"] == "wrong"
    assert kinds["ambiguous", "explicitly-supported"] == "uncounted"
    failing = detectors["failing"].confusion
    assert failing.rows[0].cells[2].kind == "uncounted"


def test_links_lead_to_exactly_their_items(
    page: PageView, detectors: Detectors, shown: Shown
) -> None:
    row = detectors["labels"].confusion.rows[0]
    assert shown(page, row.cells[6].link) == ["Sentence 2 of a."]
    assert shown(page, row.link) == ["Sentence 2 of a.", "Sentence 3 of b."]
    assert row.cells[6].link.words == "labels: gold contradicting, predicted explicitly-supported"


def test_errors_by_gold_class_leave_out_what_the_reading_does(
    detectors: Detectors, numbers: Numbers
) -> None:
    assert numbers(detectors["labels"].by_gold) == [
        ("contradicting", 1, 0.5, 2),
        ("fabricated", 0, 0.0, 1),
        ("implicitly-supported", 1, 1 / 3, 3),
        ("explicitly-supported", 0, 0.0, 2),
    ]


def test_errors_of_a_class_without_verdicts_are_undefined(
    detectors: Detectors, numbers: Numbers
) -> None:
    assert numbers(detectors["failing"].by_gold)[0] == ("contradicting", 0, None, 0)


def test_no_error_has_an_interval_of_some_width(detectors: Detectors) -> None:
    estimate = detectors["labels"].by_gold[1].estimate
    assert estimate.low == 0
    assert estimate.high is not None
    assert estimate.high > 0.5


def test_errors_by_length_add_up(page: PageView) -> None:
    for each in page.detectors:
        for bars in (each.by_source, each.by_response):
            wrong = sum(judged.is_error for judged in each.evaluation.judged)
            assert sum(bar.link.count for bar in bars if bar.link) == wrong


def test_quarters_keep_equal_lengths_together() -> None:
    assert quarters([10, 20, 30, 40]) == {"10–10": [0], "20–20": [1], "30–30": [2], "40–40": [3]}
    assert quarters([7, 7, 7, 1_000]) == {"7–7": [0, 1, 2], "1,000–1,000": [3]}


def test_curve_is_of_the_items_that_count(detectors: Detectors) -> None:
    curve = detectors["scores"].curve
    assert curve is not None
    assert curve.n == 8
    # Scores of the counted from high: 9 | 8 8 | 7 | 4 | 3 2 1, of which the last three unfaithful.
    assert [round(point.coverage * 8) for point in curve.points] == [1, 3, 4, 5, 6, 7, 8]
    assert curve.points[-1].risk == 3 / 8


def test_curve_of_a_detector_without_scores_goes_by_its_labels(detectors: Detectors) -> None:
    # "failing" judged three counted items: two faithful, one not, and all of them are faithful.
    curve = detectors["failing"].curve
    assert curve is not None
    assert [(point.label, round(point.coverage * 3)) for point in curve.points] == [
        ("faithful", 2),
        ("unfaithful", 3),
    ]
    assert detectors["failing"].bins == ()


def test_curve_has_few_points_and_a_line_for_each_tenth() -> None:
    random = np.random.default_rng(1)
    curve = risk_curve(random.random(5_000) < 0.5, random.random(5_000))
    assert curve is not None
    assert len(curve.points) == 200
    assert [round(point.coverage, 3) for point in curve.listed] == [n / 10 for n in range(1, 11)]


def test_bins_link_to_their_scores(page: PageView, detectors: Detectors, shown: Shown) -> None:
    bins = detectors["scores"].bins
    assert [each.bin.n for each in bins] == [1, 1, 1, 1, 1, 2, 1]
    assert shown(page, bins[5].link) == ["Sentence 2 of b.", "Sentence 3 of c."]
