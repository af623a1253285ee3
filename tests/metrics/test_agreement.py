from typing import Any

import numpy as np
import pytest

from assay.metrics import cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement

NAN = float("nan")
# Fleiss 1971 as commonly reprinted: 10 units by 14 raters in 5 classes, kappa 0.210.
FLEISS_COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_raw_agreement_of_two_raters_is_the_share_alike() -> None:
    assert raw_agreement([[0, 1, 2, 2], [0, 1, 2, 1]]) == 0.75


def test_each_unit_counts_the_same_however_often_it_is_rated() -> None:
    # unit 1: of 3 pairs 1 agrees; unit 2: its only pair agrees; unit 3: rated once, left out
    ratings = np.array([[0, 4, 1], [0, 4, NAN], [1, NAN, NAN]])
    assert raw_agreement(ratings) == pytest.approx((1 / 3 + 1) / 2)


def test_masked_ratings_are_missing() -> None:
    ratings = np.ma.array([[0, 1], [0, 0]], mask=[[False, False], [False, True]])
    assert raw_agreement(ratings) == 1


@pytest.mark.parametrize("ratings", [[[0, 1, 2]], [[], []], [[NAN, 1], [0, NAN]]])
def test_agreement_needs_two_ratings_of_a_unit(ratings: list[list[float]]) -> None:
    assert raw_agreement(ratings) is None


def test_cohen_kappa_by_hand() -> None:
    # p_o = 7/10; first: 4 and 6, second: 5 and 5; p_e = 0.4 x 0.5 + 0.6 x 0.5 = 0.5
    first = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    second = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1]
    assert cohen_kappa(first, second) == pytest.approx((0.7 - 0.5) / 0.5)


def test_cohen_kappa_is_undefined_without_variation() -> None:
    assert cohen_kappa([1, 1, 1], [1, 1, 1]) is None
    assert cohen_kappa([], []) is None
    assert cohen_kappa([1, 1, 1], [0, 0, 0]) == 0


def test_cohen_kappa_agrees_with_sklearn(sklearn_metrics: Any, random: np.random.Generator) -> None:
    first, second = random.integers(0, 4, (2, 200))
    theirs = sklearn_metrics.cohen_kappa_score(first, second)
    assert cohen_kappa(first, second, classes=4) == pytest.approx(theirs)


def test_fleiss_kappa_of_the_reprinted_example() -> None:
    ratings = np.array([np.repeat(range(5), counts) for counts in FLEISS_COUNTS]).T
    assert fleiss_kappa(ratings) == pytest.approx(0.20993, abs=5e-6)


def test_fleiss_kappa_is_undefined_without_variation_or_a_second_rater() -> None:
    assert fleiss_kappa([[1, 1], [1, 1]]) is None
    assert fleiss_kappa([[1, 0]]) is None
    assert fleiss_kappa([[], []]) is None


def test_fleiss_kappa_refuses_missing_ratings() -> None:
    with pytest.raises(ValueError, match="krippendorff_alpha"):
        fleiss_kappa(np.array([[1, 0], [NAN, 0]]))


def test_fleiss_kappa_is_alpha_without_its_correction(random: np.random.Generator) -> None:
    # 1 - alpha = (1 - kappa) (n - 1) / n for n ratings
    ratings = random.integers(0, 3, (4, 50))
    kappa, alpha = fleiss_kappa(ratings), krippendorff_alpha(ratings)
    assert kappa is not None
    assert alpha == pytest.approx(1 - (1 - kappa) * 199 / 200)


def test_ratings_have_two_axes() -> None:
    with pytest.raises(ValueError, match="raters x units"):
        raw_agreement([1, 2, 3])
