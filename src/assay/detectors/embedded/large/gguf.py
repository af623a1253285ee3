"""Reads GGUF files: the facts about a model, and its tensors, which stay packed on disk.

The layout is described in ggml's docs/gguf.md. Nothing is trusted: every length is checked against
the file before it is used.

Weights are in few bits. Q4_K: 256 weights in 144 bytes: a scale and a lowest value in 16 bits,
eight of both in 6 bits each, and 256 codes of 4 bits. Q6_K: 256 weights in 210 bytes: the codes'
lower 4 bits, their upper 2, sixteen scales in 8 bits, and a scale of these. Q8_0: a scale, and 32
weights in 8 bits.
"""

import mmap
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
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


Rows = NDArray[np.integer[Any]]

REMEDY = "run 'assay models remove large', then 'assay models pull large'"
MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = 32
MOST_DIMENSIONS = 4
# The kinds of values by their numbers; 8 is a text and 9 a list.
_KINDS = dict(zip((*range(8), 10, 11, 12), "BbHhIifBQqd", strict=True))
_TEXT, _LIST = 8, 9


class _BadFileError(Exception):
    """A file that is damaged or no GGUF file."""


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A matrix, or a list of weights, as it lies in the file: a row of bytes for each of its."""

    packing: Packing
    columns: int
    data: Bytes

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.data), self.columns

    def take(self, rows: slice | Rows) -> "Tensor":
        """Some of its rows, as packed as they are."""
        return Tensor(self.packing, self.columns, self.data[rows])

    def unpack(self, out: Matrix | None = None) -> Matrix:
        """The weights in 32 bits, in `out` where it is given."""
        if out is None:
            out = np.empty(self.shape, dtype=np.float32)
        return self.packing.unpack(self.data, out)


@dataclass(frozen=True, slots=True, eq=False)
class GGUFFile:
    """The values and tensors of a file, by their names."""

    path: Path
    values: dict[str, Any]
    tensors: dict[str, Tensor]


def read_gguf(path: Path) -> GGUFFile:
    """The file, mapped into memory; one that is damaged, or of another kind, raises."""
    try:
        with path.open("rb") as file:
            memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        reason = getattr(error, "strerror", None) or f"it is empty; {REMEDY}"
        raise InputError(f"the base model {path} cannot be read: {reason}") from None
    try:
        return _Reader(memory).read(path)
    except (_BadFileError, UnicodeDecodeError) as error:
        raise InputError(f"the base model {path} is damaged: {error}; {REMEDY}") from None


class _Reader:
    """Goes through a file from its beginning."""

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory
        self._place = 0

    def read(self, path: Path) -> GGUFFile:
        if self._take(4) != MAGIC:
            raise _BadFileError("it is no GGUF file")
        if (version := self._number("I")) not in VERSIONS:
            raise _BadFileError(f"it is of version {version}; this reads 2 and 3")
        tensors, values = self._number("Q"), self._number("Q")
        found = {}
        for _ in range(values):
            name = self._text()
            found[name] = self._value(self._number("I"))
        entries = [self._entry() for _ in range(tensors)]
        step = found.get("general.alignment", ALIGNMENT)
        if not isinstance(step, int) or step < 1:
            raise _BadFileError(f"its alignment is {step!r}")
        start = -(-self._place // step) * step
        data = np.frombuffer(self._memory, dtype=np.uint8)
        return GGUFFile(path, found, {name: make(data[start:]) for name, make in entries})

    def _take(self, count: int) -> bytes:
        end = self._place + count
        if end > len(self._memory):
            raise _BadFileError("it ends too early")
        taken = bytes(self._memory[self._place : end])
        self._place = end
        return taken

    def _number(self, kind: str) -> Any:
        form = Struct(f"<{kind}")
        return form.unpack(self._take(form.size))[0]

    def _text(self) -> str:
        return self._take(self._number("Q")).decode()

    def _value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self._text()
        if kind != _LIST:
            return self._number(self._kind(kind))
        inner, count = self._number("I"), self._number("Q")
        if inner == _TEXT:
            return [self._text() for _ in range(count)]
        letter = self._kind(inner)
        taken = self._take(count * Struct(f"<{letter}").size)
        return list(Struct(f"<{count}{letter}").unpack(taken))

    def _kind(self, kind: int) -> str:
        if kind not in _KINDS:
            raise _BadFileError(f"it has a value of an unknown kind, {kind}")
        return _KINDS[kind]

    def _entry(self) -> tuple[str, Callable[[Bytes], Tensor]]:
        """The name of a tensor, and what finds it among the data."""
        name = self._text()
        dimensions = self._number("I")
        if not 0 < dimensions <= MOST_DIMENSIONS:
            raise _BadFileError(f"its tensor {name} has {dimensions} dimensions")
        columns, *rest = (self._number("Q") for _ in range(dimensions))
        kind, offset = self._number("I"), self._number("Q")
        packing = PACKINGS.get(kind)

        def make(data: Bytes) -> Tensor:
            if packing is None:
                raise _BadFileError(f"its tensor {name} is packed in a way, {kind}, not known here")
            if columns % packing.weights:
                raise _BadFileError(f"the rows of its tensor {name} are not whole blocks")
            rows, width = prod(rest), columns // packing.weights * packing.bytes
            if not rows * width:
                raise _BadFileError(f"its tensor {name} is empty")
            if offset + rows * width > len(data):
                raise _BadFileError("it ends too early")
            return Tensor(packing, columns, data[offset:][: rows * width].reshape(rows, width))

        return name, make
