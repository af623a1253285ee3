"""Selective risk: errors that remain when only the items a detector is surest of are accepted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import rates
from assay.metrics.arrays import Bools, Floats, Ints, real_numbers, require_same_length, truths


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
    faithful, values = _items(gold, score)
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
    faithful, values = _items(gold, score)
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


def _items(gold: ArrayLike, score: ArrayLike) -> tuple[Bools, Floats]:
    faithful = truths(gold, "gold")
    values = real_numbers(score, "score")
    require_same_length(gold=faithful, score=values)
    return faithful, values
