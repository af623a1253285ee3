"""Where words stand in a text: apart from others rather than as a part of them."""

import re

_IN_A_WORD = re.compile(r"(?<=[^\W_])(?=[^\W_])")
_IN_A_NUMBER = re.compile(r"(?<=\d)(?=\d)|(?<=\d)(?=[.,]\d)|(?<=\d[.,])(?=\d)")

# Words that repeat themselves stand at so many places that not all of them can be looked at.
CHARACTERS = 200_000
LEAST = 10


def find_apart(text: str, words: str, after: int = 0) -> int:
    """The first place where the words stand apart; -1 if there is none.

    >>> find_apart("Alfred painted 12.5 red boats", "red"), find_apart("Alfred", "red")
    (20, -1)
    """
    return _find(text, words, after, (_IN_A_WORD, _IN_A_NUMBER))


def find_within(text: str, words: str, after: int = 0) -> int:
    """The same, but they may be a part of a longer word; a part of a number is another number.

    >>> find_within("12.5 boats", "boat"), find_within("12.5 boats", "12")
    (5, -1)
    """
    return _find(text, words, after, (_IN_A_NUMBER,))


def _find(text: str, words: str, after: int, cuts: tuple[re.Pattern[str], ...]) -> int:
    start = text.find(words, after)
    for _ in range(max(LEAST, CHARACTERS // (len(words) or 1))):
        borders = (start, start + len(words))
        if start < 0 or not any(cut.match(text, border) for cut in cuts for border in borders):
            return start
        start = text.find(words, start + 1)
    return -1
