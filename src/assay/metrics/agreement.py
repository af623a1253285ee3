"""Agreement of raters, raw and beyond chance.

`ratings` are raters x units, class numbers; a missing rating is NaN or masked.

No coincidence matrix is built for Krippendorff's alpha. With squared differences the disagreement
of a unit follows from the sum and the sum of squares of its ratings; the ordinal difference of two
values is the difference of their midranks; nominal disagreement follows from counts of equal
ratings. Time is O(n log r) for n ratings by r raters, plus a sort where values are not whole
numbers.
"""

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import rates
from assay.metrics.arrays import Floats, order_codes, rating_table
from assay.metrics.confusion import confusion_matrix, from_confusion


def raw_agreement(ratings: ArrayLike) -> float | None:
    """Chance that two raters of a unit agree.

    Formula: mean over the units with two or more ratings of agreeing pairs / pairs of ratings.
    No such unit: None. All ratings alike: 1.

    >>> raw_agreement([[0, 1, 1], [0, 1, 0], [0, 1, float("nan")]])
    0.6666666666666666
    """
    table = rating_table(ratings)
    raters = (~np.isnan(table)).sum(0)
    rated_twice = raters >= 2
    if not rated_twice.any():
        return None
    pairs = raters * (raters - 1) / 2
    return float(np.mean(agreeing_pairs(table)[rated_twice] / pairs[rated_twice]))


def cohen_kappa(first: ArrayLike, second: ArrayLike, *, classes: int = 2) -> float | None:
    """Agreement of two raters beyond what their own label shares would give by chance.

    Formula: (p_o - p_e) / (1 - p_e), p_o the share of equal ratings, p_e = Σ share of the class
    with the first x with the second. Classes are unordered.
    Empty, or both raters give one and the same class throughout (0 / 0): None.
    Reference: Cohen 1960, A coefficient of agreement for nominal scales.

    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    return from_confusion(rates.cohen_kappa, confusion_matrix(first, second, classes))


def fleiss_kappa(ratings: ArrayLike) -> float | None:
    """Agreement of any number of raters beyond chance, each unit rated equally often.

    Formula: (P - P_e) / (1 - P_e), P the raw agreement and P_e = Σ (share of the class)².
    No units, a single rater, or one class throughout (0 / 0): None. A missing rating raises: use
    `krippendorff_alpha`, which allows it.
    Reference: Fleiss 1971, Measuring nominal scale agreement among many raters.

    >>> round(fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 0]]), 4)
    0.4667
    """
    table = rating_table(ratings)
    if np.isnan(table).any():
        raise ValueError(
            "Fleiss' kappa needs every rating; use krippendorff_alpha where some are missing"
        )
    observed = raw_agreement(table)
    shares = np.bincount(order_codes(table.ravel())) / max(table.size, 1)
    by_chance = float((shares**2).sum())
    if observed is None or np.count_nonzero(shares) < 2:
        return None
    return (observed - by_chance) / (1 - by_chance)


def agreeing_pairs(table: Floats) -> Floats:
    """For each unit, the number of pairs of equal ratings; NaN equals nothing."""
    ordered = np.sort(table, axis=0)
    pairs = np.zeros(table.shape[1])
    run = np.zeros(table.shape[1])
    for before, rating in pairwise(ordered):
        # Sorted, a rating pairs with every equal one just before it.
        run = (run + 1) * (rating == before)
        pairs += run
    return pairs


Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(ratings: ArrayLike, *, level: Level = "nominal") -> float | None:
    """Agreement beyond chance: 1 is perfect, 0 is chance, below 0 is systematic disagreement.

    Formula: 1 - D_o / D_e. D_o is the mean difference of two ratings of the same unit, each unit
    with m ratings weighted by m; D_e that of any two ratings. Only units with two or more ratings
    count. Difference: nominal [a ≠ b]; ordinal (midrank a - midrank b)²; interval (a - b)².
    Ratings are raters x units, NaN or masked where missing.
    One rater, nothing rated twice, or one value throughout: None. In the last case alpha is 0 / 0:
    without variation the data cannot show that raters tell anything apart. (Packages
    differ: some return 1, the krippendorff package raises.)
    Reference: Krippendorff 2018, Content Analysis, chapter 12; Krippendorff 2011, Computing
    Krippendorff's alpha-reliability.

    >>> round(krippendorff_alpha([[0, 0, 1, 1], [0, 0, 1, 0]]), 4)
    0.5333
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"level must be nominal, ordinal or interval, not {level!r}")
    table = _rated_twice(rating_table(ratings))
    if not table.size or np.nanmin(table) == np.nanmax(table):
        return None
    if level == "nominal":
        observed, expected = _nominal_differences(table)
    else:
        values = _midranks(table) if level == "ordinal" else table
        observed, expected = _squared_differences(values)
    return 1 - observed / expected


def _rated_twice(table: Floats) -> Floats:
    kept = (~np.isnan(table)).sum(0) >= 2
    return table if kept.all() else table[:, kept]


def _nominal_differences(table: Floats) -> tuple[float, float]:
    seen = ~np.isnan(table)
    raters = seen.sum(0)
    n = int(raters.sum())
    observed = (raters - 2 * agreeing_pairs(table) / (raters - 1)).sum() / n
    counts = np.bincount(order_codes(table[seen])).astype(np.float64)
    expected = (n * n - (counts**2).sum()) / (n * (n - 1))
    return float(observed), float(expected)


def _squared_differences(table: Floats) -> tuple[float, float]:
    seen = ~np.isnan(table)
    raters = seen.sum(0)
    n = int(raters.sum())
    # Distances from the mean: large values would cancel in the sums of squares.
    values = np.where(seen, table - np.nanmean(table), 0.0)
    sums, squares = values.sum(0), (values**2).sum(0)
    observed = 2 * ((raters * squares - sums**2) / (raters - 1)).sum() / n
    expected = 2 * (n * squares.sum() - sums.sum() ** 2) / (n * (n - 1))
    return float(observed), float(expected)


def _midranks(table: Floats) -> Floats:
    """Each rating replaced by the middle of the ranks that its value takes among all ratings."""
    seen = ~np.isnan(table)
    codes = order_codes(table[seen])
    counts = np.bincount(codes)
    ranks = np.full(table.shape, np.nan)
    ranks[seen] = (np.cumsum(counts) - counts / 2)[codes]
    return ranks
