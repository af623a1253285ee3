"""Intervals for few groups, and wherever all replicates of a bootstrap are alike.

Groups drawn with replacement cannot show what none of them has: four right verdicts are right in
every replicate. So half a group of each kind that there might have been is added before drawing.
"""

from collections.abc import Callable
from math import isclose
from statistics import NormalDist

import numpy as np

from assay.metrics.arrays import Floats
from assay.metrics.estimates import require_confidence
from assay.metrics.tables import Tables

FEW_GROUPS = (
    30  # below it the percentile bootstrap of counts covers too little: see docs/metrics.md
)
FEWEST_GROUPS = 10  # below it that of anything else does

Interval = tuple[float, float]

_ADDED, _MOST_ADDED = 0.5, 2.0
_DRAWS = 5000
_BLOCK = 100  # drawn together
_STEPS = 60  # of bisection: more than a double can tell apart


def are_few(tables: Tables) -> bool:
    """True if there are too few groups for a percentile bootstrap of their tables."""
    return tables.groups < (FEWEST_GROUPS if tables.kinds is None else FEW_GROUPS)


def is_stuck(interval: Interval, value: float) -> bool:
    """True if an interval ends at the value itself, as when all replicates are alike.

    >>> is_stuck((1.0, 1.0), 1.0), is_stuck((0.8, 1.0), 0.9)
    (True, False)
    """
    return any(isclose(end, value, abs_tol=1e-12) for end in interval)


def jeffreys_draws(tables: Tables, seed: int = 0) -> Floats | None:
    """The summed tables of 5,000 replicates in which groups have random weights, as a stack.

    Formula: each group weighs Gamma(1), which is the Bayesian bootstrap, and a group of each of
    `tables.kinds` Gamma(½), or less where there are more than four kinds: together they weigh at
    most as much as two groups. Weights are divided by their mean, so that there are as many groups
    as before. With one item in each group, a share of x in n is Beta(x + ½, n - x + ½), and its
    quantiles are Jeffreys' interval. No kinds: None.
    Reference: Brown, Cai and DasGupta 2001, Interval estimation for a binomial proportion, for the
    half; Rubin 1981, The Bayesian bootstrap, for the weights.

    >>> from assay.metrics.tables import matrix_tables
    >>> drawn = jeffreys_draws(matrix_tables([[4, 0], [0, 4]]))
    >>> right = drawn[:, 0, 0] / drawn[:, 0].sum(-1)  # Beta(4.5, 0.5)
    >>> round(float(right.mean()), 1), bool(np.quantile(right, 0.025) < 0.7)
    (0.9, True)
    """
    if tables.kinds is None:
        return None
    random = np.random.default_rng(seed)
    shape = tables.values.shape[1:]
    values, place = np.unique(
        tables.values.reshape(len(tables.values), -1), axis=0, return_inverse=True
    )
    copies = np.bincount(place.ravel(), weights=tables.copies, minlength=len(values))
    kinds = tables.kinds.reshape(len(tables.kinds), -1)
    added = np.full(len(kinds), min(_ADDED, _MOST_ADDED / len(kinds)))
    every, weight = np.concatenate([values, kinds]), np.concatenate([copies, added])
    sums = np.empty((_DRAWS, every.shape[1]))
    groups = tables.groups
    for start in range(0, _DRAWS, _BLOCK):
        block = sums[start : start + _BLOCK]
        drawn = random.standard_gamma(weight, (len(block), len(weight)))
        block[:] = drawn @ every * (groups / drawn.sum(1, keepdims=True))
    return sums.reshape(-1, *shape)


def auroc_interval(
    value: float, faithful: int, unfaithful: int, *, confidence: float = 0.95
) -> Interval | None:
    """The interval of the true AUROC, from its value and the numbers of both classes.

    Formula: all θ with |value - θ| ≤ z √V(θ), where V(θ) = θ (1 - θ) (1 + N (1 - θ) / (2 - θ) +
    N θ / (1 + θ)) / (m n) for m faithful and n unfaithful items and N = (m + n) / 2 - 1. Where
    items come in groups, m and n are the groups that have an item of the class.
    A class is missing: None. Constant (0 or 1): the interval still has a width.
    Reference: Newcombe 2006, Confidence intervals for an effect size measure based on the
    Mann-Whitney statistic, part 2, Statistics in Medicine 25, method 5.

    >>> low, high = auroc_interval(1.0, 5, 5)
    >>> round(low, 3), high
    (0.643, 1.0)
    """
    require_confidence(confidence)
    if not (faithful and unfaithful):
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    mean = (faithful + unfaithful) / 2 - 1

    def is_far(theta: float) -> bool:
        spread = 1 + mean * (1 - theta) / (2 - theta) + mean * theta / (1 + theta)
        variance = theta * (1 - theta) * spread / (faithful * unfaithful)
        return (value - theta) ** 2 > z * z * variance

    return _border(is_far, 0.0, value), _border(is_far, 1.0, value)


def _border(is_far: Callable[[float], bool], far: float, near: float) -> float:
    """The border between far and near, by bisection; `far` itself where they are one."""
    for _ in range(_STEPS if far != near else 0):
        middle = (far + near) / 2
        far, near = (middle, near) if is_far(middle) else (far, middle)
    return far
