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
        return type(self)(self.codes[numbers], self.scale[numbers], self.low[numbers]).unpack()


class PackedInEight(Packed):
    """One weight in each byte of `codes`."""

    def unpack(self) -> Matrix:
        """The matrix in 32 bits."""
        return _scaled(self.codes, self.scale, self.low)


class PackedInSix(Packed):
    """Four weights in each three bytes of `codes`; the fourth lies in the high bits of all."""

    def unpack(self) -> Matrix:
        """The matrix in 32 bits."""
        first, second, third = (self.codes[:, place::3] for place in range(3))
        fourth = first >> 6 | second >> 6 << 2 | third >> 6 << 4
        codes = np.stack((first & 63, second & 63, third & 63, fourth), axis=2)
        return _scaled(codes, self.scale, self.low)


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


def _scaled(
    codes: NDArray[np.uint8], scale: NDArray[np.float16], low: NDArray[np.float16]
) -> Matrix:
    """The weights that codes stand for."""
    rows, groups = scale.shape
    grouped: Matrix = codes.reshape(rows, groups, -1).astype(np.float32)
    grouped *= scale.astype(np.float32)[:, :, None]
    grouped += low.astype(np.float32)[:, :, None]
    return grouped.reshape(rows, -1)
