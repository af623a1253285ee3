"""Confusion matrices, and metrics of predicted classes against gold classes.

Labels are class numbers below `classes`, or truth values where True (class 1) is faithful. The
class of interest is the unfaithful one, class 0. Each metric counts a confusion matrix and takes
the rate of the same name from `assay.metrics.rates`; with a matrix at hand, call
`from_confusion(rates.balanced_accuracy, matrix)`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import rates
from assay.metrics.arrays import Floats, Ints, class_numbers, require_same_length, truths
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


def accuracy(gold: ArrayLike, predicted: ArrayLike, *, classes: int = 2) -> float | None:
    """Share of items whose class was predicted correctly.

    Formula: right / n. Empty: None. Constant gold: defined, and flatters a constant prediction.

    >>> accuracy([False, True, True, True], [False, False, True, True])
    0.75
    """
    return from_confusion(rates.accuracy, confusion_matrix(gold, predicted, classes))


def balanced_accuracy(gold: ArrayLike, predicted: ArrayLike, *, classes: int = 2) -> float | None:
    """Accuracy if all classes were equally frequent.

    Formula: mean over the classes of right / gold items of the class.
    Empty, or a class without a gold item: None, because the recall of that class is undefined
    (scikit-learn leaves the class out instead). A constant prediction gets 1 / classes.
    Reference: Brodersen et al. 2010, The balanced accuracy and its posterior distribution.

    >>> balanced_accuracy([False, False, True, True], [False, True, True, True])
    0.75
    """
    return from_confusion(rates.balanced_accuracy, confusion_matrix(gold, predicted, classes))


def precision(gold: ArrayLike, predicted: ArrayLike) -> float | None:
    """Share of the items called unfaithful that are.

    Formula: rightly called unfaithful / called unfaithful. Empty, or nothing called unfaithful:
    None (scikit-learn returns 0).

    >>> precision([False, True, True], [False, False, True])
    0.5
    """
    return from_confusion(rates.precision, _binary_matrix(gold, predicted))


def recall(gold: ArrayLike, predicted: ArrayLike) -> float | None:
    """Share of the unfaithful items that were called so; also known as sensitivity.

    Formula: rightly called unfaithful / unfaithful. Empty, or nothing unfaithful: None.

    >>> recall([False, False, True], [False, True, True])
    0.5
    """
    return from_confusion(rates.recall, _binary_matrix(gold, predicted))


def specificity(gold: ArrayLike, predicted: ArrayLike) -> float | None:
    """Share of the faithful items that were called so.

    Formula: rightly called faithful / faithful. Empty, or nothing faithful: None. With `recall`
    it makes up the balanced accuracy: their mean.
    Reference: Yerushalmy 1947, Statistical problems in assessing methods of medical diagnosis;
    FaithJudge, figure 2.

    >>> specificity([False, True, True, True], [False, False, True, True])
    0.6666666666666666
    """
    return from_confusion(rates.specificity, _binary_matrix(gold, predicted))


def f1(gold: ArrayLike, predicted: ArrayLike) -> float | None:
    """Harmonic mean of precision and recall of the unfaithful class.

    Formula: 2 x rightly called unfaithful / (called unfaithful + unfaithful).
    Empty, or the class occurs in neither gold nor predictions: None; in one of the two only: 0.
    Reference: van Rijsbergen 1979, Information Retrieval, chapter 7.

    >>> round(f1([False, False, True, True], [False, True, False, True]), 3)
    0.5
    """
    return from_confusion(rates.f1, _binary_matrix(gold, predicted))


def class_recall(
    gold: ArrayLike, predicted: ArrayLike, *, classes: int
) -> tuple[float | None, ...]:
    """Recall of each class in turn.

    Formula: right / gold items of the class. A class without a gold item: None.

    >>> class_recall([0, 0, 2], [0, 1, 2], classes=3)
    (0.5, None, 1.0)
    """
    matrix = confusion_matrix(gold, predicted, classes)
    return class_rates_from_confusion(rates.class_recall, matrix)


def class_f1(gold: ArrayLike, predicted: ArrayLike, *, classes: int) -> tuple[float | None, ...]:
    """F1 of each class in turn, the others taken together.

    Formula: 2 x right / (predicted + gold items of the class).
    A class in neither gold nor predictions: None; in one of the two only: 0.

    >>> class_f1([0, 0, 2, 2], [0, 1, 2, 2], classes=4)
    (0.6666666666666666, 0.0, 1.0, None)
    """
    return class_rates_from_confusion(rates.class_f1, confusion_matrix(gold, predicted, classes))


def macro_f1(gold: ArrayLike, predicted: ArrayLike, *, classes: int = 2) -> float | None:
    """F1 with every class counting the same.

    Formula: mean of the F1 of the classes that occur in gold or in predictions, which is
    scikit-learn's `f1_score(average="macro")`; a class never seen in either is left out.
    Empty: None. Constant gold and the same constant prediction: 1.

    >>> round(macro_f1([0, 0, 2, 2], [0, 1, 2, 2], classes=4), 4)
    0.5556
    """
    return from_confusion(rates.macro_f1, confusion_matrix(gold, predicted, classes))


def _binary_matrix(gold: ArrayLike, predicted: ArrayLike) -> ArrayLike:
    return confusion_matrix(truths(gold, "gold"), truths(predicted, "predicted"))
