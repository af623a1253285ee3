"""What `compare` tells of two detectors: each number with its words, and what each test asks."""

from rich.table import Table
from rich.text import Text

from assay.evaluation.comparison import PairComparison
from assay.metrics import Comparison, Estimate, McNemar
from assay.report.evaluation.comparison import comparison_view
from tests.reading_tables import terminal_tables

PAIR = PairComparison(
    "one",
    "two",
    40,
    Comparison(0.71, 0.62, Estimate(0.09, 40, 0.03, 0.15), 0.012),
    McNemar(21, 9, 0.043, "chi-square"),
    (),
    {"fabricated": {"both right": 4, "first wrong": 3, "second wrong": 2, "both wrong": 1}},
)


def test_each_number_stands_with_its_words() -> None:
    views = list(comparison_view(PAIR, "about", 50, 3))
    lines = [view.plain for view in views if isinstance(view, Text)]
    accuracy = "balanced accuracy 0.710 and 0.620; difference 0.090 [0.030, 0.150] n=40; p = 0.012"
    right = "only the first right 21, only the second 9; p = 0.043 (chi-square)"
    assert "one against two on 40 of 50 items" in lines[1]
    at = lines.index(accuracy)
    assert "balanced accuracy, in which both classes weigh the same" in lines[at + 1]
    assert "right about more items" in lines[lines.index(right) + 1]
    assert any(isinstance(view, Table) for view in views)
    [[row]] = terminal_tables(*views)
    assert row == {
        "gold label": "fabricated",
        "both right": "4",
        "first wrong": "3",
        "second wrong": "2",
        "both wrong": "1",
    }


def test_json_has_each_number_under_its_name() -> None:
    told = PAIR.to_dict()
    accuracy, right = told["balanced_accuracy"], told["mcnemar"]
    assert (accuracy["first"], accuracy["second"], accuracy["p_value"]) == (0.71, 0.62, 0.012)
    assert accuracy["difference"] == {"value": 0.09, "n": 40, "low": 0.03, "high": 0.15}
    assert (right["only_first_right"], right["only_second_right"]) == (21, 9)
    assert (right["p_value"], right["test"]) == (0.043, "chi-square")
    assert "balanced accuracy" in accuracy["asks"]
    assert "right about more items" in right["asks"]
