"""BM25 in the form of Lucene: how well documents match the words of a query.

A word weighs log(1 + (N - n + 0.5) / (n + 0.5)) for n of N documents that have it, and counts
f / (f + k1 * (1 - b + b * length / mean length)) for f times in a document (Kamphuis et al. 2020).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

_LENGTH = 0.75  # b: how much a long document counts against itself

Scores = NDArray[np.float32]


class Bm25:
    """An index of documents, each given by its words."""

    def __init__(self, documents: Sequence[Sequence[str]], k1: float) -> None:
        self._size = len(documents)
        self._parts: dict[str, tuple[list[int], list[float]]] = {}
        self._weights: dict[str, tuple[NDArray[np.intp], Scores]] = {}  # of words asked for
        mean = sum(map(len, documents)) / max(self._size, 1)
        for number, words in enumerate(documents):
            norm = k1 * (1 - _LENGTH + _LENGTH * len(words) / mean) if words else 0.0
            for word, count in Counter(words).items():
                numbers, parts = self._parts.setdefault(word, ([], []))
                numbers.append(number)
                parts.append(count / (count + norm))

    def scores(self, query: Iterable[str]) -> Scores:
        """The score of each document; 0 where it has no word of the query."""
        scores = np.zeros(self._size, dtype=np.float32)
        for word in query:
            if word in self._parts:
                numbers, weights = self._weights.get(word) or self._weigh(word)
                scores[numbers] += weights
        return scores

    def _weigh(self, word: str) -> tuple[NDArray[np.intp], Scores]:
        numbers, parts = self._parts[word]
        rarity = math.log(1 + (self._size - len(parts) + 0.5) / (len(parts) + 0.5))
        weights = np.float32(rarity) * np.array(parts)
        self._weights[word] = np.array(numbers), weights.astype(np.float32)
        return self._weights[word]
