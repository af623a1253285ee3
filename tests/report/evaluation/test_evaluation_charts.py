"""What the page of an evaluation shows of the gold labels, and which examples it carries."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from assay.core.examples import Annotated
from assay.evaluation.comparison import EvaluationReport, make_report
from assay.evaluation.evaluate import Settings
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import recorded_judgements
from assay.metrics import Resampling, transition_counts
from assay.report.evaluation.charts import DetectorCharts
from assay.report.evaluation.page import PageView, view_page
from assay.report.pages.charts import Bar, ItemLink

Detectors = dict[str, DetectorCharts]
Make = Callable[..., Annotated]
Evaluate = Callable[..., EvaluationReport]
Shown = Callable[[PageView, ItemLink], list[str]]
Numbers = Callable[[tuple[Bar, ...]], list[tuple[str, int, float | None, int]]]


def test_transitions_are_those_of_the_metric(
    page: PageView, small_corpus: list[Annotated], shown: Shown
) -> None:
    matrix = page.gold.transitions
    assert matrix is not None
    gold = [
        (each.label, given.example)
        for one in small_corpus
        for given in one.gold
        for each in given.findings
    ]
    ranks, responses = [label.rank for label, _ in gold if label], [id for _, id in gold]
    expected = transition_counts(ranks, responses, classes=7)
    assert [[cell.link.count for cell in row.cells] for row in matrix.rows] == expected.tolist()
    # After contradicting comes, once, fabricated: 1 of 1.
    assert (matrix.rows[0].cells[1].share.value, matrix.rows[0].cells[1].share.n) == (1, 1)
    assert shown(page, matrix.rows[0].cells[1].link) == ["Sentence 3 of a."]


def test_sentences_are_read_in_the_order_of_the_text(
    make_example: Make, report_of: Evaluate
) -> None:
    example = make_example("a", "EC", "EC")
    judgements = tuple(replace(each, units=each.units[::-1]) for each in example.judgements)
    turned = replace(example, judgements=judgements)
    matrix = view_page(report_of([turned])).gold.transitions
    assert matrix is not None
    found = [(row.badge.name, row.link.count) for row in matrix.rows]
    assert found == [("contradicting", 0), ("explicitly-supported", 1)]


def test_first_errors_are_a_share_of_what_was_faithful_before(
    page: PageView, shown: Shown, numbers: Numbers
) -> None:
    # All four are faithful at first; a goes wrong at its second sentence, b at its third.
    assert numbers(page.gold.first_errors) == [
        ("1", 0, 0.0, 4),
        ("2", 1, 0.25, 4),
        ("3", 1, 0.5, 2),
    ]
    link = page.gold.first_errors[2].link
    assert link is not None
    assert shown(page, link) == ["Sentence 3 of b."]
    assert page.gold.clean == 2


def test_responses_have_no_transitions(small_corpus: list[Annotated], report_of: Evaluate) -> None:
    gold = view_page(report_of(small_corpus, unit="response")).gold
    assert gold.transitions is None
    assert gold.first_errors == ()
    assert sum(part.link.count for part in gold.parts) == 4


def test_row_has_verdict_score_and_note(page: PageView, detectors: Detectors) -> None:
    link = detectors["labels"].confusion.rows[0].cells[6].link
    row = page.examples.rows[link.rows[0]]
    assert row.predicted.name == "explicitly-supported"
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
    said = Counter(row.predicted.name for row in page.examples.rows)
    assert set(said.values()) == {714}


def test_texts_are_shortened(make_example: Make, report_of: Evaluate) -> None:
    page = view_page(report_of([make_example("x" * 400, "EC", "EC")]))
    assert {len(item.text) for item in page.examples.items} == {240}
    assert page.examples.items[0].text.endswith("…")


def test_runs_that_are_averaged_share_the_items_of_the_page(
    small_corpus: list[Annotated], numbers: Numbers
) -> None:
    labels, scores = (
        recorded_judgements(name, "toy", small_corpus) for name in ("labels", "scores")
    )
    settings = Settings(GoldPolicy("sentence"), resampling=Resampling(replicates=50))
    page = view_page(make_report("toy", small_corpus, [(labels, scores), labels], settings))
    assert len(page.items) == 11
    both = next(each for each in page.detectors if each.evaluation.runs)
    # Eleven sentences twice: 22 verdicts; errors of "labels" are 1 + 1, of "scores" 1.
    assert sum(row.link.count for row in both.confusion.rows) == 22
    assert numbers(both.by_gold)[0] == ("contradicting", 1, 0.25, 4)
    assert {row.item for row in page.examples.rows} <= set(range(11))
    assert [detail.title for detail in page.details] == [
        "Runs that are averaged",
        "Selective prediction by labels",
    ]
    assert [row[1] for row in page.details[0].texts()] == ["labels", "scores", "mean", "spread"]
    # One of the two runs has no labels, so there is nothing to accept by them.
    assert {row[0] for row in page.details[1].texts()} == {"labels"}
