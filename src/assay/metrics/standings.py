"""Ranks: how alike two rankings are, and which ranks the tests of all pairs of rates allow.

`hits` and `counted` have a row for each group, such as a source, and a column for each that is
compared: how many of its items count, and how many of these are hits.
"""

from math import erfc

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.metrics.arrays import Bools, Floats, Ints

Floats32 = NDArray[np.float32]


def ranks(values: ArrayLike) -> Floats:
    """The rank of each value along the last axis, the lowest first; equal values share one.

    Formula: 1 + the number of lower values. Undefined (NaN): NaN, and it moves no other rank.
    Reference: standard competition ranking.

    >>> ranks([0.5, 0.1, 0.5, 0.9]).tolist()
    [2.0, 1.0, 2.0, 4.0]
    """
    given = np.asarray(values, dtype=np.float64)
    order, starts, _ = _runs(given)
    return _back(starts.astype(np.float64) + 1, order, given)


def average_ranks(values: ArrayLike) -> Floats:
    """The rank of each value along the last axis, in which equal values have their mean place.

    Formula: the number of lower values + (the number of equal ones, itself too, + 1) / 2.
    Undefined (NaN): NaN.
    Reference: Kendall 1945, The treatment of ties in ranking problems.

    >>> average_ranks([0.5, 0.1, 0.5, 0.9]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    given = np.asarray(values, dtype=np.float64)
    order, starts, ends = _runs(given)
    return _back((starts + ends).astype(np.float64) / 2 + 1, order, given)


def kendall_tau(first: ArrayLike, second: ArrayLike) -> Floats:
    """The likeness of two orders along the last axis: Kendall's tau-b, which allows for ties.

    Formula: (C - D) / √((P - T₁)(P - T₂)) over all P pairs, of which C are in the same order, D in
    opposite orders, and T tied in one. NaN where one order is constant or there are no pairs.
    Reference: Kendall 1945, The treatment of ties in ranking problems.

    >>> round(float(kendall_tau([1, 2, 2, 4], [1, 3, 2, 4])), 3)
    0.913
    """
    return tau_from_signs(pair_signs(first), pair_signs(second))


def pair_signs(values: ArrayLike) -> Floats32:
    """For each pair of places along the last axis: whether the first is lower, equal or higher.

    What `tau_from_signs` needs; to be kept where an order is compared with several others.
    """
    given = np.asarray(values, dtype=np.float64)
    one, other = np.triu_indices(given.shape[-1], 1)
    found: Floats32 = np.sign(given[..., one] - given[..., other]).astype(np.float32)
    return found


def tau_from_signs(first: Floats32, second: Floats32) -> Floats:
    """Kendall's tau-b of two orders from the signs of their pairs."""
    agreed, ties, others = (
        np.einsum("...i,...i->...", a, b).astype(np.float64)
        for a, b in ((first, second), (first, first), (second, second))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = agreed / np.sqrt(ties * others)
    return found


def spearman_rho(first: ArrayLike, second: ArrayLike) -> Floats:
    """The likeness of two orders along the last axis: Spearman's rank correlation.

    Formula: the correlation (Pearson's) of the ranks, in which equal values have their mean place.
    NaN where one order is constant.
    Reference: Spearman 1904, The proof and measurement of association between two things.

    >>> round(float(spearman_rho([1, 2, 3, 4], [1, 3, 2, 4])), 3)
    0.8
    """
    return pearson(average_ranks(first), average_ranks(second))


def pearson(first: Floats, second: Floats) -> Floats:
    """The linear correlation along the last axis; NaN where one side is constant."""
    a, b = (x - x.mean(-1, keepdims=True) if x.shape[-1] else x for x in (first, second))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    return found


def _runs(values: Floats) -> tuple[Ints, Ints, Ints]:
    """The order along the last axis, and for each place where the run of equal values lies."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, -1)
    places = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    rises = np.ones(values.shape, dtype=np.bool_)
    rises[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    starts = np.maximum.accumulate(np.where(rises, places, 0), axis=-1)
    falls = np.ones(values.shape, dtype=np.bool_)
    falls[..., :-1] = rises[..., 1:]
    last = values.shape[-1] - 1
    back = np.where(falls, places, last)[..., ::-1]
    ends = np.minimum.accumulate(back, axis=-1)[..., ::-1]
    return order, starts, ends


def _back(ordered: Floats, order: Ints, values: Floats) -> Floats:
    """Numbers in rising order put where their values stand; NaN stays NaN."""
    found = np.empty(values.shape)
    np.put_along_axis(found, order, ordered, -1)
    found[np.isnan(values)] = np.nan
    return found


_MOST_UNEQUAL = 1000  # 2 to the power of less is 0
_GROUPS = 1 << 14  # that are looked at together
_erfc = np.vectorize(erfc, otypes=[np.float64])


def pairwise_gaps(hits: ArrayLike, counted: ArrayLike) -> Floats:
    """The difference of the rates of two columns, for each pair, on the groups that both have.

    Formula: hits / counted of the one - hits / counted of the other, over the groups in which both
    have items. No group in common: NaN.

    >>> pairwise_gaps([[1, 0], [0, 0], [1, 0]], [[1, 1], [1, 1], [1, 0]]).tolist()
    [[0.0, 0.5], [-0.5, 0.0]]
    """
    return _gaps(_sums(hits, counted))


def _gaps(sums: "_PairSums") -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = sums.hits / sums.items  # of each column, on the groups of each other one
    found: Floats = shares - shares.T
    return found


def pairwise_p_values(hits: ArrayLike, counted: ArrayLike) -> Floats:
    """The p-value of the difference of two rates, for each pair of columns, on groups of both.

    Formula: d = Σ u is the difference of the two rates, u = (a - r m) / M - (b - r n) / N in each
    group, where a of m and b of n items are hits, M and N are all items of the two, and r is the
    rate of both together; p = erfc(|d| / √(2 Σ u²)), but no less than 2^(1 - k), where k groups
    have a difference: the least that a sign test of k groups gives. With one item in each group
    this is McNemar's test without continuity correction, and never below its exact form's least.
    d = 0: p = 1. Fewer than two groups in common: NaN, as on the diagonal.
    Reference: McNemar 1947; for groups, Durkalski et al. 2003, Analysis of clustered matched-pair
    data, Statistics in Medicine 22.

    >>> p_values = pairwise_p_values([[1, 0], [1, 0], [1, 0], [1, 1]], np.ones((4, 2)))
    >>> float(p_values[0, 1])
    0.25
    """
    sums = _sums(hits, counted)
    gaps = _gaps(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        wald = _erfc(np.abs(gaps) / np.sqrt(2 * _squares(sums)))
    wald[np.isnan(wald)] = 1.0
    unequal = np.minimum(sums.unequal, _MOST_UNEQUAL)
    found: Floats = np.minimum(np.maximum(wald, 2.0 ** (1 - unequal)), 1.0)
    found[gaps == 0] = 1.0
    found[sums.shared < 2] = np.nan
    np.fill_diagonal(found, np.nan)
    return found


class _PairSums:
    """Sums over the groups that both columns of a pair have; of counts, so they are exact.

    `hits` and `items` are those of the column of the row, `hits_squared`, `hits_items` and
    `items_squared` are of products of its own numbers, and the last four of those of both.
    """

    def __init__(self, columns: int) -> None:
        sums = (np.zeros((columns, columns)) for _ in range(9))
        self.hits, self.items, self.shared, *rest = sums
        self.hits_squared, self.hits_items, self.items_squared, *rest = rest
        self.both_hits, self.hits_by_items, self.both_items = rest
        self.unequal = np.zeros((columns, columns), dtype=np.int64)  # groups of different shares

    def add(self, wins: Floats, n: Floats) -> None:
        """Adds some groups."""
        has = (n > 0).astype(np.float64)
        self.hits += wins.T @ has
        self.items += n.T @ has
        self.shared += has.T @ has
        self.hits_squared += (wins**2).T @ has
        self.hits_items += (wins * n).T @ has
        self.items_squared += (n**2).T @ has
        self.both_hits += wins.T @ wins
        self.hits_by_items += wins.T @ n
        self.both_items += n.T @ n
        for first in range(n.shape[1]):
            differ = wins[:, first, None] * n != wins * n[:, first, None]
            self.unequal[first] += (differ & (has * has[:, first, None] > 0)).sum(0)


def _sums(hits: ArrayLike, counted: ArrayLike) -> _PairSums:
    """The sums of all pairs, some groups at a time."""
    wins, n = np.asarray(hits), np.asarray(counted)
    sums = _PairSums(n.shape[1])
    for start in range(0, len(n), _GROUPS):
        some = slice(start, start + _GROUPS)
        sums.add(wins[some].astype(np.float64), n[some].astype(np.float64))
    return sums


def _squares(sums: _PairSums) -> Floats:
    """Sum u² of each pair: the variance of a difference if there is none."""
    rate = (sums.hits + sums.hits.T) / (sums.items + sums.items.T)
    own = sums.hits_squared - 2 * rate * sums.hits_items + rate**2 * sums.items_squared
    crossed = sums.hits_by_items + sums.hits_by_items.T
    both = sums.both_hits - rate * crossed + rate**2 * sums.both_items
    own /= sums.items**2
    found: Floats = np.maximum(own + own.T - 2 * both / (sums.items * sums.items.T), 0.0)
    return found


def holm(p_values: ArrayLike, *, level: float = 0.05) -> Bools:
    """The tests that stay significant when all of them are looked at.

    Formula: of m p-values in rising order, the i-th is significant if it and all before it are at
    most level / (m - i + 1). Undefined (NaN) ones are no tests, and not significant.
    Reference: Holm 1979, A simple sequentially rejective multiple test procedure.

    >>> holm([0.01, 0.04, 0.02]).tolist()
    [True, True, True]
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [True, False, False]
    """
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given)  # NaN last
    tests = int((~np.isnan(given)).sum())
    allowed = level / np.maximum(tests - np.arange(given.size), 1)
    passed = np.logical_and.accumulate(given[order] <= allowed)
    found = np.zeros(given.size, dtype=np.bool_)
    found[order] = passed
    return found


def holm_rows(p_values: ArrayLike, *, level: float = 0.05) -> Bools:
    """The tests that stay significant when only those of their row are looked at.

    `p_values` are of pairs; row i has the comparisons with i. Formula: `holm` of each row. That i
    differs from j among its comparisons does not mean that j differs from i among its own.

    >>> holm_rows([[np.nan, 0.02, 0.03], [0.02, np.nan, 0.9], [0.03, 0.9, np.nan]]).tolist()
    [[False, True, True], [True, False, False], [False, False, False]]
    """
    given = np.asarray(p_values, dtype=np.float64)
    found: Bools = np.array([holm(row, level=level) for row in given]).reshape(given.shape)
    return found


def rank_sets(values: ArrayLike, differs: ArrayLike) -> list[tuple[int, int] | None]:
    """The ranks that each value may have, the lowest first, given which others differ from it.

    `differs` has in row i which others differ from i: of `holm_rows`, which makes the ranks of i a
    confidence set at one minus its level. Formula: from 1 + the number of lower values that differ
    to m - the number of higher ones that differ, of m values. Undefined (NaN): None.
    Reference: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries.

    >>> nothing, first_and_last = np.zeros((3, 3), bool), np.zeros((3, 3), bool)
    >>> first_and_last[[0, 2], [2, 0]] = True
    >>> rank_sets([0.0, 0.2, 0.9], nothing)
    [(1, 3), (1, 3), (1, 3)]
    >>> rank_sets([0.0, 0.2, 0.9], first_and_last)
    [(1, 2), (1, 3), (2, 3)]
    """
    given, apart = np.asarray(values, dtype=np.float64), np.asarray(differs, dtype=np.bool_)
    known = ~np.isnan(given)
    lower = (apart & (given < given[:, None])).sum(1)
    higher = (apart & (given > given[:, None])).sum(1)
    return [
        (1 + int(below), int(known.sum() - above)) if is_known else None
        for below, above, is_known in zip(lower, higher, known, strict=True)
    ]
