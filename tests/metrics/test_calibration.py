from typing import Any

import numpy as np
import pytest

from assay.metrics import brier_score, calibration_error, reliability_table
from assay.metrics.calibration import Binning

GOLD = [False, False, True, True, True]
SCORE = [0.1, 0.3, 0.4, 0.8, 1.0]


def test_equal_width_bins_by_hand() -> None:
    low, high = reliability_table(GOLD, SCORE, bins=2)
    assert (low.n, low.faithful_share) == (3, 1 / 3)
    assert low.mean_score == pytest.approx(0.8 / 3)
    assert (high.n, high.mean_score, high.faithful_share) == (2, 0.9, 1.0)
    assert (low.low, low.high, high.low, high.high) == (0.1, 0.4, 0.8, 1.0)


def test_calibration_error_weighs_gaps_by_items() -> None:
    # 3/5 x |0.8/3 - 1/3| + 2/5 x |0.9 - 1| = 0.04 + 0.04
    assert calibration_error(GOLD, SCORE, bins=2) == pytest.approx(0.08)


def test_a_score_on_an_edge_belongs_to_the_upper_bin() -> None:
    assert [row.n for row in reliability_table([True] * 3, [0.28, 0.29, 0.295], bins=100)] == [1, 2]
    assert len(reliability_table([True] * 2, [0.95, 1.0], bins=10)) == 1


def test_bins_without_items_are_left_out() -> None:
    assert [row.n for row in reliability_table([True, True], [0.05, 0.95])] == [1, 1]


def test_equal_mass_bins_hold_equally_many() -> None:
    rows = reliability_table([True] * 6, [0.1, 0.11, 0.12, 0.13, 0.8, 0.9], bins=3, binning="mass")
    assert [(row.n, row.low) for row in rows] == [(2, 0.1), (2, 0.12), (2, 0.8)]


def test_equal_scores_stay_in_one_bin() -> None:
    rows = reliability_table([True] * 6, [0.2] * 5 + [0.9], bins=3, binning="mass")
    assert [row.n for row in rows] == [5, 1]


@pytest.mark.parametrize("binning", ["width", "mass"])
def test_right_on_average_within_a_bin_is_calibrated(binning: Binning) -> None:
    gold = [True, False, True, True]
    assert calibration_error(gold, [0.75] * 4, binning=binning) == 0


def test_without_items_nothing_is_measured() -> None:
    assert reliability_table([], []) == ()
    assert calibration_error([], []) is None
    assert calibration_error([], [], binning="mass") is None
    assert brier_score([], []) is None


def test_brier_score_by_hand() -> None:
    # (0.01 + 0.09 + 0.36 + 0.04 + 0) / 5
    assert brier_score(GOLD, SCORE) == pytest.approx(0.1)


def test_scores_are_probabilities() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, not -0\.5 to 2"):
        brier_score([True, False], [-0.5, 2])


def test_bins_must_exist() -> None:
    with pytest.raises(ValueError, match="bins must be 1 or more"):
        reliability_table(GOLD, SCORE, bins=0)


def test_brier_agrees_with_sklearn(sklearn_metrics: Any, random: np.random.Generator) -> None:
    gold, score = random.random(200) < 0.6, random.random(200)
    assert brier_score(gold, score) == pytest.approx(sklearn_metrics.brier_score_loss(gold, score))


@pytest.mark.parametrize(("binning", "strategy"), [("width", "uniform"), ("mass", "quantile")])
def test_table_agrees_with_sklearn(
    binning: Binning, strategy: str, random: np.random.Generator
) -> None:
    curve = pytest.importorskip("sklearn.calibration").calibration_curve
    score = random.random(200)
    gold = random.random(200) < score
    shares, means = curve(gold, score, n_bins=8, strategy=strategy)
    rows = reliability_table(gold, score, bins=8, binning=binning)
    assert [row.faithful_share for row in rows] == pytest.approx(list(shares))
    assert [row.mean_score for row in rows] == pytest.approx(list(means))
