from typing import Any

import pytest

from assay.metrics import Estimate, proportion, wilson_interval
from assay.metrics.estimates import student_quantile


def test_estimate_reads_as_value_interval_and_n() -> None:
    assert str(Estimate(0.734, 1484, 0.69, 0.7774)) == "0.734 [0.690, 0.777] n=1,484"
    assert str(Estimate(0.734, 12)) == "0.734 n=12"
    assert str(Estimate(None, 0)) == "undefined n=0"


def test_wilson_interval_by_hand() -> None:
    # p = 1/2, n = 4, z² = 3.8415: (0.5 + 0.4802 ± 1.96 sqrt(0.0625 + 0.0600)) / 1.9604
    assert wilson_interval(2, 4) == pytest.approx((0.1500, 0.8500), abs=1e-4)


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (1, 1000), (500, 1000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_wilson_interval_agrees_with_scipy(
    stats: Any, successes: int, n: int, confidence: float
) -> None:
    theirs = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    ours = wilson_interval(successes, n, confidence=confidence)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_share_of_nothing_is_undefined() -> None:
    assert wilson_interval(0, 0) is None
    assert proportion(0, 0) == Estimate(None, 0)


def test_all_successes_still_leave_doubt() -> None:
    estimate = proportion(10, 10)
    assert estimate.value == estimate.high == 1
    assert estimate.low == pytest.approx(0.7225, abs=1e-4)


def test_impossible_counts_and_confidences_are_refused() -> None:
    with pytest.raises(ValueError, match="not 6 of 5"):
        wilson_interval(6, 5)
    with pytest.raises(ValueError, match=r"such as 0\.95, not 95"):
        wilson_interval(3, 5, confidence=95)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 99, 1000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_student_quantile_agrees_with_scipy(freedom: int, confidence: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.t(freedom).ppf((1 + confidence) / 2)
    assert student_quantile(confidence, freedom) == pytest.approx(expected, rel=1e-9)
