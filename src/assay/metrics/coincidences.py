"""Agreement of raters from coincidences, in the form that the bootstrap resamples.

The coincidences of a unit with m ratings are the ordered pairs of its ratings, each counted
1 / (m - 1). They add up over units and groups, and Krippendorff's alpha, Fleiss' kappa and the raw
agreement are functions of their sums, so that an interval costs little however many units there
are. `ratings` are raters x units, class numbers from 0; a missing rating is NaN.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, Ints, group_numbers, rating_table
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
    """How often each unit with two ratings or more got each class, and its group."""
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
