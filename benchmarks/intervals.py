"""Bootstrap intervals for the benchmarks, resampling whole groups such as sources."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUNDS = 1000


def interval(
    statistic: Callable[[NDArray[np.intp]], float], groups: NDArray[np.intp]
) -> tuple[float, float]:
    """The 95 % interval of a statistic of row numbers; rows of one group stay together."""
    random = np.random.default_rng(0)
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    values = []
    for _ in range(ROUNDS):
        picked = random.integers(0, len(members), len(members))
        values.append(statistic(np.concatenate([members[i] for i in picked])))
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def show(value: float, bounds: tuple[float, float]) -> str:
    """A figure with its interval."""
    return f"{value:.3f} [{bounds[0]:.3f}, {bounds[1]:.3f}]"


def auroc(score: Array, faithful: NDArray[np.bool_]) -> float:
    """The chance that a faithful item scores above an unfaithful one; ties count half."""
    order = np.argsort(score, kind="stable")
    _, start, counts = np.unique(score[order], return_index=True, return_counts=True)
    ranks = np.repeat(start + (counts + 1) / 2, counts)
    positive = faithful[order]
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    return float(
        (ranks[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
    )


def balanced_accuracy(said: NDArray[np.bool_], faithful: NDArray[np.bool_]) -> float:
    """The mean of the recalls of both classes."""
    return float((said[faithful].mean() + (~said[~faithful]).mean()) / 2)
