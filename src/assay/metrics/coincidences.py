"""Agreement of raters from coincidences, in the form that the bootstrap resamples.

The coincidences of a unit with m ratings are the ordered pairs of its ratings, each counted
1 / (m - 1). They add up over units and groups, and Krippendorff's alpha, Fleiss' kappa and the raw
agreement are functions of their sums, so that an interval costs little however many units there
are. `ratings` are raters x units, class numbers from 0; a missing rating is NaN.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, Ints, group_numbers, rating_table
from assay.metrics.bootstrap import Resampling, resample, symmetric_interval
from assay.metrics.estimates import Estimate
from assay.metrics.rates import Rate, ratio
from assay.metrics.tables import Tables, share_tables


def coincidence_tables(ratings: ArrayLike, *, groups: ArrayLike, classes: int) -> Tables:
    """The coincidences of each group; only units with two ratings or more count.

    >>> tables = coincidence_tables([[0, 0, 1], [0, 1, 1]], groups=[4, 4, 9], classes=2)
    >>> tables.total.tolist(), tables.n
    ([[2.0, 1.0], [1.0, 2.0]], 3)
    """
    counts, members = _counted(ratings, groups, classes)
    size = int(members.max(initial=-1)) + 1
    others = counts.sum(1) - 1
    values = np.zeros((size, classes, classes))
    for first in range(classes):
        for second in range(classes):
            pairs = counts[:, first] * (counts[:, second] - (first == second)) / others
            values[:, first, second] = np.bincount(members, weights=pairs, minlength=size)
    return Tables(values, np.ones(size, np.int64), len(counts))


def raw_tables(ratings: ArrayLike, *, groups: ArrayLike, classes: int) -> Tables:
    """For each group the sum of its units' raw agreement, and how many units there are.

    >>> raw_tables([[0, 0, 1], [0, 1, 1]], groups=[4, 4, 9], classes=2).values.tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    counts, members = _counted(ratings, groups, classes)
    size = int(members.max(initial=-1)) + 1
    raters = counts.sum(1)
    agreeing = (counts * (counts - 1)).sum(1) / (raters * (raters - 1))
    sums = (np.bincount(members, weights=each, minlength=size) for each in (agreeing, raters > 0))
    return share_tables(*sums)


def alpha(level: Literal["nominal", "ordinal", "interval"] = "nominal") -> Rate:
    """Krippendorff's alpha of coincidences; see `krippendorff_alpha` for formula and conventions.

    The ordinal difference of two classes is that of their midranks among all ratings, squared; the
    interval difference is that of their numbers, squared.
    """

    def rate(coincidences: Floats) -> Floats:
        sizes = coincidences.sum(-1)
        n = sizes.sum(-1)
        differences = _differences(sizes, level)
        observed = (coincidences * differences).sum((-2, -1))
        by_chance = (sizes[..., :, None] * sizes[..., None, :] * differences).sum((-2, -1))
        return 1 - ratio(observed * (n - 1), by_chance)

    return rate


def fleiss_kappa(coincidences: Floats) -> Floats:
    """Fleiss' kappa of coincidences of units that were all rated equally often."""
    sizes = coincidences.sum(-1)
    n = sizes.sum(-1)
    agreeing = np.trace(coincidences, axis1=-2, axis2=-1)
    by_chance = (sizes**2).sum(-1)
    return ratio(n * agreeing - by_chance, n * n - by_chance)


def _counted(ratings: ArrayLike, groups: ArrayLike, classes: int) -> tuple[Floats, Ints]:
    """The counts of each class for each unit with two ratings or more, and its group."""
    table = rating_table(ratings)
    counts = np.stack([(table == number).sum(0) for number in range(classes)], axis=1)
    kept = counts.sum(1) >= 2
    members = np.asarray(groups)[kept]
    numbers = group_numbers(members, "groups") if kept.any() else np.zeros(0, np.int64)
    return counts[kept].astype(np.float64), numbers


def _differences(sizes: Floats, level: str) -> Floats:
    if level == "nominal":
        return np.broadcast_to(1 - np.eye(sizes.shape[-1]), (*sizes.shape, sizes.shape[-1]))
    if level == "interval":
        ranks = np.broadcast_to(np.arange(sizes.shape[-1], dtype=np.float64), sizes.shape)
    else:
        ranks = np.cumsum(sizes, -1) - sizes / 2
    squared: Floats = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    return squared


def batch_alpha(
    ratings: ArrayLike,
    *,
    batches: ArrayLike,
    groups: ArrayLike,
    classes: int,
    resampling: Resampling,
) -> Estimate:
    """Interval alpha of each batch, averaged over the batches, with a bootstrap interval.

    Formula: the mean of `krippendorff_alpha(..., level="interval")` over batches; class numbers are
    the values. A batch in which everybody gave the same class counts as 1, where alpha itself is
    0 / 0. A batch without a unit that was rated twice does not count; none that does: None.
    Replicates draw groups with replacement within each batch. Small batches lose classes by that,
    so that alpha is lower in most of them; the interval is symmetric around the value. No batch
    with two groups: no interval.
    Reference: Bao et al. 2025, FaithBench, section 3.1, and the authors' notebook.

    >>> table = [[0, 1, 1, 1], [0, 1, 1, 1]]
    >>> batch_alpha(table, batches=[1, 1, 2, 2], groups=range(4), classes=2,
    ...             resampling=Resampling(replicates=10)).value
    1.0
    """
    table, places = rating_table(ratings), np.asarray(batches)
    sources = np.asarray(groups)
    found = [
        tables
        for batch in dict.fromkeys(places.tolist())
        if (tables := _of_batch(table, places == batch, sources, classes)).n
    ]
    n = sum(tables.n for tables in found)
    if not found:
        return Estimate(None, 0)
    value = float(np.mean([_alpha(tables.total) for tables in found]))
    if all(tables.groups < 2 for tables in found):
        return Estimate(value, n)
    # Draws of their own for each batch: with the same ones, luck would not even out.
    seeds = np.random.SeedSequence(resampling.seed).generate_state(len(found)).tolist()
    drawn = np.mean(
        [
            _alpha(resample(tables, replace(resampling, seed=seed)))
            for tables, seed in zip(found, seeds, strict=True)
        ],
        axis=0,
    )
    interval = symmetric_interval(drawn, value, resampling.confidence)
    return Estimate(value, n, *(interval or (None, None)))


def count_batches(ratings: ArrayLike, *, batches: ArrayLike) -> int:
    """The number of batches with a unit that was rated twice."""
    rated = (~np.isnan(rating_table(ratings))).sum(0) >= 2
    return len(set(np.asarray(batches)[rated].tolist()))


def _of_batch(table: Floats, inside: Floats, groups: Floats, classes: int) -> Tables:
    return coincidence_tables(table[:, inside], groups=groups[inside], classes=classes)


def _alpha(coincidences: Floats) -> Floats:
    return np.nan_to_num(alpha("interval")(coincidences), nan=1.0)
