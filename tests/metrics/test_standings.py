"""Ranks and rank correlations, by hand and against scipy."""

from math import erfc, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from assay.metrics import Resampling, standings
from assay.metrics.bootstrap import weight_blocks
from assay.metrics.standings import (
    average_ranks,
    holm,
    holm_rows,
    kendall_tau,
    pairwise_gaps,
    pairwise_p_values,
    rank_sets,
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


def plain_p_value(hits: np.ndarray, counted: np.ndarray, first: int, second: int) -> float:
    """The formula of the docstring, for one pair."""
    both = (counted[:, first] > 0) & (counted[:, second] > 0)
    (a, b), (m, n) = hits[both][:, [first, second]].T, counted[both][:, [first, second]].T
    gap = a.sum() / m.sum() - b.sum() / n.sum()
    if gap == 0:
        return 1.0
    rate = (a.sum() + b.sum()) / (m.sum() + n.sum())
    parts = (a - rate * m) / m.sum() - (b - rate * n) / n.sum()
    assert parts.sum() == pytest.approx(gap)
    unequal = (a * n != b * m).sum()
    score = erfc(abs(gap) / sqrt(2 * (parts**2).sum()))
    return float(min(1.0, max(score, 2.0 ** (1 - unequal))))


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
    found = pairwise_p_values(hits, counted)
    for first in range(5):
        assert np.isnan(found[first, first])
        for second in range(5):
            if first != second:
                wanted = plain_p_value(hits, counted, first, second)
                assert found[first, second] == pytest.approx(wanted, rel=1e-6)
    assert np.array_equal(found, found.T, equal_nan=True)


def test_single_items_are_tested_as_mcnemar_does() -> None:
    # Of 40 sources only the first is wrong on 14 and only the second on 4: (14 - 4)² / 18.
    hits = np.array([[1, 0]] * 14 + [[0, 1]] * 4 + [[0, 0]] * 22)
    wanted = float(stats.chi2.sf(100 / 18, 1))
    assert pairwise_p_values(hits, np.ones((40, 2)))[0, 1] == pytest.approx(wanted)


def test_sources_with_several_items_count_once() -> None:
    # Six sources with ten items each, all or none of them wrong: six observations, not sixty.
    hits = 10 * np.array([[1, 0]] * 5 + [[0, 0]])
    single = pairwise_p_values(hits / 10, np.ones((6, 2)))[0, 1]
    assert pairwise_p_values(hits, np.full((6, 2), 10))[0, 1] == pytest.approx(single)


def test_gaps_are_on_the_sources_of_both() -> None:
    # The first is wrong on one of the two that both have, and on the one that only it has.
    gaps = pairwise_gaps([[1, 0], [0, 0], [1, 0]], [[1, 1], [1, 1], [1, 0]])
    assert gaps[0, 1] == 0.5
    assert np.isnan(pairwise_gaps([[1, 0], [0, 1]], [[1, 0], [0, 1]])[0, 1])


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


def test_each_row_is_corrected_by_itself() -> None:
    # Of all three tests 0.02 is above 0.05 / 3; of the two with the first, 0.02 <= 0.05 / 2.
    p_values = [[np.nan, 0.02, 0.04], [0.02, np.nan, 0.9], [0.04, 0.9, np.nan]]
    assert holm([0.02, 0.04, 0.9]).tolist() == [False, False, False]
    assert holm_rows(p_values).tolist() == [
        [False, True, True],
        [True, False, False],
        [False, False, False],  # 0.04 is above 0.05 / 2
    ]


def test_ranks_that_are_left_by_hand() -> None:
    # b and c differ from a; nothing differs from b but a; the undefined one has no rank.
    differs = np.zeros((4, 4), dtype=bool)
    differs[0, 1] = differs[0, 2] = differs[1, 0] = True
    assert rank_sets([0.1, 0.2, 0.3, np.nan], differs) == [(1, 1), (2, 3), (1, 3), None]


def test_many_groups_are_summed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    counted = random.integers(0, 4, (100, 3))
    hits = random.binomial(counted, 0.4)
    whole = pairwise_p_values(hits, counted), pairwise_gaps(hits, counted)
    monkeypatch.setattr(standings, "_GROUPS", 7)
    pieces = pairwise_p_values(hits, counted), pairwise_gaps(hits, counted)
    for one, other in zip(whole, pieces, strict=True):
        assert np.array_equal(one, other, equal_nan=True)
