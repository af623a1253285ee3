"""The layers of a weight file, expanded by other threads while the program goes on."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
        norms = [floats(arrays, f"{number}.{name}") for name in ("attention_norm", "inner_norm")]
        width = len(norms[0])
        wanted = (
            (shape.queries + 2 * shape.key_heads * shape.head, width),
            (width, shape.queries),
            (len(gate_up.codes), width),
            (width, len(gate_up.codes) // 2),
        )
        found = tuple(each.shape for each in (qkv, out, gate_up, down))
        if found != wanted or any(norm.shape != (width,) for norm in norms):
            raise ValueError(f"the matrices of layer {number} are of {found}")
        return cls((qkv, out, gate_up, down), *norms, shape)

    @property
    def size(self) -> int:
        """The number of its weights."""
        return sum(rows * columns for rows, columns in self._shapes)

    def expand(self, room: Matrix) -> Layer:
        """The layer in 32 bits, in `room`, which has a place for each of its weights."""
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


class ExpandedLayers:
    """Layers in 32 bits; whoever asks for one that is not expanded yet waits for it."""

    def __init__(self, layers: list[StoredLayer], threads: int) -> None:
        self._stored = layers
        self._process = os.getpid()
        self._found: list[Layer | None] = [None] * len(layers)
        # One block, for which the system takes large pages: these are there far sooner.
        self._room = np.empty((len(layers), max(each.size for each in layers)), np.float32)
        pool = ThreadPoolExecutor(threads)
        self._under_way = [pool.submit(self._expand, number) for number in range(len(layers))]
        pool.shutdown(wait=False)

    def __len__(self) -> int:
        return len(self._stored)

    def __getitem__(self, number: int) -> Layer:
        if (found := self._found[number]) is not None:
            return found
        if os.getpid() == self._process:
            return self._under_way[number].result()
        return self._expand(number)  # a forked child has no thread of its parent's

    def _expand(self, number: int) -> Layer:
        found = self._stored[number].expand(self._room[number])
        self._found[number] = found
        return found
