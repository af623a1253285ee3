"""The network in numpy: some layers of a llama, and a head that reads the marks.

`training/network.py` is the same in PyTorch. What makes it fast on few cores: what scales a matrix
from outside (the weights of the norms, the root in attention) is multiplied into it when it is
unpacked; every core takes a row of its own or a part of the row, and BLAS one thread, so that no
core waits in small products. `attention.py` has its own ways.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from assay.detectors.embedded.attention import (
    Turns,
    attend,
    find_turns,
    look_at_source,
    pair_rows,
    split_heads,
)
from assay.detectors.embedded.packing import Matrix, Packed
from assay.detectors.embedded.tokens import TokenRow

EPSILON = np.float32(1e-5)
HEAD = 64
CHUNK = 64  # rows of the inner layer at once, so that they stay in the cache
SQUARE = 3e-4  # what attention adds to the cost of tokens, measured
SMALLEST_PART = 128  # tokens; products of fewer are slow
THREADS = min(os.cpu_count() or 1, 8)

Arrays = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True, eq=False)
class NetworkOutput:
    """Three logits at each mark, and in the layers asked for the attention to the source.

    `attention` has by layer: heads x pieces x source tokens; it is the mean over the tokens of the
    piece. Unless the row says otherwise, a piece is a sentence with its mark.
    """

    logits: Matrix
    attention: Mapping[int, Matrix]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The matrices of one layer: `gate_up` from the left, the others from the right of tokens."""

    qkv: Matrix
    out: Matrix
    gate_up: Matrix
    down: Matrix

    @classmethod
    def from_arrays(cls, arrays: Arrays, number: int, head: int) -> "Layer":
        """A layer of the weight file."""
        qkv, out, gate_up, down = (
            _unpacked(arrays, f"{number}.{name}") for name in ("qkv", "out", "gate_up", "down")
        )
        qkv *= _floats(arrays, f"{number}.attention_norm")
        qkv[: len(out)] *= np.float32(head**-0.5)
        gate_up *= _floats(arrays, f"{number}.inner_norm")
        gate_up[: len(gate_up) // 2] *= np.float32(0.5)  # see `_gate`
        return cls(*map(np.ascontiguousarray, (pair_rows(qkv, head).T, out.T, gate_up, down.T)))


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """Reads the mark, and a mean of its sentence in which those tokens weigh most it points at."""

    norm: Matrix
    query: Matrix | None  # without it the mark alone is read
    matrix: Matrix
    bias: Matrix

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "Head":
        """The head of the weight file."""
        query = _floats(arrays, "query") if "query" in arrays else None
        return cls(
            _floats(arrays, "last_norm"), query, _floats(arrays, "head"), _floats(arrays, "bias")
        )

    def read(self, response: Matrix, ends: NDArray[np.intp]) -> Matrix:
        """The logits of sentences that end, each with its mark, before `ends`."""
        x: Matrix = _normal(response) * self.norm
        found: Matrix = x[ends - 1]
        if self.query is not None:
            found = np.concatenate((found, _pool(x, x @ self.query, ends)), axis=1)
        logits: Matrix = found @ self.matrix.T + self.bias
        return logits


class Network:
    """Three logits (entailed, neutral, contradicted) at each mark of a row."""

    def __init__(self, layers: list[Layer], head: Head, embedding: Packed, head_width: int) -> None:
        self.layers = layers
        self._head = head
        self._embedding = embedding
        self._head_width = head_width

    @classmethod
    def from_arrays(cls, arrays: Arrays, embedding: Packed, head_width: int = HEAD) -> "Network":
        """The network of a weight file."""
        count = sum(name.endswith(".attention_norm") for name in arrays)
        with ThreadPoolExecutor(THREADS) as pool:
            layers = pool.map(lambda n: Layer.from_arrays(arrays, n, head_width), range(count))
            return cls(list(layers), Head.from_arrays(arrays), embedding, head_width)

    def forward(self, row: TokenRow, attention: Collection[int] = ()) -> NetworkOutput:
        """The logits of a row, and the attention of some layers; each core takes some tokens."""
        size = len(row.tokens)
        parts = max(1, min(THREADS, size // SMALLEST_PART))
        with _cores() as pool:
            return self._forward(row, attention, _edges(size, parts), pool)

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        """The results of many rows, in their order; each core takes whole rows."""
        if len(rows) < 2 or THREADS == 1:
            return [self.forward(row, attention) for row in rows]
        with _cores() as pool:
            return list(
                pool.map(
                    lambda row: self._forward(row, attention, [0, len(row.tokens)], None), rows
                )
            )

    def _forward(
        self,
        row: TokenRow,
        attention: Collection[int],
        edges: list[int],
        pool: ThreadPoolExecutor | None,
    ) -> NetworkOutput:
        """A row whose tokens are cut at `edges`; with a pool its threads share the parts."""
        over = map if pool is None else pool.map
        x = self._embedding.rows(row.tokens)
        turns = find_turns(len(x), self._head_width)
        keys = (self.layers[0].qkv.shape[1] - x.shape[1]) // (2 * self._head_width)
        k = np.empty((keys, self._head_width, len(x)), dtype=np.float32)
        v = np.empty((keys, len(x), self._head_width), dtype=np.float32)
        parts = [TokenPart(x[a:b], turns[a:b], slice(a, b)) for a, b in pairwise(edges)]
        response = row.source.stop + 1
        seen = {}
        for number, layer in enumerate(self.layers):
            list(over(partial(TokenPart.ask, layer=layer, k=k, v=v), parts))
            if number in attention:
                q = np.concatenate([part.q for part in parts], axis=1)
                seen[number] = look_at_source(q[:, response:], k, row, response)
            if layer is self.layers[-1]:  # nothing but the response is read of its output
                for part in parts:
                    part.skip_to(response)
            list(over(partial(TokenPart.answer, layer=layer, k=k, v=v), parts))
        x = np.concatenate([part.x for part in parts])
        return NetworkOutput(self._head.read(x, row.marks + 1 - response), seen)


_one_at_a_time = Lock()


@contextmanager
def _cores() -> Iterator[ThreadPoolExecutor]:
    """Threads of our own while BLAS has one; that is set for the process, so one at a time does."""
    with _one_at_a_time, _blas().limit(limits=1, user_api="blas"):
        yield _threads()


# Made once: making them anew runs code in callbacks, and a Ctrl-C in a callback is lost.
@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS)


def _begin_anew() -> None:
    """For a forked child, which has no thread of its parent, and maybe a lock that one held."""
    global _one_at_a_time
    _one_at_a_time = Lock()
    _threads.cache_clear()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
    os.register_at_fork(after_in_child=_begin_anew)


class TokenPart:
    """Some neighbouring tokens of a row on their way through the layers."""

    def __init__(self, x: Matrix, turns: Turns, place: slice) -> None:
        self.x = x
        self.q = x
        self._turns = turns
        self._place = place

    def skip_to(self, start: int) -> None:
        """Leaves out the tokens before a place in the row."""
        left = max(start - self._place.start, 0)
        self.x, self.q = self.x[left:], self.q[:, left:]

    def ask(self, layer: Layer, k: Matrix, v: Matrix) -> None:
        """Makes queries, and writes the keys and values of these tokens among the row's."""
        qkv = _normal(self.x) @ layer.qkv
        self.q, k[:, :, self._place], v[:, self._place] = split_heads(
            qkv, self._turns, self.x.shape[1]
        )

    def answer(self, layer: Layer, k: Matrix, v: Matrix) -> None:
        """Attends to what comes before, and goes through the rest of the layer."""
        end = self._place.stop
        self.x += attend(self.q, k[:, :, :end], v[:, :end]) @ layer.out
        self.x += _gate(layer.gate_up @ _normal(self.x).T).T @ layer.down


def _edges(size: int, parts: int) -> list[int]:
    """Cuts tokens into parts of like cost; that of the first t tokens is t + SQUARE * t**2."""
    whole = size + SQUARE * size**2
    shares = np.arange(parts + 1) * whole / parts
    return [round(t) for t in (np.sqrt(1 + 4 * SQUARE * shares) - 1) / (2 * SQUARE)]


def _unpacked(arrays: Arrays, name: str) -> Matrix:
    codes, scale, low = (arrays[f"{name}.{field}"] for field in Packed._fields)
    return Packed(codes.view(np.uint8), scale.view(np.float16), low.view(np.float16)).unpack()


def _floats(arrays: Arrays, name: str) -> Matrix:
    return arrays[name].astype(np.float32)


def _normal(x: Matrix) -> Matrix:
    """Each row divided by its root mean square."""
    mean = np.full(x.shape[1], 1 / x.shape[1], dtype=np.float32)
    normal: Matrix = np.square(x)
    roots = np.sqrt(normal @ mean + EPSILON)
    np.multiply(x, (1 / roots)[:, None], out=normal)
    return normal


def _gate(wide: Matrix) -> Matrix:
    """SiLU of the gate times the rest: with h half the gate it is h * (1 + tanh h) * up."""
    inner = len(wide) // 2
    for start in range(0, inner, CHUNK):
        end = min(start + CHUNK, inner)
        half, up = wide[start:end], wide[inner + start : inner + end]
        up *= half
        np.tanh(half, out=half)
        half += 1
        up *= half
    return wide[inner:]


def _pool(x: Matrix, pointed: Matrix, ends: NDArray[np.intp]) -> Matrix:
    """The mean of each sentence's tokens, weighed by the softmax of how far they are pointed at."""
    starts = np.concatenate(([0], ends[:-1]))
    lengths = ends - starts
    weights: Matrix = np.exp(pointed - np.repeat(np.maximum.reduceat(pointed, starts), lengths))
    weights /= np.repeat(np.add.reduceat(weights, starts), lengths)
    pooled: Matrix = np.add.reduceat(x * weights[:, None], starts)
    return pooled
