from typing import Any

import numpy as np
import pytest

from assay.metrics import risk_at_coverage, risk_coverage, selective_area

GOLD = [True, False, True, True, False]
SCORE = [0.9, 0.8, 0.8, 0.5, 0.1]


def test_curve_has_one_point_for_each_distinct_score() -> None:
    curve = risk_coverage(GOLD, SCORE)
    assert curve.thresholds.tolist() == [0.9, 0.8, 0.5, 0.1]
    assert curve.coverages.tolist() == [1 / 5, 3 / 5, 4 / 5, 5 / 5]
    assert curve.risks.tolist() == [0 / 1, 1 / 3, 1 / 4, 2 / 5]


def test_area_is_the_mean_risk_over_items() -> None:
    # 0.9: 0; twice 0.8: 1/3; 0.5: 1/4; 0.1: 2/5
    assert selective_area(GOLD, SCORE) == pytest.approx((0 + 2 / 3 + 1 / 4 + 2 / 5) / 5)


def test_area_with_distinct_scores_is_the_mean_of_running_risks(
    random: np.random.Generator,
) -> None:
    gold, score = random.random(200) < 0.7, random.random(200)
    ordered = ~gold[np.argsort(-score)]
    running = np.cumsum(ordered) / np.arange(1, 201)
    assert selective_area(gold, score) == pytest.approx(running.mean())


def test_perfect_order_has_the_smallest_area(random: np.random.Generator) -> None:
    gold = random.random(50) < 0.7
    score = gold + random.random(50) / 2
    best = risk_coverage(gold, score).area
    assert best is not None
    for _ in range(20):
        other = selective_area(gold, random.permutation(score))
        assert other is not None
        assert best <= other


def test_constant_score_has_the_overall_risk() -> None:
    assert selective_area(GOLD, [0.5] * 5) == 0.4
    assert risk_at_coverage(GOLD, [0.5] * 5, 0.01) == 0.4


def test_risk_at_coverage_takes_tied_items_together() -> None:
    assert risk_at_coverage(GOLD, SCORE, 0.2) == 0
    assert risk_at_coverage(GOLD, SCORE, 0.4) == 1 / 3
    assert risk_at_coverage(GOLD, SCORE, 0.6) == 1 / 3
    assert risk_at_coverage(GOLD, SCORE, 1) == 2 / 5


def test_rounding_does_not_ask_for_one_item_more() -> None:
    assert risk_at_coverage([True] * 3 + [False] * 7, np.arange(10, 0, -1), 0.1 + 0.2) == 0


def test_without_items_there_is_no_risk() -> None:
    assert risk_coverage([], []).risks.size == 0
    assert selective_area([], []) is None
    assert risk_at_coverage([], [], 0.5) is None


def test_coverage_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="coverage must be above 0"):
        risk_at_coverage(GOLD, SCORE, 0)


def test_verigray_risk_falls_as_the_threshold_rises(verigray: Any) -> None:
    # The paper finds a falling risk that stays above 5 %; gold is read as faithful from
    # implicitly-supported upwards, the gray labels are left out.
    for detector in verigray["figures"]:
        matrix = np.array(detector["matrix"])[[0, 1, 5, 6]]
        gold, score = np.repeat(np.indices(matrix.shape).reshape(2, -1), matrix.ravel(), axis=1)
        curve = risk_coverage(gold >= 2, score)
        risks = dict(zip(curve.thresholds.tolist(), curve.risks.tolist(), strict=True))
        assert 0.05 < risks[6] < risks[5] < risks[4]
