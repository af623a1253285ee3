"""A rate by a judge, corrected by the labels that people gave to a part of the items.

True counts: the rate is the share of True, whatever that means. `gold` and `predicted` are what
people and the judge say of the labelled items, `others` what the judge says of those without a
label. The labelled items must be like the others: a random part of all, or of all groups.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, Ints, group_numbers, require_same_length, truths
from assay.metrics.estimates import Estimate, require_confidence, student_quantile


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The corrected rate; its n counts the labelled items, `others` those with the judge only.

    `weight` is how much the judge counts: 1 fully, 0 not at all, which leaves the labels.
    """

    rate: Estimate
    others: int
    weight: float


def judge_slope(gold: ArrayLike, predicted: ArrayLike, others: ArrayLike) -> float:
    """The part of a difference between a judge's verdicts that is one between people's labels.

    Formula: the covariance of `gold` and `predicted` / the variance of the judge's verdicts on all
    items; 1 for a judge who is always right. Constant, or no labelled item: 0.

    >>> judge_slope([True, False, False, False], [True, True, False, False], [True, False])
    0.5
    """
    labels, said, rest = _numbers(gold, predicted, others)
    spread = float(np.concatenate([said, rest]).var()) if said.size else 0.0
    if not spread:
        return 0.0
    return float(((labels - labels.mean()) * (said - said.mean())).mean()) / spread


def corrected_rate(
    gold: ArrayLike,
    predicted: ArrayLike,
    others: ArrayLike,
    *,
    slope: float | None = None,
    groups: tuple[ArrayLike, ArrayLike] | None = None,
    confidence: float = 0.95,
) -> CorrectedRate:
    """A rate by prediction-powered inference: the judge's, plus what labels say of its error.

    Formula: w mean(others) + mean(gold - w predicted), of n labelled and N other items, with the
    weight w = slope / (1 + n / N), at least 0 and at most 1. `slope` is that of `judge_slope`, from
    these items unless one from more of them is given, which is better: of few items, their own
    slope makes the rate a little too low or too high.
    Interval: c ± t √(Σ u² k / (k - 1)) over k groups, within 0 and 1, with c the rate, u the sum in
    a group of (gold - w predicted - its mean) / n and w (others - their mean) / N, and t Student's
    quantile with the number of labelled groups - 1. `groups` are of labelled and other items, on
    the same scale; otherwise each item is its own. For the interval, c included, a group of misses
    and one of false alarms, each of the mean size of labelled groups, are added to the labelled
    items, so that a judge without an error among few is not taken for perfect. It reaches to the
    rate at least.
    No labelled or no other item: undefined. Labelled items of one group: no interval.
    Reference: Angelopoulos et al. 2023, Prediction-powered inference, Science 382; for the weight
    Angelopoulos, Duchi and Zrnic 2023, PPI++; for the added errors Bonett and Price 2012,
    Adjusted Wald confidence interval for a difference of binomial proportions based on paired data.

    >>> gold = [True] * 20 + [False] * 80
    >>> judge = [True] * 30 + [False] * 70  # ten false alarms among a hundred
    >>> found = corrected_rate(gold, judge, [True] * 330 + [False] * 670, slope=1.1)
    >>> print(found.rate, found.weight)  # 0.33 + 0.20 - 0.30
    0.230 [0.161, 0.303] n=100 1.0
    """
    require_confidence(confidence)
    labels, said, rest = _numbers(gold, predicted, others)
    n, more = labels.size, rest.size
    if not (n and more):
        return CorrectedRate(Estimate(None, n), more, 0.0)
    steep = judge_slope(gold, predicted, others) if slope is None else slope
    weight = min(max(steep / (1 + n / more), 0.0), 1.0)
    value = min(max(weight * float(rest.mean()) + float((labels - weight * said).mean()), 0.0), 1.0)
    members = _members(groups, n, more)
    labelled = np.unique(members[0]).size
    if labelled < 2:
        return CorrectedRate(Estimate(value, n), more, weight)
    size = round(n / labelled)
    added = np.repeat([1.0, -weight], size), np.repeat([0, 1], size) + max(map(np.max, members)) + 1
    errors = np.concatenate([labels - weight * said, added[0]])
    inside = np.concatenate([members[0], added[1]]), members[1]
    centre = weight * float(rest.mean()) + float(errors.mean())
    reach = student_quantile(confidence, labelled - 1) * _deviation(errors, weight * rest, inside)
    ends = max(min(centre - reach, value), 0.0), min(max(centre + reach, value), 1.0)
    return CorrectedRate(Estimate(value, n, *ends), more, weight)


def _deviation(errors: Floats, rest: Floats, members: tuple[Ints, Ints]) -> float:
    """The deviation of mean(errors) + mean(rest), both of groups on the same scale."""
    size = int(max(map(np.max, members))) + 1
    parts = np.bincount(members[0], (errors - errors.mean()) / errors.size, size)
    parts += np.bincount(members[1], (rest - rest.mean()) / rest.size, size)
    count = np.unique(np.concatenate(members)).size
    return float(np.sqrt((parts**2).sum() * count / (count - 1)))


def _numbers(
    gold: ArrayLike, predicted: ArrayLike, others: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    labels, said = truths(gold, "gold"), truths(predicted, "predicted")
    require_same_length(gold=labels, predicted=said)
    rest = truths(others, "others")
    return labels.astype(np.float64), said.astype(np.float64), rest.astype(np.float64)


def _members(groups: tuple[ArrayLike, ArrayLike] | None, n: int, more: int) -> tuple[Ints, Ints]:
    """The numbers of the groups of labelled and of other items."""
    if groups is None:
        return np.arange(n), n + np.arange(more)
    first, second = (np.asarray(each) for each in groups)
    require_same_length(groups=first, items=np.empty(n))
    require_same_length(groups=second, others=np.empty(more))
    numbers = group_numbers(np.concatenate([first, second]), "groups")
    return numbers[:n], numbers[n:]
