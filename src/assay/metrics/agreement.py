"""How often raters agree, raw and beyond chance.

`ratings` are raters x units, class numbers; a missing rating is NaN or masked.
"""

from itertools import pairwise

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
