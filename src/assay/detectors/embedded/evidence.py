"""Which passages of the source a verdict rests on: those that the sentence attends to.

The card names the attention heads that point at evidence, with their weights; they were chosen on
sources that people marked (`training/point.py`). A passage's weight is the attention that its
tokens receive from those heads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.packing import Matrix


@dataclass(frozen=True, slots=True)
class Pointer:
    """The heads that point at evidence, as (layer, head, weight)."""

    heads: tuple[tuple[int, int, float], ...]

    @property
    def layers(self) -> frozenset[int]:
        """The layers whose attention is needed."""
        return frozenset(layer for layer, _, _ in self.heads)

    def weigh(self, attention: Mapping[int, Matrix], passages: Sequence[slice]) -> Matrix:
        """The share of the attention that each passage gets from each mark: marks x passages.

        `attention` has by layer heads x marks x tokens, and `passages` are tokens.
        """
        tokens = sum(
            np.float32(weight) * attention[layer][head] for layer, head, weight in self.heads
        )
        sums = np.pad(np.cumsum(tokens, axis=1), ((0, 0), (1, 0)))
        stops = [part.stop for part in passages]
        return shares(sums[:, stops] - sums[:, [part.start for part in passages]])


def shares(weights: Matrix) -> Matrix:
    """Each row divided by its sum; a row of zeros stays one."""
    totals = weights.sum(axis=1, keepdims=True)
    parts: Matrix = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    return parts


def strongest(weights: NDArray[np.float32], limit: int, least: float) -> list[int]:
    """The heaviest passages, best first: those with at least a share of the first one's weight."""
    order = np.argsort(-weights, kind="stable")[:limit]
    return [int(n) for n in order if weights[n] > 0 and weights[n] >= least * weights[order[0]]]
