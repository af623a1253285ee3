"""Reads GGUF files: what a file says of its model, and its tensors, which stay packed on disk.

The layout is described in ggml's docs/gguf.md. Nothing is trusted: every length is checked against
the file before it is used.
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
from assay.detectors.embedded.large.quants import PACKINGS, Bytes, Packing
from assay.detectors.embedded.packing import Matrix

Rows = NDArray[np.integer[Any]]

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = 32
MOST_DIMENSIONS = 4
# The kinds of values by their numbers; 8 is a text and 9 a list.
_KINDS = dict(zip((*range(8), 10, 11, 12), "BbHhIifBQqd", strict=True))
_TEXT, _LIST = 8, 9


class _BadFileError(Exception):
    """What is wrong with the file."""


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
        reason = getattr(error, "strerror", None) or "it is empty"
        raise InputError(f"the base model {path} cannot be read: {reason}") from None
    try:
        return _Reader(memory).read(path)
    except (_BadFileError, UnicodeDecodeError) as error:
        raise InputError(f"the base model {path} is damaged: {error}") from None


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
            if offset + rows * width > len(data):
                raise _BadFileError("it ends too early")
            return Tensor(packing, columns, data[offset:][: rows * width].reshape(rows, width))

        return name, make
