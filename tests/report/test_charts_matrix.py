"""Confusion matrices of the page of an evaluation, as data."""

from collections.abc import Callable

from assay.core.taxonomies import GRAY7
from assay.report.charts import Link
from assay.report.evaluation_detector import DetectorView
from assay.report.evaluation_page import PageView

Detectors = dict[str, DetectorView]
Shown = Callable[[PageView, Link], list[str]]


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
    counts = {part.badge.name: part.link.count for part in found.said}
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
    assert row.cells[6].link.words == "labels: gold contradicting, said explicitly-supported"
