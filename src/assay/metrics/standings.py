"""Ranks, and how alike two rankings are."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.metrics.arrays import Floats, Ints

Floats32 = NDArray[np.float32]


def ranks(values: ArrayLike) -> Floats:
    """The rank of each value along the last axis, the lowest first; equal values share one.

    Formula: 1 + the number of lower values. Undefined (NaN): NaN, and it moves no other rank.
    Reference: standard competition ranking.

    >>> ranks([0.5, 0.1, 0.5, 0.9]).tolist()
    [2.0, 1.0, 2.0, 4.0]
    """
    given = np.asarray(values, dtype=np.float64)
    order, starts, _ = _runs(given)
    return _back(starts.astype(np.float64) + 1, order, given)


def average_ranks(values: ArrayLike) -> Floats:
    """The rank of each value along the last axis, in which equal values have their mean place.

    Formula: the number of lower values + (the number of equal ones, itself too, + 1) / 2.
    Undefined (NaN): NaN.
    Reference: Kendall 1945, The treatment of ties in ranking problems.

    >>> average_ranks([0.5, 0.1, 0.5, 0.9]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    given = np.asarray(values, dtype=np.float64)
    order, starts, ends = _runs(given)
    return _back((starts + ends).astype(np.float64) / 2 + 1, order, given)


def kendall_tau(first: ArrayLike, second: ArrayLike) -> Floats:
    """The likeness of two orders along the last axis: Kendall's tau-b, which allows for ties.

    Formula: (C - D) / √((P - T₁)(P - T₂)) over all P pairs, of which C are in the same order, D in
    opposite orders, and T tied in one. NaN where one order is constant or there are no pairs.
    Reference: Kendall 1945, The treatment of ties in ranking problems.

    >>> round(float(kendall_tau([1, 2, 2, 4], [1, 3, 2, 4])), 3)
    0.913
    """
    return tau_from_signs(pair_signs(first), pair_signs(second))


def pair_signs(values: ArrayLike) -> Floats32:
    """For each pair of places along the last axis: whether the first is lower, equal or higher.

    What `tau_from_signs` needs; to be kept where an order is compared with several others.
    """
    given = np.asarray(values, dtype=np.float64)
    one, other = np.triu_indices(given.shape[-1], 1)
    found: Floats32 = np.sign(given[..., one] - given[..., other]).astype(np.float32)
    return found


def tau_from_signs(first: Floats32, second: Floats32) -> Floats:
    """Kendall's tau-b of two orders from the signs of their pairs."""
    agreed, ties, others = (
        np.einsum("...i,...i->...", a, b).astype(np.float64)
        for a, b in ((first, second), (first, first), (second, second))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = agreed / np.sqrt(ties * others)
    return found


def spearman_rho(first: ArrayLike, second: ArrayLike) -> Floats:
    """The likeness of two orders along the last axis: Spearman's rank correlation.

    Formula: the correlation (Pearson's) of the ranks, in which equal values have their mean place.
    NaN where one order is constant.
    Reference: Spearman 1904, The proof and measurement of association between two things.

    >>> round(float(spearman_rho([1, 2, 3, 4], [1, 3, 2, 4])), 3)
    0.8
    """
    return pearson(average_ranks(first), average_ranks(second))


def pearson(first: Floats, second: Floats) -> Floats:
    """The linear correlation along the last axis; NaN where one side is constant."""
    a, b = (x - x.mean(-1, keepdims=True) if x.shape[-1] else x for x in (first, second))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    return found


def _runs(values: Floats) -> tuple[Ints, Ints, Ints]:
    """The order along the last axis, and for each place where the run of equal values lies."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, -1)
    places = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    rises = np.ones(values.shape, dtype=np.bool_)
    rises[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    starts = np.maximum.accumulate(np.where(rises, places, 0), axis=-1)
    falls = np.ones(values.shape, dtype=np.bool_)
    falls[..., :-1] = rises[..., 1:]
    last = values.shape[-1] - 1
    back = np.where(falls, places, last)[..., ::-1]
    ends = np.minimum.accumulate(back, axis=-1)[..., ::-1]
    return order, starts, ends


def _back(ordered: Floats, order: Ints, values: Floats) -> Floats:
    """Numbers in rising order put where their values stand; NaN stays NaN."""
    found = np.empty(values.shape)
    np.put_along_axis(found, order, ordered, -1)
    found[np.isnan(values)] = np.nan
    return found
