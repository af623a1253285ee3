"""The layers of the large network, expanded one at a time from the base and the adapter."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.detectors.embedded.attention import pair_rows
from assay.detectors.embedded.cores import threads
from assay.detectors.embedded.large.adapter import Adapter, Added
from assay.detectors.embedded.large.base import BaseModel
from assay.detectors.embedded.large.gguf import Tensor
from assay.detectors.embedded.layers import Layer
from assay.detectors.embedded.packing import Matrix

AT_ONCE = 1 << 18  # weights that are expanded together, so that they stay in the cache
NORMS = {"qkv": "attention_norm", "gate_up": "inner_norm"}  # what is normed before a product


class Piece(NamedTuple):
    """A tensor of the base: its rows among those of one of our matrices, and what scales it."""

    tensor: str
    matrix: str
    start: int
    stop: int
    scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Some rows of a matrix that are to be expanded, and what is done with them then."""

    packed: Tensor
    room: Matrix
    added: Added
    rows: slice  # of the matrix
    columns: Matrix | None  # by which the columns are multiplied
    scale: float

    def run(self) -> None:
        """Expands the rows into their room."""
        rows = self.packed.unpack(self.room)
        self.added.add_to(rows, self.rows)
        if self.columns is not None:
            rows *= self.columns
        if self.scale != 1:
            rows *= np.float32(self.scale)


class ExpandingLayers:
    """Each layer lies in the same memory as the one before, which is lost when it is asked for."""

    def __init__(self, base: BaseModel, adapter: Adapter) -> None:
        """Raises unless each fits the other."""
        self._base = base
        self._adapter = adapter
        shape, inner, width = base.shape, base.inner, base.width
        keys = shape.queries + shape.key_heads * shape.head
        values = 2 * keys - shape.queries
        self._pieces = (
            Piece("attn_q", "qkv", 0, shape.queries, shape.head**-0.5),
            Piece("attn_k", "qkv", shape.queries, keys),
            Piece("attn_v", "qkv", keys, values),
            Piece("attn_output", "out", 0, width),
            Piece("ffn_gate", "gate_up", 0, inner, 0.5),  # see `_gate` in layers.py
            Piece("ffn_up", "gate_up", inner, 2 * inner),
            Piece("ffn_down", "down", 0, width),
        )
        self._sizes = {
            "qkv": (values, width),
            "out": (width, shape.queries),
            "gate_up": (2 * inner, width),
            "down": (width, inner),
        }
        for number in range(len(self)):
            self._bias(number)
            for matrix, size in self._sizes.items():
                adapter.check(number, matrix, size)
            for piece in self._pieces:
                self._tensor(number, piece)

    def __len__(self) -> int:
        return self._base.layers

    def __getitem__(self, number: int) -> Layer:
        for _ in threads().map(Task.run, list(self._tasks(number))):
            pass
        rooms, shape = self._rooms, self._base.shape
        turned = shape.heads + shape.key_heads
        qkv = pair_rows(rooms["qkv"], turned, shape.head)
        bias = pair_rows(self._bias(number), turned, shape.head)[:, 0]
        return Layer(qkv.T, rooms["out"].T, rooms["gate_up"], rooms["down"].T, bias)

    @cached_property
    def _rooms(self) -> dict[str, Matrix]:
        return {name: np.empty(size, dtype=np.float32) for name, size in self._sizes.items()}

    def _tasks(self, number: int) -> Iterator[Task]:
        """All that is to be done for a layer."""
        added = {name: self._adapter.added(number, name) for name in self._sizes}
        norms = {name: self._adapter.norm(number, norm) for name, norm in NORMS.items()}
        for piece in self._pieces:
            tensor, room = self._tensor(number, piece), self._rooms[piece.matrix]
            step = max(1, AT_ONCE // tensor.columns)
            for start in range(piece.start, piece.stop, step):
                rows = slice(start, min(start + step, piece.stop))
                packed = tensor.take(slice(start - piece.start, rows.stop - piece.start))
                columns = norms.get(piece.matrix)
                yield Task(
                    packed, room[rows], added[piece.matrix], rows, columns, scale=piece.scale
                )

    def _tensor(self, number: int, piece: Piece) -> Tensor:
        name = f"blk.{number}.{piece.tensor}.weight"
        columns = self._sizes[piece.matrix][1]
        return self._base.tensor(name, piece.stop - piece.start, columns)

    def _bias(self, number: int) -> Matrix:
        """The biases of queries, keys and values, scaled as these are, as a column."""
        parts = []
        for piece in (each for each in self._pieces if each.matrix == "qkv"):
            name, size = f"blk.{number}.{piece.tensor}.bias", piece.stop - piece.start
            parts.append(self._base.tensor(name, 1, size).unpack()[0] * np.float32(piece.scale))
        return np.concatenate(parts)[:, None]
