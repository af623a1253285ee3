from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics import (
    auroc,
    confusion_matrix,
    merge_classes,
    ranking_loss,
    ranking_loss_from_confusion,
)
from assay.metrics.arrays import Floats

FEW = st.integers(0, 6).map(float)
ANY = st.floats(-1e6, 1e6)


def loss_of_all_pairs(gold: Floats, predicted: Floats) -> float | None:
    higher = gold[:, None] > gold[None, :]
    wrong = predicted[:, None] < predicted[None, :]
    tied = predicted[:, None] == predicted[None, :]
    return float((wrong + tied / 2)[higher].mean()) if higher.any() else None


def test_ranking_loss_counts_wrong_pairs_and_half_the_tied() -> None:
    # pairs (higher, lower): (1,0) 0.5 > 0.2 right; (2,0) 0.2 = 0.2 half; (2,1) 0.2 < 0.5 wrong
    assert ranking_loss([0, 1, 2], [0.2, 0.5, 0.2]) == (0 + 0.5 + 1) / 3


def test_items_of_equal_gold_are_not_compared() -> None:
    # only (2, 0) and (2, 0) count: right and wrong
    assert ranking_loss([0, 0, 2], [0.1, 0.9, 0.5]) == 0.5


def test_order_alone_matters() -> None:
    assert ranking_loss([-5, 3, 900], [1, 2, 3]) == 0
    assert ranking_loss([0.25, 0.5, 0.75], [3, 2, 1]) == 1


def test_constant_prediction_loses_half() -> None:
    assert ranking_loss([0, 1, 5], [0.4, 0.4, 0.4]) == 0.5


@pytest.mark.parametrize("gold", [[], [3], [3, 3, 3]])
def test_ranking_loss_needs_two_ranks(gold: list[int]) -> None:
    assert ranking_loss(gold, [0.5] * len(gold)) is None


def test_infinite_scores_are_ordered_and_nan_is_refused() -> None:
    assert auroc([False, True, True], [-np.inf, 0.0, np.inf]) == 1
    with pytest.raises(ValueError, match="predicted has 1 NaN among 2"):
        ranking_loss([0, 1], [np.nan, 1.0])


@settings(deadline=None)
@given(st.lists(st.tuples(FEW | ANY, FEW | ANY), min_size=1, max_size=60))
def test_ranking_loss_equals_the_loop_over_all_pairs(rows: list[tuple[float, float]]) -> None:
    gold, predicted = np.array(rows).T
    expected = loss_of_all_pairs(gold, predicted)
    assert ranking_loss(gold, predicted) == pytest.approx(expected, abs=1e-12)


def test_more_ranks_than_fit_in_sixteen_bits_are_counted(random: np.random.Generator) -> None:
    n = 70_000
    gold = random.permutation(n) / 3
    # Blocks of 1,000 put in reverse: each has 1,000 x 999 / 2 wrong pairs.
    predicted = np.floor(gold * 3 / 1000) * 1000 - gold
    assert ranking_loss(gold, predicted) == pytest.approx(70 * 1000 * 999 / (n * (n - 1)))


def test_agrees_with_somers_d(stats: Any, random: np.random.Generator) -> None:
    gold = random.integers(0, 5, 300)
    predicted = np.round(gold + random.normal(0, 2, 300), 1)
    somers = stats.somersd(gold, predicted).statistic
    assert ranking_loss(gold, predicted) == pytest.approx((1 - somers) / 2)


def test_auroc_counts_pairs() -> None:
    # faithful 0.6 and 0.4 against unfaithful 0.4 and 0.1: 1 + 1 + ½ + 1 of 4
    assert auroc([True, True, False, False], [0.6, 0.4, 0.4, 0.1]) == 3.5 / 4


def test_auroc_needs_both_classes() -> None:
    assert auroc([True, True], [0.1, 0.2]) is None
    assert auroc([], []) is None


def test_auroc_agrees_with_sklearn(sklearn_metrics: Any, random: np.random.Generator) -> None:
    gold = random.random(500) < 0.7
    score = np.round(random.random(500) + 0.3 * gold, 2)
    assert auroc(gold, score) == pytest.approx(sklearn_metrics.roc_auc_score(gold, score))


def test_loss_of_a_matrix_equals_that_of_its_items(random: np.random.Generator) -> None:
    gold, predicted = random.integers(0, 7, (2, 500))
    matrix = confusion_matrix(gold, predicted, 7)
    assert ranking_loss_from_confusion(matrix) == pytest.approx(ranking_loss(gold, predicted))


def test_loss_of_a_matrix_by_hand() -> None:
    # rows 0 and 1 have one pair each way: 2 x (1 + 3) pairs; wrong: the 1 against none; tied:
    # 2 of column 0 with 1 of column 0
    assert ranking_loss_from_confusion([[2, 0], [1, 3]]) == (2 * 1 / 2) / (2 * 4)


def test_matrix_with_one_gold_class_has_no_loss() -> None:
    assert ranking_loss_from_confusion([[0, 0], [1, 3]]) is None


@pytest.mark.parametrize(
    ("detector", "published"),
    [("GPT-5", 0.3604321114293988), ("DeepSeek-R1", 0.34106311660485367)],
)
def test_verigray_ranking_loss_comes_back(verigray: Any, detector: str, published: float) -> None:
    figures = {row["detector"]: row for row in verigray["figures"]}
    lowest = verigray["labels"].index("implicitly-supported")
    columns = tuple(int(label >= lowest) for label in range(7))
    matrix = merge_classes(figures[detector]["matrix"], columns=columns)
    assert ranking_loss_from_confusion(matrix) == pytest.approx(published, abs=1e-12)
    gold, predicted = np.repeat(np.indices(matrix.shape).reshape(2, -1), matrix.ravel(), axis=1)
    assert ranking_loss(gold, predicted) == pytest.approx(published, abs=1e-12)
