"""Windows: the parts of a source and a response that are read at once.

A source that fits is read whole. Of a longer one the passages are read that matter most for the
sentences that are judged together. A response that is too long is read in several rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.core.texts import Source, Span
from assay.detectors.embedded.tokens import Tokenizer, TokenRow, Tokens, lay_out
from assay.text.casing import with_capitals
from assay.text.evidence import SourceIndex, split_passages

QUESTION_TOKENS = 96
SOURCE_TOKENS = 1_200
SENTENCE_TOKENS = 240  # a longer sentence is read in pieces
RESPONSE_TOKENS = 600


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A row, the number of the sentence before each mark, and which source tokens it has."""

    row: TokenRow
    sentences: tuple[int, ...]
    source_tokens: NDArray[np.intp]


class SourceReader:
    """One source in tokens, with the passages to choose from when it is too long."""

    def __init__(
        self,
        source: Source,
        tokenizer: Tokenizer,
        language: str = "en",
        response: str = "",
        window: int = SOURCE_TOKENS,
    ) -> None:
        """A source without capitals is read with those of the response.

        `window` is how many tokens of the source are read at once.
        """
        self._source = source
        self._text = with_capitals(source.text, response, language)
        self._language = language
        self._tokenizer = tokenizer
        self._window = window

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the source."""
        return self._tokenizer.encode(self._text)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The start of each token in the source, and last the source's end."""
        return self._tokenizer.starts(self._text, self.tokens)

    @cached_property
    def _index(self) -> SourceIndex:
        return SourceIndex(self._source, self._language)

    @cached_property
    def passages(self) -> tuple[Span, ...]:
        """The passages of the source."""
        return split_passages(self._source, self._language)

    def passage_tokens(self) -> list[slice]:
        """The tokens of each passage."""
        edges = [(passage.start, passage.end) for passage in self.passages]
        first = np.searchsorted(self.starts, [start for start, _ in edges], side="right") - 1
        last = np.searchsorted(self.starts, [end for _, end in edges], side="left")
        return [slice(int(a), int(b)) for a, b in zip(first, last, strict=True)]

    def passages_in(self, row: SentenceRow) -> tuple[list[Span], list[slice]]:
        """The passages that a row has, and where their tokens lie in its source."""
        chosen = row.source_tokens
        edges = [(part.start, part.stop) for part in self.passage_tokens()]
        first = np.searchsorted(chosen, [start for start, _ in edges])
        last = np.searchsorted(chosen, [stop for _, stop in edges])
        held = [number for number in range(len(edges)) if last[number] > first[number]]
        return [self.passages[number] for number in held], [
            slice(int(first[number]), int(last[number])) for number in held
        ]

    def characters_in(self, row: SentenceRow) -> int:
        """The number of characters of the source in a row."""
        if len(row.source_tokens) == len(self.tokens):
            return len(self._source.text)
        widths = np.diff(self.starts)
        return int(widths[row.source_tokens].sum())

    def read(self, question: str, sentences: Sequence[str]) -> Iterator[SentenceRow]:
        """The rows in which the sentences are judged."""
        asked = self._tokenizer.encode(question)[:QUESTION_TOKENS]
        for group in self._groups(sentences):
            numbers = tuple(number for number, _ in group)
            chosen = self._choose([sentences[number] for number in dict.fromkeys(numbers)])
            row = lay_out(asked, self.tokens[chosen], [tokens for _, tokens in group])
            yield SentenceRow(row, numbers, chosen)

    def _groups(self, sentences: Sequence[str]) -> Iterator[list[tuple[int, Tokens]]]:
        """Sentences, or pieces of them, that are read together."""
        group: list[tuple[int, Tokens]] = []
        size = 0
        for number, sentence in enumerate(sentences):
            tokens = self._tokenizer.encode(sentence)
            for start in range(0, max(len(tokens), 1), SENTENCE_TOKENS):
                piece = tokens[start : start + SENTENCE_TOKENS]
                if group and size + len(piece) > RESPONSE_TOKENS:
                    yield group
                    group, size = [], 0
                group.append((number, piece))
                size += len(piece) + 1
        if group:
            yield group

    def _choose(self, sentences: Sequence[str]) -> NDArray[np.intp]:
        if len(self.tokens) <= self._window:
            return np.arange(len(self.tokens))
        slices = self.passage_tokens()
        sizes = [part.stop - part.start for part in slices]
        chosen = self._index.choose(sentences, self._window, sizes)
        parts = [np.arange(slices[number].start, slices[number].stop) for number in chosen]
        return np.unique(np.concatenate(parts)) if parts else np.arange(self._window)
