"""Matrices in four bits a weight: groups of neighbours share a scale and a lowest value."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

GROUP = 64
LEVELS = 15

Matrix = NDArray[np.float32]


class Packed(NamedTuple):
    """Two weights in each byte of `codes`; a weight is `low + code * scale` of its group."""

    codes: NDArray[np.uint8]
    scale: NDArray[np.float16]
    low: NDArray[np.float16]

    def unpack(self) -> Matrix:
        """The matrix in 32 bits."""
        rows, half = self.codes.shape
        groups = self.scale.shape[1]
        pairs = np.empty((rows, half, 2), dtype=np.float32)
        np.bitwise_and(self.codes, 15, out=pairs[:, :, 0], casting="unsafe")
        np.right_shift(self.codes, 4, out=pairs[:, :, 1], casting="unsafe")
        grouped = pairs.reshape(rows, groups, 2 * half // groups)
        grouped *= self.scale.astype(np.float32)[:, :, None]
        grouped += self.low.astype(np.float32)[:, :, None]
        return pairs.reshape(rows, 2 * half)

    def rows(self, numbers: NDArray[np.int32]) -> Matrix:
        """Some rows of the matrix in 32 bits."""
        return Packed(self.codes[numbers], self.scale[numbers], self.low[numbers]).unpack()


def pack(matrix: Matrix, group: int = GROUP) -> Packed:
    """The nearest matrix of this form whose groups keep their lowest and highest values."""
    rows, columns = matrix.shape
    grouped = matrix.reshape(rows, columns // group, group)
    low = grouped.min(axis=2).astype(np.float16)
    scale = ((grouped.max(axis=2) - low) / LEVELS).astype(np.float16)
    step = np.where(scale == 0, np.float16(1), scale).astype(np.float32)[:, :, None]
    codes = np.rint((grouped - low.astype(np.float32)[:, :, None]) / step)
    codes = codes.clip(0, LEVELS).astype(np.uint8).reshape(rows, columns // 2, 2)
    return Packed(codes[:, :, 0] | codes[:, :, 1] << 4, scale, low)
