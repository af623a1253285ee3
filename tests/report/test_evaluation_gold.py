"""What the page of an evaluation shows of the gold labels."""

from collections.abc import Callable
from dataclasses import replace

from assay.core.examples import Example
from assay.evaluate.board import EvaluationReport
from assay.metrics import transition_counts
from assay.report.charts import Bar, Link
from assay.report.evaluation_page import PageView, view_page

Make = Callable[..., Example]
Evaluate = Callable[..., EvaluationReport]
Shown = Callable[[PageView, Link], list[str]]
Numbers = Callable[[tuple[Bar, ...]], list[tuple[str, int, float | None, int]]]


def test_transitions_are_those_of_the_metric(
    page: PageView, small_corpus: list[Example], shown: Shown
) -> None:
    matrix = page.gold.transitions
    assert matrix is not None
    gold = [(each.label, example.id) for example in small_corpus for each in example.gold]
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
    turned = replace(example, gold=example.gold[::-1])
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


def test_responses_have_no_transitions(small_corpus: list[Example], report_of: Evaluate) -> None:
    gold = view_page(report_of(small_corpus, unit="response")).gold
    assert gold.transitions is None
    assert gold.first_errors == ()
    assert sum(part.link.count for part in gold.parts) == 4
