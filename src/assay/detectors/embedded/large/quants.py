"""Weights in few bits, as GGUF files hold them, expanded to 32 bits.

Q4_K: 256 weights in 144 bytes: a scale and a lowest value in 16 bits, eight of both in 6 bits each,
and 256 codes of 4 bits. Q6_K: 256 weights in 210 bytes: the codes' lower 4 bits, their upper 2,
sixteen scales in 8 bits, and a scale of these. Q8_0: a scale, and 32 weights in 8 bits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.packing import Matrix

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Packing:
    """A way to pack weights: so many in each block of so many bytes."""

    weights: int
    bytes: int
    expand: Callable[[Bytes, Matrix], None]  # blocks into rows of their weights

    def unpack(self, data: Bytes, out: Matrix) -> Matrix:
        """Writes the weights of rows of bytes into `out`, and returns it."""
        self.expand(data.reshape(-1, self.bytes), out.reshape(-1, self.weights))
        return out


def _expand_f32(blocks: Bytes, out: Matrix) -> None:
    out[:] = np.ascontiguousarray(blocks).view("<f4")


def _expand_f16(blocks: Bytes, out: Matrix) -> None:
    out[:] = np.ascontiguousarray(blocks).view("<f2")


def _expand_q8_0(blocks: Bytes, out: Matrix) -> None:
    np.multiply(blocks[:, 2:].view(np.int8), _floats(blocks[:, :2]), out=out)


def _expand_q4_k(blocks: Bytes, out: Matrix) -> None:
    both = _floats(blocks[:, :4])
    first, second, third = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = np.concatenate((first & 63, third & 15 | first >> 2 & 48), axis=1) * both[:, :1]
    lows = np.concatenate((second & 63, third >> 4 | second >> 2 & 48), axis=1) * both[:, 1:]
    codes = blocks[:, 16:].reshape(-1, 4, 32)
    pairs = out.reshape(-1, 4, 2, 32)  # of groups of 32 weights
    np.bitwise_and(codes, 15, out=pairs[:, :, 0], casting="unsafe")
    np.right_shift(codes, 4, out=pairs[:, :, 1], casting="unsafe")
    groups = out.reshape(-1, 8, 32)
    groups *= scales[:, :, None]
    groups -= lows[:, :, None]


def _expand_q6_k(blocks: Bytes, out: Matrix) -> None:
    low = blocks[:, :128].reshape(-1, 2, 2, 32)
    high = blocks[:, 128:192].reshape(-1, 2, 32)
    codes = np.empty((len(blocks), 2, 4, 32), dtype=np.int8)  # halves, quarters of them
    for quarter in range(4):
        lower = low[:, :, quarter % 2] >> (quarter // 2 * 4) & 15
        codes[:, :, quarter] = lower | (high >> (2 * quarter) & 3) << 4
    codes -= 32
    scales = blocks[:, 192:208].view(np.int8) * _floats(blocks[:, 208:])
    np.multiply(codes.reshape(-1, 16, 16), scales[:, :, None], out=out.reshape(-1, 16, 16))


def _floats(halves: Bytes) -> Matrix:
    return np.ascontiguousarray(halves).view("<f2").astype(np.float32)


# By the numbers that GGUF files use.
PACKINGS = {
    0: Packing(1, 4, _expand_f32),
    1: Packing(1, 2, _expand_f16),
    8: Packing(32, 34, _expand_q8_0),
    12: Packing(256, 144, _expand_q4_k),
    14: Packing(256, 210, _expand_q6_k),
}
