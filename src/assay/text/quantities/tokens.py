"""A text cut into numbers, words and signs, which the readers of quantities walk along."""

import re
from collections.abc import Iterator

from assay.text.quantities.lexicon import LONGEST

_PARTED = ".,'’٫٬\u00a0\u202f\u2009"
_FRACTION = "¼½¾⅐-⅞"
_UNSPACED = "\u3041-\u3096\u3400-\u9fff"  # hiragana and ideographs; katakana makes words
_TOKEN = re.compile(
    rf"(?P<number>\d+(?:[{_PARTED}]\d+)*)"
    rf"|[{_FRACTION}{_UNSPACED}]"
    rf"|[^\W\d_{_FRACTION}{_UNSPACED}]+"
    r"|[^\w\s]|_"
)


class TokenWalk:
    """The tokens of a text as parallel lists; beyond its end there are empty ones."""

    __slots__ = ("_vocabulary", "ends", "folded", "is_number", "starts", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.is_number: list[bool] = []
        for match in _TOKEN.finditer(text):
            self.words.append(match[0])
            self.starts.append(match.start())
            self.ends.append(match.end())
            self.is_number.append(match.lastgroup == "number")
        self._vocabulary: frozenset[str] | None = None
        self.folded = [word.lower() for word in self.words]

    @property
    def vocabulary(self) -> frozenset[str]:
        """The different tokens in lower case."""
        if self._vocabulary is None:
            self._vocabulary = frozenset(self.folded)
        return self._vocabulary

    def __len__(self) -> int:
        return len(self.words)

    def word(self, at: int) -> str:
        """A token as written."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def fold(self, at: int) -> str:
        """A token in lower case."""
        return self.folded[at] if 0 <= at < len(self.words) else ""

    def number(self, at: int) -> bool:
        """True if a token begins with a digit."""
        return self.is_number[at] if 0 <= at < len(self.words) else False

    def glued(self, at: int) -> bool:
        """True if nothing parts a token from the one before it."""
        return 0 < at < len(self.words) and self.starts[at] == self.ends[at - 1]

    def near(self, at: int) -> bool:
        """True if at most a short space on the same line parts a token from the one before."""
        if not 0 < at < len(self.words):
            return False
        gap = self.text[self.ends[at - 1] : self.starts[at]]
        return len(gap) <= 2 and "\n" not in gap

    def phrases(self, at: int) -> Iterator[tuple[str, int]]:
        """The words from a token on, longest first, with the token behind them."""
        last = at + 1
        while last < min(at + LONGEST, len(self.words)) and self.near(last):
            last += 1
        for end in range(last, at, -1):
            if 0 <= at < len(self.words):
                yield self.slice(at, end), end

    def ends_sentence(self, end: int) -> bool:
        """True if the token before is a full stop that may end a sentence."""
        if self.word(end - 1) != ".":
            return False
        return not self.near(end) or self.words[end][0].isupper()

    def phrases_before(self, at: int) -> Iterator[str]:
        """The words that end before a token, longest first."""
        first = at - 1
        while first > max(at - LONGEST, 0) and self.near(first):
            first -= 1
        for start in range(max(first, 0), at):
            yield self.slice(start, at)

    def slice(self, first: int, end: int) -> str:
        """Some tokens as they stand in the text, with single spaces."""
        return " ".join(self.text[self.starts[first] : self.ends[end - 1]].split())
