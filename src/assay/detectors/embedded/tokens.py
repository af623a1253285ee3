"""Text as the model reads it: token numbers, laid out in one row with a mark after each sentence.

    <start> question <source> source <response> sentence <mark> sentence <mark> ...

The small model's vocabulary is a part of SmolLM2's byte-pair vocabulary (see
`training/vocabulary.py`), one base64 token a line, in the order of its merges. Digits are read one
by one.
"""

import re
from binascii import a2b_base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import tiktoken
from numpy.typing import NDArray

Tokens = NDArray[np.int32]

# The first rows of the embedding are for what is not text.
START, SOURCE, RESPONSE, MARK = range(4)
FIRST_WORD = 4
PIECES = r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
_MOST_SPACE = 50_000  # characters; the library panics at some hundred thousand
_SPACE = re.compile(rf"\s{{1,{_MOST_SPACE}}}+")


class Tokenizer:
    """Cuts text into tokens and says which characters each of them covers."""

    def __init__(self, vocabulary: Sequence[bytes], pieces: str = PIECES) -> None:
        """`pieces` is the pattern of what is never joined into one token."""
        ranks = {word: FIRST_WORD + number for number, word in enumerate(vocabulary)}
        self._encoding = tiktoken.Encoding(
            "assay", pat_str=pieces, mergeable_ranks=ranks, special_tokens={}
        )
        self._lengths = np.array([0] * FIRST_WORD + [len(word) for word in vocabulary])

    @classmethod
    def read(cls, vocabulary: bytes) -> "Tokenizer":
        """The tokenizer of a vocabulary file's content."""
        return cls([a2b_base64(line) for line in vocabulary.split()])

    def encode(self, text: str) -> Tokens:
        """The tokens of a text."""
        pieces = map(self._encoding.encode_ordinary, _pieces(_printable(text)))
        return np.array([token for piece in pieces for token in piece], dtype=np.int32)

    def starts(self, text: str, tokens: Tokens) -> NDArray[np.intp]:
        """The start of each token in the text, and last the text's end."""
        bytes_before = np.concatenate(([0], np.cumsum(self._lengths[tokens])))
        widths = (len(character.encode()) for character in _printable(text))
        ends = np.fromiter(accumulate(widths), dtype=np.intp, count=len(text))
        return np.searchsorted(ends, bytes_before, side="right")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One input of the model: the place of the source in it, and the mark of each sentence.

    `pieces` are the last tokens of the parts of the response whose attention is wanted, in order
    and up to the last mark; by default the marks.
    """

    tokens: Tokens
    source: slice
    marks: NDArray[np.intp]
    pieces: NDArray[np.intp] | None = None


def lay_out(question: Tokens, source: Tokens, sentences: Sequence[Tokens]) -> TokenRow:
    """One row for a source and the sentences to be judged."""
    parts: list[Tokens] = [_special(START), question, _special(SOURCE), source, _special(RESPONSE)]
    for sentence in sentences:
        parts += [sentence, _special(MARK)]
    start = len(question) + 2
    before = start + len(source) + 1
    marks = before + np.cumsum([len(sentence) + 1 for sentence in sentences], dtype=np.intp) - 1
    return TokenRow(np.concatenate(parts), slice(start, start + len(source)), marks)


def _special(token: int) -> Tokens:
    return np.array([token], dtype=np.int32)


def _pieces(text: str) -> Iterator[str]:
    """The text in one piece, unless it has more white space in a row than the library can take."""
    start = 0
    if len(text) > _MOST_SPACE:
        for space in _SPACE.finditer(text):
            if len(space[0]) == _MOST_SPACE:
                yield text[start : space.end()]
                start = space.end()
    yield text[start:]


def _printable(text: str) -> str:
    """The same number of characters, without those that have no token."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else " " for character in text
    )
