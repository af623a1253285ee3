"""Agreement within batches, each with annotators of its own, averaged: FaithBench's convention."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, rating_table
from assay.metrics.bootstrap import Resampling, resample, symmetric_interval
from assay.metrics.coincidences import alpha, coincidence_tables
from assay.metrics.estimates import Estimate
from assay.metrics.tables import Tables


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
    """How many batches have a unit that was rated twice."""
    rated = (~np.isnan(rating_table(ratings))).sum(0) >= 2
    return len(set(np.asarray(batches)[rated].tolist()))


def _of_batch(table: Floats, inside: Floats, groups: Floats, classes: int) -> Tables:
    return coincidence_tables(table[:, inside], groups=groups[inside], classes=classes)


def _alpha(coincidences: Floats) -> Floats:
    return np.nan_to_num(alpha("interval")(coincidences), nan=1.0)
