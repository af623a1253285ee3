"""Matrices in few bits a weight: groups of neighbours share a scale and a lowest value."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

GROUP = 64
LEVELS = 15
BITS = 4  # a weight, where a file names no others

Matrix = NDArray[np.float32]


class Packed(NamedTuple):
    """Two weights in each byte of `codes`; a weight is `low + code * scale` of its group."""

    codes: NDArray[np.uint8]
    scale: NDArray[np.float16]
    low: NDArray[np.float16]

    @property
    def columns(self) -> int:
        """The number of weights in a row."""
        return 2 * int(self.codes.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix; raises where its parts do not fit each other."""
        rows, columns = len(self.codes), self.columns
        groups = self.scale.shape[1]
        if self.scale.shape != self.low.shape or len(self.scale) != rows or columns % groups:
            raise ValueError(f"groups of {self.scale.shape} do not fit {rows} x {columns} weights")
        return rows, columns

    def unpack(self, out: Matrix | None = None) -> Matrix:
        """The matrix in 32 bits, in `out` where it is given."""
        rows, groups = self.scale.shape
        if out is None:
            out = np.empty((rows, self.columns), dtype=np.float32)
        self.write_codes(out)
        grouped = out.reshape(rows, groups, -1)
        grouped *= self.scale.astype(np.float32)[:, :, None]
        grouped += self.low.astype(np.float32)[:, :, None]
        return out

    def write_codes(self, out: Matrix) -> None:
        """Writes the code of each weight."""
        pairs = out.reshape(len(out), -1, 2)
        np.bitwise_and(self.codes, 15, out=pairs[:, :, 0], casting="unsafe")
        np.right_shift(self.codes, 4, out=pairs[:, :, 1], casting="unsafe")

    def take(self, numbers: NDArray[np.integer[Any]]) -> "Packed":
        """Some rows of the matrix, as packed as they are."""
        return type(self)(self.codes[numbers], self.scale[numbers], self.low[numbers])

    def rows(self, numbers: NDArray[np.int32]) -> Matrix:
        """Some rows of the matrix in 32 bits."""
        return self.take(numbers).unpack()


class PackedInEight(Packed):
    """One weight in each byte of `codes`."""

    @property
    def columns(self) -> int:
        """The number of weights in a row."""
        return int(self.codes.shape[1])

    def write_codes(self, out: Matrix) -> None:
        """Writes the code of each weight."""
        out[...] = self.codes


class PackedInSix(Packed):
    """Four weights in each three bytes of `codes`; the fourth lies in the high bits of all."""

    @property
    def columns(self) -> int:
        """The number of weights in a row."""
        return int(self.codes.shape[1]) // 3 * 4

    def write_codes(self, out: Matrix) -> None:
        """Writes the code of each weight."""
        first, second, third = (self.codes[:, place::3] for place in range(3))
        fours = out.reshape(len(out), -1, 4)
        for place, codes in enumerate((first, second, third)):
            fours[:, :, place] = codes & 63
        fours[:, :, 3] = first >> 6 | second >> 6 << 2 | third >> 6 << 4


FORMS: dict[int, type[Packed]] = {4: Packed, 6: PackedInSix, 8: PackedInEight}


def stated_form(arrays: Mapping[str, NDArray[Any]]) -> tuple[int, type[Packed]]:
    """The bits a weight of the matrices in a file, which may name them, and their form."""
    bits = int(arrays["bits"].item()) if "bits" in arrays else BITS
    if bits not in FORMS:
        raise ValueError(f"{bits} bits a weight")
    return bits, FORMS[bits]


def pack(matrix: Matrix, group: int = GROUP, bits: int = BITS) -> Packed:
    """The nearest matrix of this form whose groups keep their lowest and highest values."""
    rows, columns = matrix.shape
    levels = (1 << bits) - 1
    grouped = matrix.reshape(rows, columns // group, group)
    low = grouped.min(axis=2).astype(np.float16)
    scale = ((grouped.max(axis=2) - low) / levels).astype(np.float16)
    step = np.where(scale == 0, np.float16(1), scale).astype(np.float32)[:, :, None]
    found = np.rint((grouped - low.astype(np.float32)[:, :, None]) / step)
    codes = found.clip(0, levels).astype(np.uint8).reshape(rows, columns)
    if bits == 4:
        codes = codes[:, ::2] | codes[:, 1::2] << 4
    elif bits == 6:
        high = codes[:, 3::4]
        parts = (codes[:, place::4] | high >> 2 * place << 6 for place in range(3))
        codes = np.stack(list(parts), axis=2).reshape(rows, -1)
    return FORMS[bits](codes, scale, low)
