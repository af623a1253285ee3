"""Every metric that is a function of counts, once, for one table of counts or for a whole stack.

A confusion matrix has gold classes as rows and predicted classes as columns; class 0 is the
unfaithful one. Leading axes are a stack, such as the replicates of a bootstrap. Inside a stack
undefined is NaN, because an array cannot hold None; `from_confusion`, `class_rates_from_confusion`
and the bootstrap turn it into None before anyone sees it.
"""

from collections.abc import Callable

import numpy as np

from assay.metrics.arrays import Floats

Rate = Callable[[Floats], Floats]


def ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, and NaN where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(part, whole)
    quotient: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return quotient


def accuracy(counts: Floats) -> Floats:
    """Right predictions / items."""
    return ratio(_right(counts).sum(-1), counts.sum((-2, -1)))


def class_precision(counts: Floats) -> Floats:
    """For each class: rightly predicted / predicted."""
    return ratio(_right(counts), counts.sum(-2))


def class_recall(counts: Floats) -> Floats:
    """For each class: rightly predicted / gold."""
    return ratio(_right(counts), counts.sum(-1))


def class_f1(counts: Floats) -> Floats:
    """For each class: 2 x rightly predicted / (predicted + gold)."""
    return ratio(2 * _right(counts), counts.sum(-2) + counts.sum(-1))


def precision(counts: Floats) -> Floats:
    """Precision of the unfaithful class."""
    return class_precision(counts)[..., 0]


def recall(counts: Floats) -> Floats:
    """Recall of the unfaithful class."""
    return class_recall(counts)[..., 0]


def specificity(counts: Floats) -> Floats:
    """Recall of the faithful class, the last one."""
    return class_recall(counts)[..., -1]


def f1(counts: Floats) -> Floats:
    """F1 of the unfaithful class."""
    return class_f1(counts)[..., 0]


def balanced_accuracy(counts: Floats) -> Floats:
    """Mean recall; undefined where one class has no gold item, since its recall is."""
    mean: Floats = class_recall(counts).mean(-1)
    return mean


def macro_f1(counts: Floats) -> Floats:
    """Mean F1 of the classes that occur in gold or predictions."""
    values = class_f1(counts)
    return ratio(np.nansum(values, -1), (~np.isnan(values)).sum(-1))


def cohen_kappa(counts: Floats) -> Floats:
    """(observed - expected) / (1 - expected) agreement of rows and columns."""
    n = counts.sum((-2, -1))
    by_chance = (counts.sum(-1) * counts.sum(-2)).sum(-1)
    return ratio(n * _right(counts).sum(-1) - by_chance, n * n - by_chance)


def ranking_loss(counts: Floats) -> Floats:
    """Share of pairs with different gold in the wrong order, ties half; both axes ordered."""
    lower_gold = np.cumsum(counts, -2) - counts
    up_to = np.cumsum(lower_gold, -1)
    predicted_higher = up_to[..., -1:] - up_to
    wrong = (counts * (predicted_higher + lower_gold / 2)).sum((-2, -1))
    pairs = (counts.sum(-1) * lower_gold.sum(-1)).sum(-1)
    return ratio(wrong, pairs)


def averaged(rate: Rate) -> Rate:
    """The rate averaged over the runs of a detector: the axis before those of the matrix.

    Undefined where that of one run is.
    """

    def mean(counts: Floats) -> Floats:
        values: Floats = rate(counts).mean(-1)
        return values

    return mean


def share(counts: Floats) -> Floats:
    """part / whole, where the last axis is (part, whole)."""
    return ratio(counts[..., 0], counts[..., 1])


def hit_precision(hits: Floats) -> Floats:
    """found / predicted, where the last axis is (found, predicted, gold)."""
    return ratio(hits[..., 0], hits[..., 1])


def hit_recall(hits: Floats) -> Floats:
    """found / gold, where the last axis is (found, predicted, gold)."""
    return ratio(hits[..., 0], hits[..., 2])


def hit_f1(hits: Floats) -> Floats:
    """2 x found / (predicted + gold), where the last axis is (found, predicted, gold)."""
    return ratio(2 * hits[..., 0], hits[..., 1] + hits[..., 2])


def _right(counts: Floats) -> Floats:
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2]:
        raise ValueError(
            f"a confusion matrix must have as many rows as columns, not {counts.shape}"
        )
    return np.diagonal(counts, axis1=-2, axis2=-1)
