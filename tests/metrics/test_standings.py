"""Ranks, rank correlations and pairwise tests, by hand and against scipy."""

from math import erfc, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.metrics import Resampling
from assay.metrics.bootstrap import weight_blocks
from assay.metrics.standings import (
    average_ranks,
    holm,
    kendall_tau,
    pairwise_p_values,
    rank_ranges,
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


def test_ranges_hold_the_middle_of_the_ranks() -> None:
    # In 1 of 40 replicates the second is first: outside the middle 95 %; in 2 of 40 inside.
    rows = np.tile([0.1, 0.2], (40, 1))
    rows[0] = [0.2, 0.1]
    assert rank_ranges(rows) == [(1, 1), (2, 2)]
    rows[1] = [0.2, 0.1]
    assert rank_ranges(rows) == [(1, 2), (1, 2)]


def test_what_is_mostly_undefined_has_no_range() -> None:
    rows = np.array([[0.1, np.nan]] * 5 + [[0.1, 0.2]] * 5)
    assert rank_ranges(rows) == [(1, 1), None]
    assert rank_ranges(np.zeros((0, 2))) == [None, None]


def plain_p_value(
    hits: np.ndarray, counted: np.ndarray, first: int, second: int, weights: np.ndarray
) -> float:
    """The formula of the docstring, pair by pair and replicate by replicate."""
    both = (counted[:, first] > 0) & (counted[:, second] > 0)
    h, n = hits[both], counted[both]

    def gap(w: np.ndarray) -> float:
        rates = [(w * h[:, c]).sum() / (w * n[:, c]).sum() for c in (first, second)]
        return float(rates[0] - rates[1])

    value = gap(np.ones(len(h)))
    if value == 0:
        return 1.0
    drawn = [gap(w[both]) for w in weights if w[both].sum()]
    unequal = sum(
        a * m != b * k
        for (a, b), (k, m) in zip(h[:, [first, second]], n[:, [first, second]], strict=True)
    )
    spread = float(np.std(drawn, ddof=1))
    wald = erfc(abs(value) / (spread * sqrt(2))) if spread > 1e-6 else 0.0
    return float(min(1.0, max(wald, 2.0 ** (1 - unequal))))


@pytest.mark.parametrize("kind", ["complete", "gaps", "several"])
def test_p_values_are_those_of_the_plain_formula(kind: str) -> None:
    random = np.random.default_rng(4)
    shape = (40, 5)
    counted = {
        "complete": np.ones(shape),
        "gaps": (random.random(shape) < 0.8).astype(float),
        "several": random.integers(0, 4, shape).astype(float),
    }[kind]
    hits = random.binomial(counted.astype(int), [0.1, 0.15, 0.3, 0.5, 0.5]).astype(float)
    resampling = Resampling(200)
    weights = np.concatenate(list(weight_blocks(40, resampling)))
    found = pairwise_p_values(hits, counted, resampling=resampling)
    for first in range(5):
        assert np.isnan(found[first, first])
        for second in range(5):
            if first != second:
                wanted = plain_p_value(hits, counted, first, second, weights)
                assert found[first, second] == pytest.approx(wanted, rel=1e-3, abs=1e-9)
    assert np.array_equal(found, found.T, equal_nan=True)


def test_few_sources_cannot_be_significant() -> None:
    # Three sources, on each of which only the first is wrong: a sign test gives 2 x 0.5^3.
    found = pairwise_p_values([[1, 0]] * 3, np.ones((3, 2)))
    assert found[0, 1] == 0.25


def test_columns_without_two_groups_in_common_have_no_p_value() -> None:
    counted = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    assert np.isnan(pairwise_p_values(np.zeros((4, 2)), counted)[0, 1])


def test_equal_columns_do_not_differ() -> None:
    assert pairwise_p_values([[1, 1], [0, 0], [1, 1]], np.ones((3, 2)))[0, 1] == 1


def test_holm_by_hand() -> None:
    # 0.05 / 4, / 3, / 2: the third, 0.03, is above 0.025, and all after it fall with it.
    assert holm([0.012, 0.03, 0.016, 0.031]).tolist() == [True, False, True, False]
    assert holm([]).tolist() == []
    assert holm([np.nan, 0.04]).tolist() == [False, True]  # one test only


@given(st.lists(st.floats(0, 0.2), min_size=1, max_size=20))
@settings(max_examples=50)
def test_holm_rejects_what_the_stepwise_procedure_does(p_values: list[float]) -> None:
    left = sorted(range(len(p_values)), key=lambda at: p_values[at])
    rejected = set()
    while left and p_values[left[0]] <= 0.05 / len(left):
        rejected.add(left.pop(0))
    assert {at for at, yes in enumerate(holm(p_values)) if yes} == rejected


def test_weights_are_the_draws_that_intervals_use() -> None:
    from assay.metrics.bootstrap import resample
    from assay.metrics.tables import Tables

    values = np.eye(7)
    tables = Tables(values, np.ones(7, np.int64), 7)
    drawn = np.concatenate(list(weight_blocks(7, Resampling(50, seed=3))))
    assert np.array_equal(resample(tables, Resampling(50, seed=3)), drawn)
