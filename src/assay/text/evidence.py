"""Evidence: the passages of a source that matter for a sentence.

Passages are the source's sentences. They are ranked by BM25 over stemmed content words, plus the
weight of every name, number and date of the sentence that a passage contains exactly.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from assay.core.texts import Passage, Source, Span
from assay.text.mentions import find_mentions
from assay.text.sentences import split_sentences
from assay.text.words import terms

_LENGTH = 0.75  # b: how much a long document counts against itself

Scores = NDArray[np.float32]


class Bm25:
    """BM25 in the form of Lucene: an index of documents, each given by its words.

    A word weighs log(1 + (N - n + 0.5) / (n + 0.5)) for n of N documents that have it, and counts
    f / (f + k1 * (1 - b + b * length / mean length)) for f times in a document (Kamphuis et al.
    2020).
    """

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

    def rarity_of(self, word: str) -> float:
        """The weight of a word by the number of documents that have it."""
        return self.rarity(len(self._parts[word][0]) if word in self._parts else 0)

    def rarity(self, count: int) -> float:
        """The weight of something that occurs in `count` documents (BM25's idf)."""
        return math.log(1 + (self._size - count + 0.5) / (count + 0.5))

    def _weigh(self, word: str) -> tuple[NDArray[np.intp], Scores]:
        numbers, parts = self._parts[word]
        weights = np.float32(self.rarity(len(parts))) * np.array(parts)
        self._weights[word] = np.array(numbers), weights.astype(np.float32)
        return self._weights[word]


MENTION_WEIGHT = 0.5
K1 = 1.5  # how soon BM25 has enough of a repeated word


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage, its content words, and its score for one sentence; higher matters more."""

    passage: Span
    terms: frozenset[str]
    score: float


class SourceIndex:
    """The passages of one source, indexed for ranking against any number of sentences."""

    def __init__(self, source: Source, language: str = "en") -> None:
        self.language = language
        self.passages = split_passages(source, language)
        self.terms = [terms(passage.text, language) for passage in self.passages]
        self.mentions: dict[str, list[int]] = {}
        for number, passage in enumerate(self.passages):
            for key in {key for mention in find_mentions(passage.text) for key in mention.parts}:
                self.mentions.setdefault(key, []).append(number)
        self._bm25 = Bm25(self.terms, K1)

    def rank(self, sentence: str, limit: int = 3) -> list[RankedPassage]:
        """The passages that matter most for a sentence, best first; none if nothing matches."""
        scores = self.scores(sentence)
        return [
            RankedPassage(self.passages[i], frozenset(self.terms[i]), float(scores[i]))
            for i in _best_first(scores)[:limit]
        ]

    def choose(
        self, sentences: Iterable[str], budget: int, sizes: Sequence[int] | None = None
    ) -> list[int]:
        """The numbers of passages for all sentences within a budget, in the order of the source.

        The best passage of every sentence comes first, then every second best, and so on; what is
        left of the budget goes to the beginning of the source. `sizes` is the cost of each passage,
        by default its number of characters.
        """
        sizes = sizes or [len(passage.text) for passage in self.passages]
        rounds = zip_longest(*(_best_first(self.scores(each)) for each in sentences))
        ranked = (number for row in rounds for number in row if number is not None)
        chosen: set[int] = set()
        for number in (*ranked, *range(len(self.passages))):
            if number not in chosen and sizes[number] <= budget:
                chosen.add(number)
                budget -= sizes[number]
        return sorted(chosen)

    def scores(self, sentence: str) -> NDArray[np.float64]:
        """A score for each passage; 0 where nothing of the sentence matches."""
        return self.word_scores(sentence) + MENTION_WEIGHT * self.mention_scores(sentence)

    def word_scores(self, sentence: str) -> NDArray[np.float64]:
        """BM25 of each passage for the content words of a sentence."""
        return self._bm25.scores(terms(sentence, self.language)).astype(np.float64)

    def mention_scores(self, sentence: str) -> NDArray[np.float64]:
        """The rarity of the names, numbers and dates of a sentence that each passage contains."""
        scores = np.zeros(len(self.passages))
        for key in {mention.key for mention in find_mentions(sentence)}:
            found = self.mentions.get(key, [])
            scores[found] += self._bm25.rarity(len(found))
        return scores

    def full_score(self, sentence: str) -> float:
        """The BM25 score of a passage of mean length with each content word of a sentence once."""
        return sum(map(self._bm25.rarity_of, terms(sentence, self.language))) / (1 + K1)


def _best_first(scores: NDArray[np.float64]) -> list[int]:
    """The numbers of the passages that match at all; ties in the order of the source."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order[: int((scores > 0).sum())]


def split_passages(source: Source, language: str = "en") -> tuple[Span, ...]:
    """The sentences of a source; none crosses a boundary between its own passages."""
    parts = source.passages or (Passage("", 0, len(source.text)),)
    return tuple(
        Span("source", part.start + span.start, part.start + span.end, span.text)
        for part in parts
        for span in split_sentences(source.text[part.start : part.end], "source", language)
    )
