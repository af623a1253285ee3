"""Confusion matrices: counting them, merging their classes, and computing a metric from one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, Ints, class_numbers, require_same_length
from assay.metrics.rates import Rate


def confusion_matrix(gold: ArrayLike, predicted: ArrayLike, classes: int = 2) -> Ints:
    """Counts of items by gold class (row) and predicted class (column).

    Formula: cell [i, j] = number of items with gold i and prediction j; class 0 is unfaithful.
    Empty: a matrix of zeros.

    >>> confusion_matrix([False, False, True], [False, True, True]).tolist()
    [[1, 1], [0, 1]]
    """
    rows = class_numbers(gold, classes, "gold")
    columns = class_numbers(predicted, classes, "predicted")
    require_same_length(gold=rows, predicted=columns)
    return np.bincount(rows * classes + columns, minlength=classes**2).reshape(classes, classes)


def merge_classes(
    matrix: ArrayLike,
    *,
    rows: Sequence[int | None] | None = None,
    columns: Sequence[int | None] | None = None,
) -> Ints:
    """A matrix with rows or columns added together: each gets a new number, None drops it.

    >>> merge_classes([[3, 1, 0], [1, 2, 2]], columns=(0, 0, 1)).tolist()
    [[4, 0], [3, 2]]
    """
    table = np.asarray(matrix, dtype=np.int64)
    if rows is not None:
        table = _membership(rows, len(table)) @ table
    if columns is not None:
        table = table @ _membership(columns, table.shape[1]).T
    return table


def from_confusion(rate: Rate, matrix: ArrayLike) -> float | None:
    """A metric of `assay.metrics.rates` for one confusion matrix; None where it is undefined.

    >>> from assay.metrics import rates
    >>> from_confusion(rates.recall, [[3, 1], [0, 4]])
    0.75
    >>> from_confusion(rates.recall, [[0, 0], [1, 4]]) is None
    True
    """
    return defined(rate(_counts(matrix)).item())


def class_rates_from_confusion(rate: Rate, matrix: ArrayLike) -> tuple[float | None, ...]:
    """A class-wise metric of `assay.metrics.rates` for one confusion matrix, class by class.

    >>> from assay.metrics import rates
    >>> class_rates_from_confusion(rates.class_recall, [[3, 1], [0, 0]])
    (0.75, None)
    """
    return tuple(defined(value) for value in rate(_counts(matrix)).tolist())


def defined(value: float) -> float | None:
    """None for the NaN that stands for undefined inside an array."""
    return None if np.isnan(value) else float(value)


def _counts(matrix: ArrayLike) -> Floats:
    counts = np.asarray(matrix, dtype=np.float64)
    if counts.ndim != 2 or not (counts >= 0).all():
        raise ValueError(f"a confusion matrix has two axes and no negative cell: {counts}")
    return counts


def _membership(numbers: Sequence[int | None], size: int) -> Ints:
    if len(numbers) != size:
        raise ValueError(f"{size} classes need {size} new numbers, not {len(numbers)}")
    kept = [number for number in numbers if number is not None]
    member = np.zeros((max(kept, default=-1) + 1, size), dtype=np.int64)
    for old, new in enumerate(numbers):
        if new is not None:
            member[new, old] = 1
    return member
