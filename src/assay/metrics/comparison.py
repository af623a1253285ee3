"""Comparisons of two detectors on the same items: better, or merely luckier."""

from dataclasses import dataclass
from math import comb, erfc, ldexp, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, require_same_length, truths
from assay.metrics.bootstrap import (
    DEFAULT_RESAMPLING,
    Resampling,
    Statistic,
    percentile_interval,
    resample,
    resampled_rows,
    row_groups,
)
from assay.metrics.confusion import defined
from assay.metrics.estimates import Estimate
from assay.metrics.rates import Rate
from assay.metrics.small_samples import FEWEST_GROUPS, are_few, is_stuck, jeffreys_draws
from assay.metrics.tables import Tables

# Below this many discordant pairs the chi-square distribution is too coarse.
_FEW = 25


@dataclass(frozen=True, slots=True)
class Comparison:
    """The values of two detectors, their difference with its interval, and the p-value."""

    first: float | None
    second: float | None
    difference: Estimate
    p_value: float | None


@dataclass(frozen=True, slots=True)
class McNemar:
    """Items that only one of two detectors got right, and how unlikely so uneven a split is."""

    only_first: int
    only_second: int
    p_value: float | None
    test: Literal["exact", "chi-square"]


def compare_tables(
    rate: Rate, tables: Tables, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> Comparison:
    """Paired bootstrap of a metric of `assay.metrics.rates`, from `paired_tables`.

    Formula: both detectors are measured on the same drawn groups in each replicate. The interval
    holds the middle of the differences d. p = 2 x (1 + min(#{d <= 0}, #{d >= 0})) /
    (replicates + 1), at most 1: the level at which the interval would just touch 0.
    Where there are fewer than 30 groups, or the interval ends at the difference or more than a
    tenth of the replicates are undefined, the replicates are `jeffreys_draws`. Fewer than two
    groups, or ten of tables without kinds: no interval and no p-value. A value undefined: so is the
    difference. Equal values: difference 0, p = 1.
    Reference: Efron and Tibshirani 1993, chapters 13 and 15; Davison and Hinkley 1997, chapter 4,
    for the added 1.

    >>> from assay.metrics import rates
    >>> from assay.metrics.tables import paired_tables
    >>> gold, good, poor = [True] * 90, [True] * 90, [True] * 45 + [False] * 45
    >>> result = compare_tables(rates.accuracy, paired_tables(gold, good, poor))
    >>> result.first, result.second, result.difference.value, round(result.p_value, 3)
    (1.0, 0.5, 0.5, 0.002)
    """
    first, second = (defined(value) for value in rate(tables.total).tolist())
    if first is None or second is None or tables.groups < 2:
        return _compare(first, second, tables.n, np.zeros(0), resampling)
    differences = (
        np.zeros(0) if are_few(tables) else _differences(rate, resample(tables, resampling))
    )
    if _say_nothing(differences, first - second, resampling):
        drawn = jeffreys_draws(tables, resampling.seed)
        differences = differences if drawn is None else _differences(rate, drawn)
    return _compare(first, second, tables.n, differences, resampling)


def compare_rows(
    first: Statistic,
    second: Statistic,
    n: int,
    *,
    groups: ArrayLike | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Comparison:
    """Paired bootstrap of any two statistics of row numbers, such as the AUROC of two scores.

    Formula and reference as in `compare_tables`. Fewer than ten groups: no interval and no p-value;
    no interval either where it would end at the difference.

    >>> score = np.arange(100) / 100
    >>> mean = lambda rows: float(score[rows].mean())
    >>> compare_rows(mean, mean, 100).p_value
    1.0
    """
    members = row_groups(groups, n)
    values = first(np.arange(n)), second(np.arange(n))
    if None in values or members.max(initial=0) + 1 < FEWEST_GROUPS:
        return _compare(*values, n, np.zeros(0), resampling)
    drawn = ((first(rows), second(rows)) for rows in resampled_rows(members, resampling))
    differences = [np.nan if a is None or b is None else a - b for a, b in drawn]
    return _compare(*values, n, np.array(differences), resampling)


def mcnemar(right_first: ArrayLike, right_second: ArrayLike) -> McNemar:
    """Test of two detectors being right equally often, from the items where only one of them is.

    `right_first` and `right_second` are truth values: whether each detector got the item right.
    Formula: with b items that only the first and c that only the second got right: below 25 such
    items exact, p = min(1, 2 P(X <= min(b, c))) for X binomial with b + c trials of ½; otherwise
    chi-square with one degree of freedom and continuity, (max(|b - c| - 1, 0))² / (b + c).
    Empty: None. No such item: p = 1. Items are taken as independent; for groups use
    `compare_tables`.
    Reference: McNemar 1947, Note on the sampling error of the difference between correlated
    proportions; Edwards 1948 for the continuity correction.

    >>> mcnemar([True] * 9 + [False], [False] * 8 + [True, True])
    McNemar(only_first=8, only_second=1, p_value=0.0390625, test='exact')
    """
    a, b = truths(right_first, "right_first"), truths(right_second, "right_second")
    require_same_length(right_first=a, right_second=b)
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    if only_first + only_second < _FEW:
        p_value = _exact(only_first, only_second) if a.size else None
        return McNemar(only_first, only_second, p_value, "exact")
    p_value = _chi_square(only_first, only_second)
    return McNemar(only_first, only_second, p_value, "chi-square")


def _compare(
    first: float | None, second: float | None, n: int, replicates: Floats, resampling: Resampling
) -> Comparison:
    if first is None or second is None:
        return Comparison(first, second, Estimate(None, n), None)
    difference = Estimate(first - second, n)
    interval = percentile_interval(replicates, resampling.confidence) if replicates.size else None
    if interval is None:
        return Comparison(first, second, difference, None)
    seen = replicates[~np.isnan(replicates)]
    rarer = min(int((seen <= 0).sum()), int((seen >= 0).sum()))
    p_value = 1.0 if first == second else min(1.0, 2 * (1 + rarer) / (1 + seen.size))
    if not is_stuck(interval, first - second):
        low, high = min(interval[0], first - second), max(interval[1], first - second)
        difference = Estimate(first - second, n, low, high)
    return Comparison(first, second, difference, p_value)


def _differences(rate: Rate, counts: Floats) -> Floats:
    values = rate(counts)
    found: Floats = values[:, 0] - values[:, 1]
    return found


def _say_nothing(differences: Floats, value: float, resampling: Resampling) -> bool:
    """True if there are no replicates, or none that an interval could be made of."""
    if not differences.size:
        return True
    interval = percentile_interval(differences, resampling.confidence)
    return interval is None or is_stuck(interval, value)


def _exact(b: int, c: int) -> float:
    tail = sum(comb(b + c, k) for k in range(min(b, c) + 1))
    return min(1.0, ldexp(tail, 1 - b - c))


def _chi_square(b: int, c: int) -> float:
    return erfc(max(abs(b - c) - 1, 0) / sqrt(2 * (b + c)))
