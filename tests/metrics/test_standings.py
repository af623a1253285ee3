"""Ranks and rank correlations, by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.metrics import Resampling
from assay.metrics.bootstrap import weight_blocks
from assay.metrics.standings import (
    average_ranks,
    kendall_tau,
    ranks,
    spearman_rho,
)

orders = st.lists(st.integers(0, 6), min_size=2, max_size=12)


def test_equal_values_share_a_rank_and_undefined_ones_have_none() -> None:
    found = ranks([0.2, 0.1, 0.2, np.nan, 0.9])
    assert found.tolist()[:3] == [2, 1, 2]
    assert np.isnan(found[3])
    assert found[4] == 4


@given(orders)
def test_ranks_are_those_of_scipy(values: list[int]) -> None:
    assert ranks(values).tolist() == stats.rankdata(values, "min").tolist()
    assert average_ranks(values).tolist() == stats.rankdata(values).tolist()


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
def test_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    a, b = map(list, zip(*pairs, strict=True))
    tau, rho = float(kendall_tau(a, b)), float(spearman_rho(a, b))
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert np.isnan(tau)
        assert np.isnan(rho)
    else:
        assert tau == pytest.approx(stats.kendalltau(a, b).statistic)
        assert rho == pytest.approx(stats.spearmanr(a, b).statistic)


def test_correlations_go_along_the_last_axis() -> None:
    one, other = [[1, 2, 3], [3, 2, 1]], [[1, 2, 3], [1, 2, 3]]
    assert kendall_tau(one, other).tolist() == [1, -1]
    assert spearman_rho(one, other).tolist() == pytest.approx([1, -1])


def test_fewer_than_two_values_have_no_correlation() -> None:
    assert np.isnan(kendall_tau([1.0], [2.0]))
    assert np.isnan(spearman_rho([1.0], [2.0]))


def test_weights_are_the_draws_that_intervals_use() -> None:
    from assay.metrics.bootstrap import resample
    from assay.metrics.tables import Tables

    values = np.eye(7)
    tables = Tables(values, np.ones(7, np.int64), 7)
    drawn = np.concatenate(list(weight_blocks(7, Resampling(50, seed=3))))
    assert np.array_equal(resample(tables, Resampling(50, seed=3)), drawn)
