"""The heads of the network: one reads the marks behind the sentences, the other their words."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.packing import Matrix

Arrays = Mapping[str, NDArray[np.generic]]

EPSILON = np.float32(1e-5)


@dataclass(frozen=True, slots=True, eq=False)
class WordHead:
    """Says of each token whether the source bears it out, in view of its sentence's mark.

    With x the token and m the mark, the logit is token.x + mark.m + both.(x * m) + bias.
    """

    token: Matrix
    mark: Matrix
    both: Matrix
    bias: np.float32

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "WordHead | None":
        """The word head of the weight file, if it has one."""
        if "words" not in arrays:
            return None
        token, mark, both = floats(arrays, "words")
        (bias,) = floats(arrays, "words_bias")
        return cls(token, mark, both, bias)

    def read(self, x: Matrix, ends: NDArray[np.intp]) -> Matrix:
        """A logit for each token of sentences that end, each with its mark, before `ends`."""
        lengths = np.diff(ends, prepend=0)
        marks = x[ends - 1]
        products = np.repeat(marks * self.both, lengths, axis=0)
        products += self.token
        logits: Matrix = np.einsum("tw,tw->t", x, products)
        logits += np.repeat(marks @ self.mark, lengths) + self.bias
        return logits


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """Reads the mark, and a mean of its sentence in which those tokens weigh most it points at."""

    norm: Matrix
    query: Matrix | None  # without it the mark alone is read
    matrix: Matrix
    bias: Matrix
    word_head: WordHead | None = None

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "Head":
        """The head of the weight file."""
        query = floats(arrays, "query") if "query" in arrays else None
        return cls(
            floats(arrays, "last_norm"),
            query,
            floats(arrays, "head"),
            floats(arrays, "bias"),
            WordHead.from_arrays(arrays),
        )

    def read(self, response: Matrix, ends: NDArray[np.intp]) -> tuple[Matrix, Matrix | None]:
        """The logits of sentences that end, each with its mark, before `ends`: three at each mark.

        With a word head there is also one at each token, marks included.
        """
        x: Matrix = normal(response, EPSILON) * self.norm
        found: Matrix = x[ends - 1]
        if self.query is not None:
            found = np.concatenate((found, _pool(x, x @ self.query, ends)), axis=1)
        logits: Matrix = found @ self.matrix.T + self.bias
        return logits, self.word_head.read(x, ends) if self.word_head else None


def normal(x: Matrix, epsilon: np.float32) -> Matrix:
    """Each row divided by its root mean square."""
    mean = np.full(x.shape[1], 1 / x.shape[1], dtype=np.float32)
    found: Matrix = np.square(x)
    roots = np.sqrt(found @ mean + epsilon)
    np.multiply(x, (1 / roots)[:, None], out=found)
    return found


def floats(arrays: Arrays, name: str) -> Matrix:
    """An array of the weight file in 32 bits."""
    return arrays[name].astype(np.float32)


def _pool(x: Matrix, pointed: Matrix, ends: NDArray[np.intp]) -> Matrix:
    """The mean of each sentence's tokens, weighed by the softmax of how far they are pointed at."""
    starts = np.concatenate(([0], ends[:-1]))
    lengths = ends - starts
    weights: Matrix = np.exp(pointed - np.repeat(np.maximum.reduceat(pointed, starts), lengths))
    weights /= np.repeat(np.add.reduceat(weights, starts), lengths)
    pooled: Matrix = np.add.reduceat(x * weights[:, None], starts)
    return pooled
