"""Cuts a text into passages of about a hundred words, at the ends of paragraphs and sentences.

Passages are in order, do not overlap, and leave out nothing but the white space between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

WORDS = 100
_WORD = re.compile(r"\S{1,500}")  # longer runs, as in scripts without spaces, are cut inside
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class Cut:
    """A passage as a range of its text, and how many words it has."""

    start: int
    end: int
    words: int


def cut(text: str, words: int = WORDS) -> Iterator[Cut]:
    """The passages of a text; none has more than half as many words again as are wanted.

    >>> text = "One two three. Four five six.  Seven eight nine ten."
    >>> [text[each.start : each.end] for each in cut(text, 6)]
    ['One two three. Four five six.', 'Seven eight nine ten.']
    """
    if len(text) <= 20 * words and len(found := text.split()) <= words:  # most are: no need to look
        if found:
            yield Cut(len(text) - len(text.lstrip()), len(text.rstrip()), len(found))
        return
    start = 0
    while window := list(islice(_WORD.finditer(text, start), words + words // 2 + 1)):
        count = _count(text, window, words)
        start = window[count - 1].end()
        yield Cut(window[0].start(), start, count)


def _count(text: str, window: Sequence[re.Match[str]], words: int) -> int:
    """How many words of the window are the next passage."""
    if len(window) <= words:
        return len(window)
    gaps = [text[a.end() : b.start()] for a, b in pairwise(window)]
    paragraphs = [n for n, gap in enumerate(gaps, 1) if "\n" in gap and _BLANK_LINE.search(gap)]
    sentences = [
        n for n, (word, gap) in enumerate(zip(window, gaps, strict=False), 1)
        if gap and _SENTENCE_END.search(word[0])
    ]  # fmt: skip
    least = max(words // 2, 1)
    for ends in (paragraphs, sentences):
        if fitting := [n for n in ends if least <= n <= words]:
            return fitting[-1]
    return min((n for n in (*paragraphs, *sentences) if n > words), default=words)
