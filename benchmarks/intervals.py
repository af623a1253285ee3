"""Figures with bootstrap intervals for the benchmarks, resampling whole groups such as sources."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.metrics import estimate_from_rows

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


def show(statistic: Callable[[Rows], float | None], groups: NDArray[np.generic]) -> str:
    """A statistic of row numbers with its 95 % interval; rows of one group stay together."""
    estimate = estimate_from_rows(statistic, len(groups), groups=groups)
    return str(estimate).partition(" n=")[0]
