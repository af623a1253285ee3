from typing import Any

import numpy as np
import pytest

from assay.metrics import (
    accuracy,
    balanced_accuracy,
    class_f1,
    class_rates_from_confusion,
    class_recall,
    confusion_matrix,
    f1,
    from_confusion,
    macro_f1,
    merge_classes,
    precision,
    rates,
    recall,
    specificity,
)
from assay.metrics.arrays import Ints

# Ten items: 4 unfaithful, of which 3 are called so; 6 faithful, of which 2 are called unfaithful.
GOLD = np.array([False] * 4 + [True] * 6)
PREDICTED = np.array([False] * 3 + [True] + [False] * 2 + [True] * 4)
Labels = tuple[Ints, Ints]


def test_matrix_has_gold_rows_and_predicted_columns() -> None:
    assert confusion_matrix(GOLD, PREDICTED).tolist() == [[3, 1], [2, 4]]


def test_binary_metrics_follow_from_the_counts() -> None:
    assert accuracy(GOLD, PREDICTED) == 0.7  # (3 + 4) / 10
    assert precision(GOLD, PREDICTED) == 0.6  # 3 of 5 called unfaithful
    assert recall(GOLD, PREDICTED) == 0.75  # 3 of 4 unfaithful
    assert specificity(GOLD, PREDICTED) == pytest.approx(4 / 6)  # 4 of 6 faithful
    assert f1(GOLD, PREDICTED) == pytest.approx(6 / 9)  # 2 x 3 / (5 + 4)
    assert balanced_accuracy(GOLD, PREDICTED) == pytest.approx((3 / 4 + 4 / 6) / 2)


def test_macro_f1_is_the_mean_of_both_classes() -> None:
    # unfaithful 6 / 9, faithful 2 x 4 / (5 + 6) = 8 / 11
    assert macro_f1(GOLD, PREDICTED) == pytest.approx((6 / 9 + 8 / 11) / 2)


def test_class_never_seen_is_left_out_of_macro_f1() -> None:
    # class 0: 2 x 1 / (1 + 2); class 1: predicted only, 0; class 2: 1; class 3: never seen
    assert class_f1([0, 0, 2], [0, 1, 2], classes=4) == (2 / 3, 0.0, 1.0, None)
    assert macro_f1([0, 0, 2], [0, 1, 2], classes=4) == pytest.approx((2 / 3 + 0 + 1) / 3)


def test_precision_is_undefined_where_nothing_is_called_unfaithful() -> None:
    assert precision([False, True], [True, True]) is None
    assert f1([False, True], [True, True]) == 0


def test_recall_and_balanced_accuracy_need_unfaithful_items() -> None:
    assert recall([True, True], [False, True]) is None
    assert specificity([False, False], [False, True]) is None
    assert balanced_accuracy([True, True], [False, True]) is None
    assert class_recall([True, True], [False, True], classes=2) == (None, 0.5)


def test_f1_is_undefined_where_nothing_is_or_is_called_unfaithful() -> None:
    assert f1([True, True], [True, True]) is None


@pytest.mark.parametrize("metric", [accuracy, balanced_accuracy, precision, recall, f1, macro_f1])
def test_without_items_every_metric_is_undefined(metric: Any) -> None:
    assert metric([], []) is None


def test_numbers_are_refused_where_truth_is_expected() -> None:
    with pytest.raises(ValueError, match="True = faithful"):
        precision([0, 1], [0, 1])


def test_a_class_off_the_menu_is_named() -> None:
    with pytest.raises(ValueError, match=r"predicted has classes from 0 to 7; .* 0 to 6"):
        confusion_matrix([0, 1], [0, 7], 7)


def test_lengths_that_differ_are_named() -> None:
    with pytest.raises(ValueError, match="gold 3, predicted 2"):
        accuracy([True] * 3, [True] * 2)


def test_agrees_with_sklearn_on_binary_labels(
    sklearn_metrics: Any, random: np.random.Generator
) -> None:
    gold, predicted = random.random(300) < 0.7, random.random(300) < 0.6
    assert balanced_accuracy(gold, predicted) == pytest.approx(
        sklearn_metrics.balanced_accuracy_score(gold, predicted)
    )
    for ours, name in ((precision, "precision"), (recall, "recall"), (f1, "f1")):
        theirs = getattr(sklearn_metrics, f"{name}_score")(gold, predicted, pos_label=False)
        assert ours(gold, predicted) == pytest.approx(theirs)


def test_agrees_with_sklearn_on_many_classes(sklearn_metrics: Any, labels: Labels) -> None:
    theirs = sklearn_metrics.confusion_matrix(*labels, labels=range(5))
    assert (confusion_matrix(*labels, 5) == theirs).all()
    assert accuracy(*labels, classes=5) == pytest.approx(sklearn_metrics.accuracy_score(*labels))
    f1s = sklearn_metrics.f1_score(*labels, average=None)
    ours = [value for value in class_f1(*labels, classes=5) if value is not None]
    assert ours == pytest.approx(list(f1s))
    macro = sklearn_metrics.f1_score(*labels, average="macro")
    assert macro_f1(*labels, classes=5) == pytest.approx(macro)


def test_metrics_of_a_matrix_equal_those_of_its_items(labels: Labels) -> None:
    matrix = confusion_matrix(*labels, 5)
    assert from_confusion(rates.macro_f1, matrix) == macro_f1(*labels, classes=5)
    assert class_rates_from_confusion(rates.class_f1, matrix) == class_f1(*labels, classes=5)


def test_a_stack_gives_the_metric_of_each_matrix(labels: Labels) -> None:
    matrix = confusion_matrix(*labels, 5).astype(np.float64)
    both = rates.macro_f1(np.stack([matrix, matrix.T + 1]))
    assert both.tolist() == [rates.macro_f1(matrix), rates.macro_f1(matrix.T + 1)]


def test_a_matrix_that_is_not_square_has_no_accuracy() -> None:
    with pytest.raises(ValueError, match="as many rows as columns"):
        from_confusion(rates.accuracy, [[1, 2, 3], [4, 5, 6]])


def test_a_matrix_has_no_negative_cell() -> None:
    with pytest.raises(ValueError, match="no negative cell"):
        from_confusion(rates.accuracy, [[1, -2], [4, 5]])


def test_merged_classes_are_added_and_dropped() -> None:
    merged = merge_classes([[1, 2], [3, 4], [5, 6]], rows=(0, None, 0), columns=(0, 0))
    assert merged.tolist() == [[1 + 2 + 5 + 6]]


def test_merging_needs_a_number_for_each_class() -> None:
    with pytest.raises(ValueError, match="2 classes need 2 new numbers"):
        merge_classes([[1, 2], [3, 4]], columns=(0, 0, 1))


def test_verigray_figures_come_back_at_every_threshold(verigray: Any) -> None:
    gold = (0, 0, None, None, None, 1, 1)
    names = ("balanced_accuracy", "recall", "precision", "f1")
    for detector in verigray["figures"]:
        for row in detector["thresholds"]:
            lowest = verigray["labels"].index(row["lowest_faithful_label"])
            read = tuple(int(label >= lowest) for label in range(7))
            matrix = merge_classes(detector["matrix"], rows=gold, columns=read)
            ours = [from_confusion(getattr(rates, name), matrix) for name in names]
            assert ours == pytest.approx([row[name] for name in names], abs=1e-12)


def test_verigray_macro_f1_comes_back(verigray: Any) -> None:
    for detector in verigray["figures"]:
        ours = from_confusion(rates.macro_f1, detector["matrix"])
        assert ours == pytest.approx(detector["macro_f1"], abs=1e-12)
