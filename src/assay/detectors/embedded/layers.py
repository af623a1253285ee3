"""One layer of the network: its matrices, and how tokens go through it.

What scales a matrix from outside (the weights of the norms, the root in attention) is multiplied
into it beforehand.
"""

from dataclasses import dataclass

import numpy as np

from assay.detectors.embedded.attention import Turns, attend, pair_rows, split_heads
from assay.detectors.embedded.head import Arrays, floats, normal
from assay.detectors.embedded.packing import Matrix, Packed

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

    @classmethod
    def from_arrays(cls, arrays: Arrays, number: int, shape: Shape) -> "Layer":
        """A layer of the weight file."""
        qkv, out, gate_up, down = (
            unpacked(arrays, f"{number}.{name}") for name in ("qkv", "out", "gate_up", "down")
        )
        qkv *= floats(arrays, f"{number}.attention_norm")
        qkv[: shape.queries] *= np.float32(shape.head**-0.5)
        gate_up *= floats(arrays, f"{number}.inner_norm")
        gate_up[: len(gate_up) // 2] *= np.float32(0.5)  # see `_gate`
        qkv = pair_rows(qkv, shape.heads + shape.key_heads, shape.head)
        return cls(qkv.T, out.T, gate_up, down.T)


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

    def skip_to(self, start: int) -> None:
        """Leaves out the tokens before a place in the row."""
        self._q = self.q_from(start)
        self.x = self.x[max(start - self._place.start, 0) :]

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


def unpacked(arrays: Arrays, name: str) -> Matrix:
    """A matrix of the weight file in 32 bits."""
    codes, scale, low = (arrays[f"{name}.{field}"] for field in Packed._fields)
    return Packed(codes.view(np.uint8), scale.view(np.float16), low.view(np.float16)).unpack()


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
