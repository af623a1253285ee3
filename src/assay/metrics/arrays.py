"""The arrays that metrics accept: truths, class numbers, scores and groups, checked once here.

A wrong shape, type or range raises `ValueError`; an empty array is allowed everywhere.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Whole numbers in a range this narrow are counted instead of sorted.
_NARROW = 1 << 16


def truths(values: ArrayLike, name: str) -> Bools:
    """Truth values, True = faithful. Numbers are refused: too often their 1 means unfaithful."""
    array = _row(values, name)
    if array.size and array.dtype != np.bool_:
        raise ValueError(
            f"{name} must hold truth values (True = faithful), not {array.dtype} numbers"
        )
    return array.astype(np.bool_, copy=False)


def class_numbers(values: ArrayLike, classes: int, name: str) -> Ints:
    """Class numbers from 0 to `classes` - 1; False and True count as 0 and 1."""
    array = _row(values, name)
    if array.size and array.dtype.kind not in "biu":
        raise ValueError(f"{name} must hold class numbers, not {array.dtype} values")
    numbers = array.astype(np.int64, copy=False)
    if array.size and (numbers.min() < 0 or numbers.max() >= classes):
        found = f"{numbers.min()} to {numbers.max()}"
        raise ValueError(f"{name} has classes from {found}; the choices are 0 to {classes - 1}")
    return numbers


def real_numbers(values: ArrayLike, name: str) -> Floats:
    """Numbers that can be put in order: anything but NaN."""
    array = _row(values, name).astype(np.float64, copy=False)
    if np.isnan(array).any():
        raise ValueError(f"{name} has {int(np.isnan(array).sum())} NaN among {array.size} values")
    return array


def probabilities(values: ArrayLike, name: str) -> Floats:
    """Numbers between 0 and 1."""
    array = real_numbers(values, name)
    if array.size and (array.min() < 0 or array.max() > 1):
        found = f"{array.min():g} to {array.max():g}"
        raise ValueError(f"{name} must hold probabilities between 0 and 1, not {found}")
    return array


def scored_items(gold: ArrayLike, score: ArrayLike) -> tuple[Bools, Floats]:
    """The truth and the score of each item; higher scores are more faithful."""
    faithful, values = truths(gold, "gold"), real_numbers(score, "score")
    require_same_length(gold=faithful, score=values)
    return faithful, values


def group_numbers(values: ArrayLike, name: str) -> Ints:
    """Groups of any kind (numbers, texts) numbered from 0 without gaps."""
    numbers: Ints = np.unique(_row(values, name), return_inverse=True)[1]
    return numbers


def rating_table(values: ArrayLike) -> Floats:
    """Ratings as raters x units; a missing one, masked or NaN, is NaN."""
    table = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    if table.ndim != 2:
        raise ValueError(f"ratings must have two axes, raters x units, not {table.ndim}")
    if np.isinf(table).any():
        raise ValueError("ratings must be finite; a missing one is NaN or masked")
    return table


def require_same_length(**arrays: NDArray[np.generic]) -> None:
    """Raises unless all arrays describe the same items."""
    if len({len(array) for array in arrays.values()}) > 1:
        found = ", ".join(f"{name} {len(array)}" for name, array in arrays.items())
        raise ValueError(f"arrays that describe the same items differ in length: {found}")


def order_codes(values: Floats) -> Ints:
    """Whole numbers from 0 in the order of the values; equal values share a number."""
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    low, high = values.min(), values.max()
    if low == high:
        return np.zeros(values.size, dtype=np.int64)
    if high - low < _NARROW:
        codes: Ints = (values - low).astype(np.int64)
        if np.array_equal(codes + low, values):
            return codes
    ranks: Ints = np.unique(values, return_inverse=True)[1]
    return ranks


def _row(values: ArrayLike, name: str) -> NDArray[np.generic]:
    array: NDArray[np.generic] = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one row of values, not an array with {array.ndim} axes")
    return array
