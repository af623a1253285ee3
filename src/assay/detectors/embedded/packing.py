"""Matrices in four bits a weight: groups of neighbours share a scale and a lowest value."""

from typing import Any, NamedTuple

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

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix; raises where its parts do not fit each other."""
        rows, half = self.codes.shape
        groups = self.scale.shape[1]
        if self.scale.shape != self.low.shape or len(self.scale) != rows or 2 * half % groups:
            raise ValueError(f"groups of {self.scale.shape} do not fit codes of {rows} x {half}")
        return rows, 2 * half

    def unpack(self, out: Matrix | None = None) -> Matrix:
        """The matrix in 32 bits, in `out` where it is given."""
        rows, half = self.codes.shape
        groups = self.scale.shape[1]
        if out is None:
            out = np.empty((rows, 2 * half), dtype=np.float32)
        pairs = out.reshape(rows, half, 2)
        np.bitwise_and(self.codes, 15, out=pairs[:, :, 0], casting="unsafe")
        np.right_shift(self.codes, 4, out=pairs[:, :, 1], casting="unsafe")
        grouped = pairs.reshape(rows, groups, 2 * half // groups)
        grouped *= self.scale.astype(np.float32)[:, :, None]
        grouped += self.low.astype(np.float32)[:, :, None]
        return out

    def take(self, numbers: NDArray[np.integer[Any]]) -> "Packed":
        """Some rows of the matrix, as packed as they are."""
        return Packed(self.codes[numbers], self.scale[numbers], self.low[numbers])

    def rows(self, numbers: NDArray[np.int32]) -> Matrix:
        """Some rows of the matrix in 32 bits."""
        return self.take(numbers).unpack()


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
