"""Calibration: a score of 0.8 should be right eight times in ten.

Scores are probabilities of being faithful.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import rates
from assay.metrics.arrays import Bools, Floats, Ints, probabilities, require_same_length, truths

Binning = Literal["width", "mass"]


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Items whose scores lie close together: the mean score and the share that is faithful."""

    low: float
    high: float
    n: int
    mean_score: float
    faithful_share: float

    @property
    def gap(self) -> float:
        """By how much the scores of the bin overstate faithfulness."""
        return self.mean_score - self.faithful_share


def reliability_table(
    gold: ArrayLike, score: ArrayLike, *, bins: int = 10, binning: Binning = "width"
) -> tuple[ReliabilityBin, ...]:
    """Mean score and share of faithful items, bin by bin from low to high.

    `width`: bin b holds the scores from b / bins up to but not including (b + 1) / bins; 1 belongs
    to the last. `mass`: bins of equally many items; an item whose score is higher than that of k
    others is in bin floor(bins x k / n), so equal scores stay together.
    `low` and `high` are the lowest and highest score in a bin. A bin without items is left out.
    Empty: no bins. Constant score: one bin.
    Reference: Guo et al. 2017, On calibration of modern neural networks.

    >>> for row in reliability_table([False, True, True], [0.1, 0.7, 0.9], bins=2):
    ...     print(row.n, round(row.mean_score, 3), row.faithful_share)
    1 0.1 0.0
    2 0.8 1.0
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, not {bins}")
    faithful, values = _items(gold, score)
    order = np.argsort(values, kind="stable")
    values, faithful = values[order], faithful[order]
    numbers = _width_bins(values, bins) if binning == "width" else _mass_bins(values, bins)
    edges = np.flatnonzero(np.diff(numbers, prepend=-1, append=bins))
    return tuple(
        _bin(values[start:end], faithful[start:end]) for start, end in pairwise(edges.tolist())
    )


def calibration_error(
    gold: ArrayLike, score: ArrayLike, *, bins: int = 10, binning: Binning = "width"
) -> float | None:
    """Expected calibration error: how far scores lie from the observed shares.

    Formula: Σ over bins of n_b / n x |mean score_b - share faithful_b|. Bins as in
    `reliability_table`. Empty: None. Constant score: its distance from the share faithful.
    Reference: Naeini, Cooper and Hauskrecht 2015, Obtaining well calibrated probabilities using
    Bayesian binning; equal mass: Nixon et al. 2019, Measuring calibration in deep learning.

    >>> round(calibration_error([False, True, True], [0.1, 0.7, 0.9], bins=2), 4)
    0.1667
    """
    table = reliability_table(gold, score, bins=bins, binning=binning)
    n = sum(row.n for row in table)
    return sum(row.n * abs(row.gap) for row in table) / n if n else None


def weighted_calibration_error(gold: ArrayLike, score: ArrayLike, *, bins: int = 10) -> rates.Rate:
    """The `calibration_error` of the same items under many weights, in bins of equal width.

    See `estimate_from_weights`.

    >>> error = weighted_calibration_error([False, True, True], [0.1, 0.7, 0.9], bins=2)
    >>> error(np.array([[1.0, 1, 1], [0, 2, 0]])).round(4)
    array([0.1667, 0.3   ])
    """
    faithful, values = _items(gold, score)
    gaps = np.zeros((values.size, bins))
    gaps[np.arange(values.size), _width_bins(values, bins)] = values - faithful

    def of_weights(weights: Floats) -> Floats:
        return rates.ratio(np.abs(weights @ gaps).sum(1), weights.sum(1))

    return of_weights


def brier_score(gold: ArrayLike, score: ArrayLike) -> float | None:
    """Mean squared distance of the score from the truth: lower is better.

    Formula: mean of (score - [faithful])². Empty: None. Constant score 0.5: 0.25.
    Reference: Brier 1950, Verification of forecasts expressed in terms of probability.

    >>> round(brier_score([False, True], [0.1, 0.7]), 3)
    0.05
    """
    faithful, values = _items(gold, score)
    return float(np.mean((values - faithful) ** 2)) if values.size else None


def _items(gold: ArrayLike, score: ArrayLike) -> tuple[Bools, Floats]:
    faithful = truths(gold, "gold")
    values = probabilities(score, "score")
    require_same_length(gold=faithful, score=values)
    return faithful, values


def _width_bins(values: Floats, bins: int) -> Ints:
    return np.searchsorted(np.arange(1, bins) / bins, values, side="right")


def _mass_bins(values: Floats, bins: int) -> Ints:
    lower = np.searchsorted(values, values)
    return lower * bins // max(values.size, 1)


def _bin(values: Floats, faithful: Bools) -> ReliabilityBin:
    return ReliabilityBin(
        low=float(values[0]),
        high=float(values[-1]),
        n=values.size,
        mean_score=float(values.mean()),
        faithful_share=float(faithful.mean()),
    )
