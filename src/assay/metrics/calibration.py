"""Scores taken at their word: calibration, and selective risk.

A score of 0.8 should be right eight times in ten; for this, scores are probabilities of being
faithful. Selective risk is that of the errors that remain when only the items a detector is surest
of are accepted; any scores that rise with faithfulness will do.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import rates
from assay.metrics.arrays import (
    Bools,
    Floats,
    Ints,
    probabilities,
    require_same_length,
    scored_items,
    truths,
)

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


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage:
    """Coverage and selective risk at each threshold that occurs as a score, from high to low."""

    thresholds: Floats
    coverages: Floats
    risks: Floats

    @property
    def area(self) -> float | None:
        """Mean selective risk over coverage; None without items. See `selective_area`."""
        if not self.risks.size:
            return None
        return float(np.diff(self.coverages, prepend=0.0) @ self.risks)


def risk_coverage(gold: ArrayLike, score: ArrayLike) -> RiskCoverage:
    """Selective risk against coverage, one point for each distinct score.

    Formula: at threshold t, coverage = share of items with score >= t, and risk = share of
    unfaithful ones among these. Items of equal score are accepted together.
    Empty: no points. Constant score: one point, coverage 1 and the overall unfaithful share.
    Reference: Geifman and El-Yaniv 2017, Selective classification for deep neural networks;
    VeriGray, section 5.3.

    >>> curve = risk_coverage([True, False, True, False], [0.9, 0.8, 0.8, 0.1])
    >>> curve.coverages.tolist(), curve.risks.round(3).tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.333, 0.5])
    """
    faithful, values = scored_items(gold, score)
    order = np.argsort(-values)
    ordered = values[order]
    ends = _last_of_each(ordered)
    accepted = ends + 1.0
    unfaithful = np.cumsum(~faithful[order])[ends]
    return RiskCoverage(ordered[ends], accepted / max(values.size, 1), unfaithful / accepted)


def selective_area(gold: ArrayLike, score: ArrayLike) -> float | None:
    """Area under the risk-coverage curve: lower is better.

    Formula: Σ (coverage_t - coverage of the next higher threshold) x risk_t, the mean over items of
    the risk when everything down to the item's own score is accepted. With distinct scores this is
    the usual mean of the n selective risks; tied items enter together, so order does not matter.
    Empty: None. Constant score: the overall unfaithful share.
    Reference: Geifman, Uziel and El-Yaniv 2019, Bias-reduced uncertainty estimation for deep neural
    classifiers (AURC).

    >>> selective_area([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    0.3333333333333333
    """
    return risk_coverage(gold, score).area


def weighted_selective_area(gold: ArrayLike, score: ArrayLike) -> rates.Rate:
    """The `selective_area` of the same items under many weights: see `estimate_from_weights`.

    >>> area = weighted_selective_area([True, False, True], [0.9, 0.8, 0.7])
    >>> area(np.array([[1.0, 1, 1], [2, 0, 0]]))
    array([0.27777778, 0.        ])
    """
    faithful, values = scored_items(gold, score)
    order = np.argsort(-values, kind="stable")
    is_unfaithful, ends = ~faithful[order], _last_of_each(values[order])

    def of_weights(weights: Floats) -> Floats:
        drawn = weights[:, order]
        accepted = np.cumsum(drawn, 1)[:, ends]
        risks = rates.ratio(np.cumsum(drawn * is_unfaithful, 1)[:, ends], accepted)
        steps = np.diff(accepted, axis=1, prepend=0.0)
        return rates.ratio((steps * np.nan_to_num(risks)).sum(1), drawn.sum(1))

    return of_weights


def risk_at_coverage(gold: ArrayLike, score: ArrayLike, coverage: float) -> float | None:
    """Selective risk when at least this share of the items must be accepted.

    Formula: the risk at the highest threshold whose coverage reaches `coverage`; with ties, more
    may be accepted than asked for. Empty: None. Constant score: the overall unfaithful share.

    >>> risk_at_coverage([True, False, True, False], [0.9, 0.8, 0.8, 0.1], 0.5)
    0.3333333333333333
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage must be above 0 and at most 1, not {coverage!r}")
    curve = risk_coverage(gold, score)
    if not curve.risks.size:
        return None
    # A hair of slack: 0.1 + 0.2 means the same coverage as 0.3.
    reached = np.searchsorted(curve.coverages, coverage - 1e-12)
    return float(curve.risks[reached])


def _last_of_each(ordered: Floats) -> Ints:
    """The place of the last of each run of equal values."""
    return np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: ordered.size])
