"""Bootstrap intervals: what the value might have been with other groups of items.

Groups, such as all sentences about one source, are drawn whole and with replacement, because items
of one group resemble each other. Without groups each item is its own.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.metrics.arrays import Floats, Ints, group_numbers
from assay.metrics.confusion import defined
from assay.metrics.estimates import Estimate, require_confidence
from assay.metrics.rates import Rate
from assay.metrics.small_samples import (
    FEW_GROUPS,
    FEWEST_GROUPS,
    Interval,
    are_few,
    is_stuck,
    jeffreys_draws,
)
from assay.metrics.tables import Tables

Rows = NDArray[np.int64]
Statistic = Callable[[Rows], float | None]
SmallInterval = Callable[[float], Interval | None]  # of a value, where a bootstrap has none

# Replicates drawn together: few enough for the memory, enough for a matrix product.
_BLOCK = 32
_PRODUCT_SIZE = 1 << 19
_WEIGHTS = 1 << 20  # weights that are held at the same time
_REMEMBERED = 1 << 22  # and those of a few calls, in case they are wanted again
_MOST_UNDEFINED = 0.1


@dataclass(frozen=True, slots=True)
class Resampling:
    """The number of replicates, the share that the interval covers, and the seed."""

    replicates: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        if self.replicates < 1:
            raise ValueError(f"replicates must be 1 or more, not {self.replicates}")


DEFAULT_RESAMPLING = Resampling()


def estimate_from_tables(
    rate: Rate, tables: Tables, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> Estimate:
    """A metric of `assay.metrics.rates` with its percentile bootstrap interval.

    Formula: the metric of the summed tables of groups drawn with replacement, as many as there are;
    the interval runs between the (1 ∓ confidence) / 2 quantiles of the replicates. With fewer than
    30 groups, or where such an interval ends at the value or more than a tenth of its replicates
    are undefined, the replicates are `jeffreys_draws`, and the interval reaches to the value at
    least. Fewer than two groups: no interval. Value undefined: None and no interval.
    Reference: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13; clusters:
    Field and Welsh 2007, Bootstrapping clustered data.

    >>> from assay.metrics import rates
    >>> from assay.metrics.tables import matrix_tables
    >>> result = estimate_from_tables(rates.accuracy, matrix_tables([[300, 100], [100, 500]]))
    >>> result.value, round(result.low, 1), round(result.high, 1), result.n
    (0.8, 0.8, 0.8, 1000)
    """
    value = defined(rate(tables.total).item())
    if value is None or tables.groups < 2:
        return Estimate(value, tables.n)
    interval = None
    if not are_few(tables):
        interval = percentile_interval(rate(resample(tables, resampling)), resampling.confidence)
    if interval is None or is_stuck(interval, value):
        interval = _small_interval(rate, tables, value, resampling)
    return Estimate(value, tables.n, *(interval or (None, None)))


def _small_interval(
    rate: Rate, tables: Tables, value: float, resampling: Resampling
) -> Interval | None:
    drawn = jeffreys_draws(tables, resampling.seed)
    found = None if drawn is None else percentile_interval(rate(drawn), resampling.confidence)
    return None if found is None else (min(found[0], value), max(found[1], value))


def estimate_from_rows(
    statistic: Statistic,
    n: int,
    *,
    groups: ArrayLike | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
    small: SmallInterval | None = None,
) -> Estimate:
    """Any statistic of row numbers with its percentile bootstrap interval.

    Formula: as in `estimate_from_tables`; the statistic is computed anew from the rows of each
    replicate, so this works for metrics that are not functions of counts. With fewer than 30
    groups, or where the interval ends at the value or more than a tenth of the replicates are
    undefined, the interval is what `small` gives for the value. Without `small`, there is none in
    these cases, except that ten groups are enough.

    >>> score = np.arange(100) / 100
    >>> result = estimate_from_rows(lambda rows: float(score[rows].mean()), 100)
    >>> round(result.value, 3), result.low < result.value < result.high, result.n
    (0.495, True, 100)
    """
    members = row_groups(groups, n)

    def replicates() -> Floats:
        drawn = [statistic(rows) for rows in resampled_rows(members, resampling)]
        return np.array([np.nan if x is None else x for x in drawn])

    return _estimate(statistic(np.arange(n)), members, replicates, resampling, small)


def estimate_from_weights(
    statistic: Rate,
    n: int,
    *,
    groups: ArrayLike | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
    small: SmallInterval | None = None,
) -> Estimate:
    """Any statistic of the weights of items with its percentile bootstrap interval.

    As `estimate_from_rows`, with the same draws, but for many replicates at a time: the statistic
    gets weights (replicates x items), which are how often each item was drawn, and gives a value
    for each replicate, NaN where it is undefined. See `weighted_auroc`.

    >>> score = np.arange(100) / 100
    >>> mean = lambda weights: weights @ score / weights.sum(1)
    >>> result = estimate_from_weights(mean, 100)
    >>> round(result.value, 3), result.low < result.value < result.high, result.n
    (0.495, True, 100)
    """
    members = row_groups(groups, n)

    def replicates() -> Floats:
        step = max(1, _WEIGHTS // n)
        return np.concatenate(
            [
                statistic(weights[start : start + step, members].astype(np.float64))
                for weights in weight_blocks(int(members.max()) + 1, resampling)
                for start in range(0, len(weights), step)
            ]
        )

    value = defined(statistic(np.ones((1, n))).item())
    return _estimate(value, members, replicates, resampling, small)


def _estimate(
    value: float | None,
    members: Ints,
    replicates: Callable[[], Floats],
    resampling: Resampling,
    small: SmallInterval | None,
) -> Estimate:
    groups = int(members.max(initial=0)) + 1
    if value is None or groups < 2:
        return Estimate(value, members.size)
    interval = None
    if groups >= (FEW_GROUPS if small else FEWEST_GROUPS):
        interval = percentile_interval(replicates(), resampling.confidence)
    if interval is None or is_stuck(interval, value):
        interval = small(value) if small else None
    return Estimate(value, members.size, *(interval or (None, None)))


def resample(tables: Tables, resampling: Resampling) -> Floats:
    """The summed tables of each replicate, as a stack."""
    random = np.random.default_rng(resampling.seed)
    flat = tables.values.reshape(len(tables.values), -1)
    sums = np.empty((resampling.replicates, flat.shape[1]))
    for start in range(0, len(sums), _BLOCK):
        block = sums[start : start + _BLOCK]
        weights = np.empty((len(block), len(flat)))
        for weight in weights:
            weight[:] = _draw(tables.copies, random)
        block[:] = _product(weights, flat)
    return sums.reshape(-1, *tables.values.shape[1:])


def weight_blocks(groups: int, resampling: Resampling) -> Iterable[NDArray[np.float32]]:
    """The number of draws of each group, a row for each replicate, some rows at a time.

    The draws are those that `resample` makes of as many groups. The last few are remembered, since
    many figures are drawn alike.
    """
    if groups * resampling.replicates <= _REMEMBERED:
        return _remembered_blocks(groups, resampling)
    return _weight_blocks(groups, resampling)


@lru_cache(maxsize=4)
def _remembered_blocks(groups: int, resampling: Resampling) -> tuple[NDArray[np.float32], ...]:
    return tuple(_weight_blocks(groups, resampling))


def _weight_blocks(groups: int, resampling: Resampling) -> Iterator[NDArray[np.float32]]:
    random = np.random.default_rng(resampling.seed)
    alone = np.ones(groups, dtype=np.int64)
    step = max(1, _WEIGHTS // max(groups, 1))
    for start in range(0, resampling.replicates, step):
        rows = min(step, resampling.replicates - start)
        weights = np.empty((rows, groups), dtype=np.float32)
        for weight in weights:
            weight[:] = _draw(alone, random)
        weights.flags.writeable = False
        yield weights


def row_groups(groups: ArrayLike | None, n: int) -> Ints:
    """The number of each row's group; without `groups` every row is its own."""
    members = np.arange(n) if groups is None else group_numbers(groups, "groups")
    if len(members) != n:
        raise ValueError(f"{n} rows need {n} groups, not {len(members)}")
    return members


def resampled_rows(members: Ints, resampling: Resampling) -> Iterator[Rows]:
    """The row numbers of each replicate; rows of one group come together."""
    random = np.random.default_rng(resampling.seed)
    order = np.argsort(members, kind="stable")
    sizes = np.bincount(members)
    starts = np.cumsum(sizes) - sizes
    for _ in range(resampling.replicates):
        picked = random.integers(0, sizes.size, sizes.size)
        lengths = sizes[picked]
        shifts = np.repeat(starts[picked] - (np.cumsum(lengths) - lengths), lengths)
        yield order[shifts + np.arange(shifts.size)]


def percentile_interval(replicates: Floats, confidence: float) -> Interval | None:
    """The central part of the replicates; None where too many of them are undefined."""
    values = replicates[~np.isnan(replicates)]
    if values.size < (1 - _MOST_UNDEFINED) * replicates.size:
        return None
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def symmetric_interval(replicates: Floats, value: float, confidence: float) -> Interval | None:
    """A correlation or agreement plus and minus how far most replicates lie from it.

    For what is lower, or higher, in most replicates than in the sample, such as a correlation of
    ranks, to which drawing adds noise: there the central part of the replicates lies on one side.
    Formula: value ± the `confidence` quantile of |replicate - value|, cut at -1 and 1. More than a
    tenth of the replicates undefined, or all equal to the value, which says nothing of how sure it
    is: None.
    Reference: Hall 1988, On symmetric bootstrap confidence intervals, JRSS B 50.

    >>> symmetric_interval(np.array([0.5, 0.6, 0.7, 0.8, 0.8]), 0.8, 0.75)
    (0.6, 1.0)
    """
    away = np.abs(replicates[~np.isnan(replicates)] - value)
    if away.size < (1 - _MOST_UNDEFINED) * replicates.size or not away.any():
        return None
    reach = float(np.quantile(away, confidence))
    return max(value - reach, -1.0), min(value + reach, 1.0)


def _product(weights: Floats, tables: Floats) -> Floats:
    """weights @ tables in pieces: a large product is split among threads, which mostly wait."""
    step = max(_PRODUCT_SIZE // (len(weights) * tables.shape[1]), 1)
    pieces = range(0, len(tables), step)
    starting = np.zeros((len(weights), tables.shape[1]))
    return sum((weights[:, i : i + step] @ tables[i : i + step] for i in pieces), starting)


def _draw(copies: Ints, random: np.random.Generator) -> Ints:
    """The number of draws of each table when as many groups are drawn as there are."""
    total = int(copies.sum())
    if total == copies.size:
        # Every table has one group: the same distribution, ten times faster.
        return np.bincount(random.integers(0, total, total), minlength=total)
    return random.multinomial(total, copies / total)
