"""Shares whose intervals resample sources."""

import pytest

from assay.evaluation.shares import SourceShare, share_of
from assay.metrics import Estimate, proportion


def test_one_unit_a_source_is_a_plain_proportion() -> None:
    assert share_of((str(n), n < 3) for n in range(8)) == proportion(3, 8)
    assert share_of(()) == Estimate(None, 0)


@pytest.mark.parametrize(("is_counted", "successes"), [(False, 0), (True, 4)])
def test_none_and_all_have_the_width_of_their_sources(is_counted: bool, successes: int) -> None:
    found = share_of((str(n % 4), is_counted) for n in range(12))
    # Four sources of three units each: about Beta(4.5, 0.5), whose 2.5 % quantile is 0.558.
    assert (found.n, found.value) == (12, successes / 4)
    ends = (0.558, 1.0) if successes else (0.0, 1 - 0.558)
    assert (found.low, found.high) == pytest.approx(ends, abs=0.02)


def test_one_source_has_no_interval() -> None:
    assert share_of([("a", True), ("a", False)]) == Estimate(0.5, 2)


def test_interval_of_equal_sources_is_narrow_and_of_others_is_wide() -> None:
    even = share_of((str(n // 2), n % 2 == 0) for n in range(40))
    assert (even.value, even.low, even.high) == pytest.approx((0.5, 0.45, 0.55), abs=0.02)
    found = SourceShare()
    for n in range(40):
        found.add(str(n // 2), n // 2 % 2 == 0)
    torn = found.estimate()
    assert (found.count, found.n, torn.value) == (20, 40, 0.5)
    assert torn.low is not None
    assert torn.high is not None
    assert torn.high - torn.low > 0.35  # two standard errors of 20 sources are 0.22 each way
