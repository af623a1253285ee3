"""Which examples the page of an evaluation carries, and what it shows of them."""

from collections import Counter
from collections.abc import Callable

from assay.core.examples import Example
from assay.evaluate.board import EvaluationReport
from assay.report.charts import Link
from assay.report.evaluation_detector import DetectorView
from assay.report.evaluation_page import PageView, view_page

Detectors = dict[str, DetectorView]
Make = Callable[..., Example]
Evaluate = Callable[..., EvaluationReport]
Shown = Callable[[PageView, Link], list[str]]


def test_row_has_verdict_score_and_note(page: PageView, detectors: Detectors) -> None:
    link = detectors["labels"].confusion.rows[0].cells[6].link
    row = page.examples.rows[link.rows[0]]
    assert page.examples.badges[row.said].name == "explicitly-supported"
    assert (row.wrong, row.score, row.note) == (True, 1.0, "because E")


def test_cell_lists_at_most_200_spread_over_the_corpus(
    make_example: Make, report_of: Evaluate, shown: Shown
) -> None:
    page = view_page(report_of([make_example(f"e{n}", "EC", "EC") for n in range(300)]))
    link = page.detectors[0].confusion.rows[1].link
    assert page.examples.most == 200
    assert (link.count, len(link.rows)) == (300, 200)
    assert shown(page, link)[-1] == "Sentence 1 of e298."


def test_page_carries_at_most_5000_rows_and_every_cell_gets_its_part(
    make_example: Make, report_of: Evaluate
) -> None:
    gold = "CFANOIE"
    turned = [gold[n:] + gold[:n] for n in range(7)]
    page = view_page(report_of([make_example(f"e{n}", gold, turned[n % 7]) for n in range(770)]))
    # 770 x 7 items in 7 x 7 cells are 110 a cell: 102 of each are 4,998 rows, 103 would be 5,047.
    assert page.examples.most == 102
    assert len(page.examples.rows) == 4_998
    said = Counter(page.examples.badges[row.said].name for row in page.examples.rows)
    assert set(said.values()) == {714}


def test_texts_are_shortened(make_example: Make, report_of: Evaluate) -> None:
    page = view_page(report_of([make_example("x" * 400, "EC", "EC")]))
    assert {len(item.text) for item in page.examples.items} == {240}
    assert page.examples.items[0].text.endswith("…")
