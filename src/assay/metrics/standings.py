"""Ranks, how sure they are, and how alike two rankings are.

Replicates are one row for each resample and one column for each of those that are ranked, as
`resample` of `assay.metrics.bootstrap` gives them.
"""

from math import erfc, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.metrics.arrays import Bools, Floats, Ints
from assay.metrics.bootstrap import DEFAULT_RESAMPLING, Resampling, weight_blocks

Floats32 = NDArray[np.float32]

_ROUNDING = 1e-6  # what single precision leaves of a deviation of 0
_MOST_UNEQUAL = 1000  # 2 to the power of less is 0
_erfc = np.vectorize(erfc, otypes=[np.float64])


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


def rank_ranges(replicates: ArrayLike, *, confidence: float = 0.95) -> list[tuple[int, int] | None]:
    """The range that each rank has in the middle part of the replicates.

    Formula: the ranks of each replicate, and their (1 ∓ confidence) / 2 quantiles, each a rank that
    occurs (the inverse of the distribution function). No replicates, or one that is undefined in
    more than a tenth of them: None.
    Reference: Goldstein and Spiegelhalter 1996, League tables and their limitations.

    >>> rank_ranges([[0.1, 0.2, 0.9], [0.2, 0.1, 0.9]])
    [(1, 2), (1, 2), (3, 3)]
    """
    drawn = ranks(np.asarray(replicates, dtype=np.float64))
    found: list[tuple[int, int] | None] = []
    for column in drawn.T:
        known = column[~np.isnan(column)]
        if not known.size or known.size < 0.9 * column.size:
            found.append(None)
            continue
        sides = ((1 - confidence) / 2, (1 + confidence) / 2)
        low, high = np.quantile(known, sides, method="inverted_cdf")
        found.append((int(low), int(high)))
    return found


def kendall_tau(first: ArrayLike, second: ArrayLike) -> Floats:
    """How alike two orders are, along the last axis: Kendall's tau-b, which allows for ties.

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
    """How alike two orders are, along the last axis: Spearman's rank correlation.

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


def pairwise_p_values(
    hits: ArrayLike, counted: ArrayLike, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> Floats:
    """Whether two rates differ, for each pair of columns, on the groups that both have.

    `hits` and `counted` have a row for each group and a column for each that is compared: how many
    of its items count, and how many of these are hits.
    Formula: d is the difference of two columns' rates over groups in which both have items, s its
    standard deviation when groups are drawn with replacement; p = erfc(|d| / (s √2)), but no less
    than 2^(1 - k), where k groups have a difference: the least that a sign test of k groups gives.
    (The share of replicates beyond 0 cannot be less than 2 / (replicates + 1), which no correction
    for many pairs leaves significant.)
    d = 0: p = 1. Fewer than two groups in common: NaN, as on the diagonal.
    Reference: Efron and Tibshirani 1993, chapters 6 and 13 (standard error by the bootstrap).

    >>> p_values = pairwise_p_values([[1, 0], [1, 0], [1, 0], [1, 1]], np.ones((4, 2)))
    >>> float(p_values[0, 1])
    0.25
    """
    wins, n = (np.asarray(each, dtype=np.float32) for each in (hits, counted))
    if (n == n[:, :1]).all():
        spread = _spread_of_equals(wins, n, resampling)
    else:
        spread = _spread_of_pairs(wins, n, resampling)
    hit, items = wins.astype(np.float64), n.astype(np.float64)
    has = (items > 0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (hit.T @ has) / (items.T @ has)  # of each column, on the groups of each other one
        gaps = shares - shares.T
        wald = _erfc(np.abs(gaps) / (spread * sqrt(2)))
    wald[np.isnan(wald) | (gaps == 0)] = 1.0
    found: Floats = np.minimum(np.maximum(wald, 2.0 ** (1 - _unequal(hit, items, has))), 1.0)
    found[gaps == 0] = 1.0
    found[(has.T @ has) < 2] = np.nan
    np.fill_diagonal(found, np.nan)
    return found


def _spread_of_equals(wins: Floats32, n: Floats32, resampling: Resampling) -> Floats:
    """The deviation of differences, where all have as many items in each group."""
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = [
            (weights @ wins) / (weights @ n[:, :1]) for weights in weight_blocks(len(n), resampling)
        ]
    rates = np.concatenate(drawn).astype(np.float64)
    rates = rates[~np.isnan(rates).any(1)]
    if len(rates) < 2:
        return np.full((n.shape[1], n.shape[1]), np.nan)
    around = np.atleast_2d(np.cov(rates, rowvar=False))
    own = np.diag(around)
    squares = own[:, None] + own[None, :] - 2 * around
    found: Floats = np.sqrt(np.maximum(squares, 0.0))
    found[found < _ROUNDING] = 0.0
    return found


def _spread_of_pairs(wins: Floats32, n: Floats32, resampling: Resampling) -> Floats:
    """The deviation of differences, each on the groups that a pair has in common."""
    size = n.shape[1]
    # Groups in which all have as many items are the same for every pair: they are summed once.
    alike = (n == n[:, :1]).all(1)
    even_wins, even_n, wins, n = wins[alike], n[alike, :1], wins[~alike], n[~alike]
    has = (n > 0).astype(np.float32)
    # One item in each group: the totals of a pair are the same.
    is_single = bool((n == has).all())
    totals, squares, times = (np.zeros((size, size)) for _ in range(3))
    for every in weight_blocks(len(alike), resampling):
        weights = every[:, ~alike]
        hits, of = every[:, alike] @ even_wins, every[:, alike] @ even_n
        for first in range(size - 1):
            rest, own = slice(first + 1, size), has[:, first, None]
            both = own * has[:, rest]
            mine, theirs = wins[:, first, None] * both, wins[:, rest] * own
            with np.errstate(invalid="ignore", divide="ignore"):
                if is_single:
                    drawn = hits[:, first, None] - hits[:, rest] + weights @ (mine - theirs)
                    drawn /= of + weights @ both
                else:
                    of_mine, of_theirs = n[:, first, None] * both, n[:, rest] * own
                    drawn = (hits[:, first, None] + weights @ mine) / (of + weights @ of_mine)
                    drawn -= (hits[:, rest] + weights @ theirs) / (of + weights @ of_theirs)
            known = ~np.isnan(drawn)
            drawn = np.where(known, drawn, 0.0)
            totals[first, rest] += drawn.sum(0, dtype=np.float64)
            squares[first, rest] += np.einsum("ij,ij->j", drawn, drawn, dtype=np.float64)
            times[first, rest] += known.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (squares - totals * totals / times) / (times - 1)
    found: Floats = np.triu(np.sqrt(np.maximum(variance, 0.0)), 1)
    found[found < _ROUNDING] = 0.0
    return found + found.T


def _unequal(wins: Floats, n: Floats, has: Floats) -> Ints:
    """In how many groups two columns have different shares, for each pair."""
    found = np.zeros((n.shape[1], n.shape[1]), dtype=np.int64)
    for first in range(n.shape[1]):
        differ = wins[:, first, None] * n != wins * n[:, first, None]
        found[first] = (differ & (has * has[:, first, None] > 0)).sum(0)
    return np.minimum(found, _MOST_UNEQUAL)


def holm(p_values: ArrayLike, *, level: float = 0.05) -> Bools:
    """Which of several tests stay significant when all of them are looked at.

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
