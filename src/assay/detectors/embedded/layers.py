"""One layer of the network: its matrices, and how tokens go through it.

What scales a matrix from outside (the weights of the norms, the root in attention) is multiplied
into it beforehand. Rotary pairs lie side by side, so that turning them is one complex product.
Attention goes through blocks of queries, so that little is computed above the diagonal.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.head import Arrays, normal
from assay.detectors.embedded.packing import Matrix, Packed, stated_form
from assay.detectors.embedded.tokens import TokenRow

BLOCK = 64  # queries at once; fewer waste less above the diagonal, more make larger products

Turns = NDArray[np.complex64]


def paired(rows: int, turned: int, head: int) -> NDArray[np.intp]:
    """The order of rows in which the two numbers lie side by side that are turned together.

    The first heads are turned, so many: those of queries and keys; values are not.
    """
    order = np.arange(rows)
    halves = order[: turned * head].reshape(turned, 2, head // 2)
    order[: turned * head] = halves.swapaxes(1, 2).reshape(-1)
    return order


def find_turns(length: int, head: int, base: float) -> Turns:
    """By what the positions turn the pairs of a head."""
    half = head // 2
    speeds = np.float32(base) ** (-np.arange(half, dtype=np.float32) / np.float32(half))
    angles = np.arange(length, dtype=np.float32)[:, None] * speeds
    turns = np.empty((length, half), dtype=np.complex64)
    turns.real, turns.imag = np.cos(angles), np.sin(angles)
    return turns


def split_heads(qkv: Matrix, turns: Turns, heads: int, keys: int) -> tuple[Matrix, Matrix, Matrix]:
    """Queries (key head, token, query head, .), keys (key head, ., token), values (., token, .)."""
    size, half = turns.shape
    group = heads // keys
    pairs = qkv[:, : 2 * half * heads].view(np.complex64).reshape(size, heads, half)
    q = np.empty((keys, size, group, half), dtype=np.complex64)
    queries = pairs.reshape(size, keys, group, half).swapaxes(0, 1)
    np.multiply(queries, turns[:, None], out=q)
    return q.view(np.float32), *split_keys(qkv[:, 2 * half * heads :], turns, keys)


def split_keys(kv: Matrix, turns: Turns, keys: int) -> tuple[Matrix, Matrix]:
    """Keys (key head, ., token) and values (key head, token, .)."""
    size, half = turns.shape
    turned = 2 * half * keys
    pairs = kv[:, :turned].view(np.complex64).reshape(size, keys, half)
    k = (pairs * turns[:, None]).view(np.float32).transpose(1, 2, 0)
    return k, kv[:, turned:].reshape(size, keys, -1).swapaxes(0, 1)


def look_at_source(q: Matrix, k: Matrix, row: TokenRow, response: int) -> Matrix:
    """Attention (head, piece, source token), the mean over the queries of each piece."""
    keys, count, group, head = q.shape
    products: Matrix = q.swapaxes(1, 2).reshape(keys, group * count, head) @ k
    scores = products.reshape(keys * group, count, -1)
    places = response + np.arange(count)
    scores[:, np.arange(k.shape[2]) > places[:, None]] = -np.inf
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    ends = row.marks if row.pieces is None else row.pieces
    starts = np.concatenate(([0], ends[:-1] + 1 - response))
    found: Matrix = np.add.reduceat(scores[:, :, row.source], starts, axis=1)
    found /= np.diff(starts, append=count).astype(np.float32)[:, None]
    return found


def attend(q: Matrix, k: Matrix, v: Matrix) -> Matrix:
    """The output of causal attention for the last tokens, those with queries."""
    keys, size, group, head = q.shape
    heard = np.empty((size, keys, group, head), dtype=np.float32)
    space = np.empty(BLOCK * group * k.shape[2], dtype=np.float32)
    ones = np.ones(k.shape[2], dtype=np.float32)
    before = k.shape[2] - size
    hidden = np.triu(np.full((BLOCK, BLOCK), -np.inf, dtype=np.float32), 1)[:, None]
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        count = end - start
        seen = before + end
        scores = space[: count * group * seen].reshape(count * group, seen)
        for key in range(keys):
            np.matmul(q[key, start:end].reshape(-1, head), k[key, :, :seen], out=scores)
            diagonal = scores.reshape(count, group, seen)[:, :, before + start :]
            diagonal += hidden[:count, :, :count]
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            found = scores @ v[key, :seen]
            found /= (scores @ ones[:seen])[:, None]
            heard[start:end, key] = found.reshape(count, group, head)
    return heard.reshape(size, keys * group * head)


CHUNK = 64  # rows of the inner layer at once, so that they stay in the cache


@dataclass(frozen=True, slots=True)
class Shape:
    """The facts about a network that its matrices do not show."""

    heads: int
    key_heads: int
    head: int  # the width of one
    turns: float = 100_000.0  # the base of the rotary embedding
    epsilon: float = 1e-5  # of the norms in the layers

    @property
    def queries(self) -> int:
        """The width of all queries."""
        return self.heads * self.head


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The matrices of one layer: `gate_up` from the left, the others from the right of tokens."""

    qkv: Matrix
    out: Matrix
    gate_up: Matrix
    down: Matrix
    bias: Matrix | None = None  # of queries, keys and values


class TokenPart:
    """Some neighbouring tokens of a row on their way through the layers."""

    def __init__(
        self, x: Matrix, turns: Turns, place: slice, shape: Shape, k: Matrix, v: Matrix
    ) -> None:
        """`k` and `v` are for all tokens of the row."""
        self.x = x
        self._q = x
        self._turns = turns
        self._place = place
        self._shape = shape
        self._k, self._v = k, v
        self._epsilon = np.float32(shape.epsilon)

    def q_from(self, start: int) -> Matrix:
        """The queries of its tokens from a place in the row on."""
        return self._q[:, max(start - self._place.start, 0) :]

    def ask(self, layer: Layer) -> None:
        """Makes queries, and writes the keys and values of these tokens among the row's."""
        qkv: Matrix = normal(self.x, self._epsilon) @ layer.qkv
        if layer.bias is not None:
            qkv += layer.bias
        place, shape = self._place, self._shape
        self._q, self._k[:, :, place], self._v[:, place] = split_heads(
            qkv, self._turns, shape.heads, shape.key_heads
        )

    def answer(self, layer: Layer) -> None:
        """Attends to what comes before, and goes through the rest of the layer."""
        end = self._place.stop
        heard = attend(self._q, self._k[:, :, :end], self._v[:, :end])
        self._q = self.x
        self.x += heard @ layer.out
        self.x += _gate(layer.gate_up @ normal(self.x, self._epsilon).T).T @ layer.down


class SettledPart:
    """Tokens whose vectors change no more: only their keys and values are made in a layer."""

    def __init__(
        self, x: Matrix, turns: Turns, place: slice, shape: Shape, k: Matrix, v: Matrix
    ) -> None:
        """`k` and `v` are for all tokens of the row."""
        self._x = normal(x, np.float32(shape.epsilon))
        self._turns = turns
        self._place = place
        self._shape = shape
        self._k, self._v = k, v

    def ask(self, layer: Layer) -> None:
        """Writes the keys and values of these tokens among the row's."""
        queries, place = self._shape.queries, self._place
        kv: Matrix = self._x @ layer.qkv[:, queries:]
        if layer.bias is not None:
            kv += layer.bias[queries:]
        self._k[:, :, place], self._v[:, place] = split_keys(kv, self._turns, self._shape.key_heads)


def stored(arrays: Arrays, name: str) -> Packed:
    """A matrix as the weight file has it."""
    codes, scale, low = (arrays[f"{name}.{field}"] for field in Packed._fields)
    _, form = stated_form(arrays)
    return form(codes.view(np.uint8), scale.view(np.float16), low.view(np.float16))


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
