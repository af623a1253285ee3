"""Evidence from attention: the heads that point at passages of the source.

A verdict rests on the passages that receive the most attention from a sentence. `SourceLooks` keeps
the same attention word by word, so that any part of a response can be looked up afterwards without
the network: a plain value that can be written down and read again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.core.texts import Span
from assay.core.units import Unit
from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.reading import SentenceRow
from assay.detectors.embedded.tokens import Tokenizer, TokenRow
from assay.text.quantities.restating import Restated

MOST_PASSAGES = 6  # that are kept of a word
DIGITS = 4  # of a weight


@dataclass(frozen=True, slots=True)
class Pointer:
    """The attention heads that point at evidence, as (layer, head, weight).

    They were chosen on sources that people marked (`training/point.py`). A verdict rests on the
    passages whose tokens receive the most attention from them.
    """

    heads: tuple[tuple[int, int, float], ...]

    @property
    def layers(self) -> frozenset[int]:
        """The layers whose attention is needed."""
        return frozenset(layer for layer, _, _ in self.heads)

    def weigh(self, attention: Mapping[int, Matrix], passages: Sequence[slice]) -> Matrix:
        """The attention that each passage gets from each piece of a response: pieces x passages.

        `attention` has by layer heads x pieces x tokens, and `passages` are tokens.
        """
        tokens = sum(
            np.float32(weight) * attention[layer][head] for layer, head, weight in self.heads
        )
        sums = np.pad(np.cumsum(tokens, axis=1), ((0, 0), (1, 0)))
        stops = [part.stop for part in passages]
        weights: Matrix = sums[:, stops] - sums[:, [part.start for part in passages]]
        return weights


def strongest(weights: NDArray[np.float32], limit: int, least: float) -> list[int]:
    """The heaviest passages, best first: those with at least a share of the first one's weight."""
    order = np.argsort(-weights, kind="stable")[:limit]
    return [int(n) for n in order if weights[n] > 0 and weights[n] >= least * weights[order[0]]]


@dataclass(frozen=True, slots=True)
class WordLook:
    """A word of the response, the passages it looks at by their numbers, and how much at each.

    The weights are sums over the word's tokens: a word that looks at the source more counts more.
    """

    start: int
    end: int
    passages: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SourceLooks:
    """The passages that the words of a response attend to, best first, by a model's weights.

    Words of sentences that the network does not read (in another language, or stating nothing) are
    absent.
    """

    model: str
    words: tuple[WordLook, ...]

    def at(self, places: Sequence[Span], passages: int) -> NDArray[np.float64]:
        """The share of the attention of some places in the response that each passage gets.

        All are 0 where no word there was read.
        """
        found = np.zeros(passages)
        for place in places:
            for word in self.words:
                if word.start < place.end and place.start < word.end:
                    found[list(word.passages)] += word.weights
        total = found.sum()
        return found / total if total else found


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a row: its place in the response and its number of tokens."""

    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class WordRow:
    """A row in which every word is a piece; `words` has None for a mark, which is none."""

    row: TokenRow
    words: tuple[Word | None, ...]

    def looks(self, weights: Matrix, numbers: Sequence[int]) -> Iterator[WordLook]:
        """For each word the numbers of the passages it attends to most."""
        for word, weight in zip(self.words, weights, strict=True):
            if word:
                best = np.argsort(-weight, kind="stable")[:MOST_PASSAGES].tolist()
                sums = ((numbers[n], round(float(weight[n]) * word.tokens, DIGITS)) for n in best)
                kept = [each for each in sums if each[1] > 0]
                passages, amounts = zip(*kept, strict=True) if kept else ((), ())
                yield WordLook(word.start, word.end, passages, amounts)


def by_words(
    rows: Sequence[SentenceRow],
    units: Sequence[Unit],
    texts: Sequence[Restated],
    tokenizer: Tokenizer,
) -> Iterator[WordRow]:
    """The same rows in pieces of words.

    `units` are the sentences that they were made of, and `texts` these as they were read.
    """
    read: Counter[int] = Counter()  # tokens of each sentence so far; a long one comes in parts
    for each in rows:
        ends: list[int] = []
        words: list[Word | None] = []
        first = each.row.source.stop + 1
        for number, mark in zip(each.sentences, each.row.marks.tolist(), strict=True):
            tokens = range(read[number], read[number] + mark - first)
            for word in _words_of(units[number], texts[number], tokens, tokenizer):
                first += word.tokens
                ends.append(first - 1)
                words.append(word)
            ends.append(mark)
            words.append(None)
            read[number] = tokens.stop
            first = mark + 1
        yield WordRow(replace(each.row, pieces=np.array(ends, dtype=np.intp)), tuple(words))


def _words_of(unit: Unit, read: Restated, tokens: range, tokenizer: Tokenizer) -> Iterator[Word]:
    """The words of which some tokens of a unit consist.

    A unit that is not one span of the response in the same wording is one word at its place.
    """
    if len(unit.spans) != 1 or unit.spans[0].text != unit.text:
        if tokens:
            yield Word(unit.start or 0, unit.end or 0, len(tokens))
        return
    offset = unit.spans[0].start
    text = read.text
    starts = tokenizer.starts(text, tokenizer.encode(text)).tolist()
    cuts = [n for n in tokens[1:] if text[starts[n] : starts[n] + 1].isspace()]
    for first, last in pairwise((tokens.start, *cuts, tokens.stop) if tokens else ()):
        start, end = read.origin(starts[first], starts[last])
        yield Word(offset + start, offset + end, last - first)
