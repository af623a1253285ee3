"""Scale and shift of log-odds, by logistic regression (Platt 1999).

A normal prior around what the scores have now keeps a few rows from changing much, and bounds keep
any rows from turning the scores round or making them all 0 and 1.
"""

import numpy as np

from assay.metrics.arrays import Bools, Floats

LEAST_SCALE, MOST_SCALE = 0.05, 10.0
MOST_SHIFT = 10.0
_SCALE_SPREAD, _SHIFT_SPREAD = 0.5, 1.0  # of the prior
_NEAREST = 5e-5  # scores have four decimals
_STEPS = 100
_SMALLEST_PART = 2.0**-40  # of a step


def log_odds_of(scores: Floats) -> Floats:
    """Scores as log-odds, which are finite also for 0 and 1."""
    kept = np.clip(scores, _NEAREST, 1 - _NEAREST)
    found: Floats = np.log(kept / (1 - kept))
    return found


def rescaled(scores: Floats, scale: float, shift: float) -> Floats:
    """Probabilities with other log-odds."""
    return _chances(scale * log_odds_of(scores) + shift)


def scaling(values: Floats, faithful: Bools) -> tuple[float, float]:
    """Scale and shift of the most likely logistic curve under the prior, within bounds.

    A scale at `LEAST_SCALE` says that higher values are no sign of being faithful.
    """
    ones = np.ones((len(values), 1))
    spreads = np.array([_SCALE_SPREAD, _SHIFT_SPREAD])
    both = np.column_stack((values, ones))
    scale, shift = _most_likely(both, faithful, np.array([1.0, 0.0]), spreads)
    kept = min(max(scale, LEAST_SCALE), MOST_SCALE)
    if kept != scale:  # the best shift for that scale is another one
        (shift,) = _most_likely(ones, faithful, np.zeros(1), spreads[1:], kept * values)
    return round(float(kept), 6), round(float(min(max(shift, -MOST_SHIFT), MOST_SHIFT)), 6)


def _most_likely(
    design: Floats,
    faithful: Bools,
    prior: Floats,
    spreads: Floats,
    offset: Floats | float = 0.0,
) -> Floats:
    """The coefficients of the least penalized loss, by Newton's method.

    The loss is convex, but a full step may overshoot where scores are near 0 and 1; a step is
    halved until the loss falls enough.
    """
    weights = 1 / spreads**2

    def loss(at: Floats) -> float:
        odds = design @ at + offset
        misfit = np.logaddexp(0, np.where(faithful, -odds, odds)).sum()
        return float(misfit + (weights * (at - prior) ** 2).sum() / 2)

    made, now = prior, loss(prior)
    for _ in range(_STEPS):
        chances = _chances(design @ made + offset)
        slope = design.T @ (chances - faithful) + weights * (made - prior)
        curve = (design * (chances * (1 - chances))[:, None]).T @ design + np.diag(weights)
        step = np.linalg.solve(curve, slope)
        gain, part = float(slope @ step), 1.0
        while (then := loss(made - part * step)) > now - part * gain / 4 and part > _SMALLEST_PART:
            part /= 2
        if then >= now:
            break
        made, now = made - part * step, then
        if np.abs(part * step).max() < 1e-9:
            break
    return made


def _chances(odds: Floats) -> Floats:
    found: Floats = (1 + np.tanh(odds / 2)) / 2
    return found
