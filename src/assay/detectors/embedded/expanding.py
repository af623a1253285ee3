"""The layers of a weight file in 32 bits: one after the other at first, all of them later."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from assay.detectors.embedded.head import Arrays, floats
from assay.detectors.embedded.layers import Layer, Shape, paired, stored
from assay.detectors.embedded.packing import Matrix, Packed


@dataclass(frozen=True, slots=True, eq=False)
class StoredLayer:
    """The matrices of one layer as the weight file has them."""

    matrices: tuple[Packed, Packed, Packed, Packed]
    attention_norm: Matrix
    inner_norm: Matrix
    shape: Shape

    @classmethod
    def read(cls, arrays: Arrays, number: int, shape: Shape) -> "StoredLayer":
        """A layer of the weight file; raises where something is absent or does not fit."""
        qkv, out, gate_up, down = (
            stored(arrays, f"{number}.{name}") for name in ("qkv", "out", "gate_up", "down")
        )
        asking = floats(arrays, f"{number}.attention_norm")
        inner = floats(arrays, f"{number}.inner_norm")
        width = len(asking)
        wanted = (
            (shape.queries + 2 * shape.key_heads * shape.head, width),
            (width, shape.queries),
            (len(gate_up.codes), width),
            (width, len(gate_up.codes) // 2),
        )
        found = tuple(each.shape for each in (qkv, out, gate_up, down))
        if found != wanted or len(inner) != width:
            raise ValueError(f"the matrices of layer {number} are of {found}")
        return cls((qkv, out, gate_up, down), asking, inner, shape)

    @property
    def size(self) -> int:
        """The number of its weights."""
        return sum(rows * columns for rows, columns in self._shapes)

    def expand(self, room: Matrix | None = None) -> Layer:
        """The layer in 32 bits, in `room` where one with a place for each weight is given."""
        if room is None:
            room = np.empty(self.size, dtype=np.float32)
        edges = accumulate((rows * columns for rows, columns in self._shapes), initial=0)
        rooms = (
            room[start:stop].reshape(shape)
            for (start, stop), shape in zip(pairwise(edges), self._shapes, strict=True)
        )
        shape = self.shape
        first, *others = self.matrices
        order = paired(first.shape[0], shape.heads + shape.key_heads, shape.head)
        turned = (first.take(order), *others)
        qkv, out, gate_up, down = (
            matrix.unpack(place) for matrix, place in zip(turned, rooms, strict=True)
        )
        qkv *= self.attention_norm
        qkv[: shape.queries] *= np.float32(shape.head**-0.5)
        gate_up *= self.inner_norm
        gate_up[: len(gate_up) // 2] *= np.float32(0.5)  # see `_gate` in layers.py
        return Layer(qkv.T, out.T, gate_up, down.T)

    @property
    def _shapes(self) -> list[tuple[int, int]]:
        return [each.shape for each in self.matrices]


class StoredLayers:
    """Layers in their order, expanded as they are needed.

    The first time each lies in the memory of the last but one: a program that reads one text needs
    little memory, and is not kept waiting for it. Whoever asks again will ask often, and from then
    on all are kept.
    """

    def __init__(self, layers: Sequence[StoredLayer], threads: int) -> None:
        self._stored = layers
        self._threads = threads
        self._was_asked = False

    def __len__(self) -> int:
        return len(self._stored)

    def __iter__(self) -> Iterator[Layer]:
        if self._was_asked:
            return iter(self.kept)
        self._was_asked = True
        return self._one_ahead()

    @cached_property
    def kept(self) -> list[Layer]:
        """All of them in memory."""
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(StoredLayer.expand, self._stored))

    def _one_ahead(self) -> Iterator[Layer]:
        """Each layer while another thread expands the next."""
        size = max(each.size for each in self._stored)
        rooms = [np.empty(size, dtype=np.float32) for _ in range(2)]
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(self._stored[0].expand, rooms[0])
            for number in range(1, len(self)):
                layer = coming.result()
                coming = pool.submit(self._stored[number].expand, rooms[number % 2])
                yield layer
            yield coming.result()
