"""Metrics of the order of predicted values."""

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import rates
from assay.metrics.arrays import (
    Floats,
    Ints,
    order_codes,
    real_numbers,
    require_same_length,
    scored_items,
    truths,
)
from assay.metrics.confusion import from_confusion


def ranking_loss(gold: ArrayLike, predicted: ArrayLike) -> float | None:
    """Share of the pairs of different gold rank that are predicted in the wrong order.

    Formula: over all pairs with gold_i > gold_j, the mean of [predicted_i < predicted_j]
    + ½ [predicted_i = predicted_j]. Ranks and values are any numbers; higher is more faithful.
    Time O(n log n): one sort of the predictions, then inversions counted bit by bit of the rank.
    Empty or constant gold: None. Constant prediction: 0.5.
    Reference: The Gray Zone of Faithfulness (VeriGray), equation 1; Knight 1966, A computer method
    for calculating Kendall's tau with ungrouped data.

    >>> ranking_loss([0, 1, 2], [0.1, 0.9, 0.5])
    0.3333333333333333
    """
    ranks = real_numbers(gold, "gold")
    values = real_numbers(predicted, "predicted")
    require_same_length(gold=ranks, predicted=values)
    codes = order_codes(ranks)
    pairs = _pairs(np.array([codes.size])) - _pairs(np.bincount(codes))
    if pairs == 0:
        return None
    wrong, tied = _wrong_and_tied(codes, values)
    return (wrong + tied / 2) / pairs


def ranking_loss_from_confusion(matrix: ArrayLike) -> float | None:
    """Ranking loss when gold classes (rows) and predicted classes (columns) are both ordered.

    Formula, conventions and reference as for `ranking_loss`; the number of rows and of columns may
    differ, so predictions merged to unfaithful and faithful are two columns.

    >>> ranking_loss_from_confusion([[2, 0], [1, 1]])
    0.25
    """
    return from_confusion(rates.ranking_loss, matrix)


def auroc(gold: ArrayLike, score: ArrayLike) -> float | None:
    """Chance that a faithful item scores higher than an unfaithful one.

    Formula: over all pairs of a faithful and an unfaithful item, the mean of [s_f > s_u]
    + ½ [s_f = s_u]; that is 1 - ranking loss. Time O(n log n).
    Empty, or one class only: None. Constant score: 0.5.
    Reference: Hanley and McNeil 1982, The meaning and use of the area under a ROC curve.

    >>> auroc([False, False, True], [0.2, 0.6, 0.6])
    0.75
    """
    loss = ranking_loss(truths(gold, "gold"), score)
    return None if loss is None else 1 - loss


def weighted_auroc(gold: ArrayLike, score: ArrayLike) -> rates.Rate:
    """The AUROC of the same items under many weights: see `estimate_from_weights`.

    Formula and conventions as for `auroc`, with each item as often as it weighs.

    >>> weighted_auroc([False, False, True], [0.2, 0.6, 0.6])(np.array([[1.0, 1, 1], [1, 0, 2]]))
    array([0.75, 1.  ])
    """
    faithful, values = scored_items(gold, score)
    order = np.argsort(values, kind="stable")
    ordered, is_faithful = values[order], faithful[order]
    firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: ordered.size])

    def of_weights(weights: Floats) -> Floats:
        drawn = weights[:, order]
        good, bad = (
            np.add.reduceat(np.where(kind, drawn, 0.0), firsts, axis=1)
            for kind in (is_faithful, ~is_faithful)
        )
        good_pairs = good.sum(1) * bad.sum(1)
        higher = bad.sum(1, keepdims=True) - np.cumsum(bad, 1)
        loss: Floats = rates.ratio((good * (higher + bad / 2)).sum(1), good_pairs)
        return 1 - loss

    return of_weights


def _wrong_and_tied(codes: Ints, values: Floats) -> tuple[int, int]:
    """Pairs of different code in the wrong order of value, and those of equal value."""
    order = np.argsort(values)
    ordered = values[order]
    rises = ordered[1:] != ordered[:-1]
    if rises.all():
        return _inversions(codes[order]), 0
    classes = int(codes.max()) + 1
    keys = np.append(0, np.cumsum(rises)) * classes + codes[order]
    # Rising codes within a tie: no tied pair is taken for an inversion.
    keys.sort()
    tied = _pairs(_run_lengths(keys // classes)) - _pairs(_run_lengths(keys))
    return _inversions(keys % classes), tied


def _inversions(codes: Ints) -> int:
    """Pairs i < j with codes[i] > codes[j].

    Two such codes part at one bit, where the first has 1 and the second 0. A stable sort by the
    bits from the highest down to that one makes them pass each other, so the pairs that part there
    are the steps taken to the left, half of all steps.
    """
    total = 0
    codes = codes.astype(np.min_scalar_type(int(codes.max())))
    places = np.arange(codes.size)
    for bit in reversed(range(int(codes.max()).bit_length())):
        high_bits = codes >> bit
        # Numpy sorts integers of at most 16 bits in linear time.
        narrow = high_bits.astype(np.min_scalar_type(int(high_bits.max())))
        order = np.argsort(narrow, kind="stable")
        total += int(np.abs(order - places).sum()) // 2
        codes = codes[order]
    return total


def _run_lengths(values: Ints) -> Ints:
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return np.diff(starts, append=values.size)


def _pairs(sizes: Ints) -> int:
    """Pairs of items within groups of these sizes."""
    return int((sizes * (sizes - 1)).sum()) // 2
