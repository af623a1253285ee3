"""The entries of a menu however a model spells them, and how likely the model found them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, isnan

from assay.llm.client import Reply, Token

DECORATION = " \t\r\n*_`\"'“”‘’«»()[]{}<>."
_JOINTS = r"[\s_‐‑‒–—-]"


@lru_cache(maxsize=1024)
def spelling(choice: str) -> str:
    """A pattern for a choice in any case, in which spaces, hyphens and underscores are the same.

    >>> bool(re.fullmatch(spelling("no-fact"), "No Fact", re.IGNORECASE))
    True
    """
    words = filter(None, re.split(f"{_JOINTS}+", choice))
    return f"{_JOINTS}*".join(map(re.escape, words))


@lru_cache(maxsize=256)
def menu_pattern(choices: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for any of the choices as whole words; longer choices come first."""
    any_of = "|".join(map(spelling, sorted(choices, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{any_of})(?![^\W_])", re.IGNORECASE)


def choice_of(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a text spells, apart from quotes, brackets and a full stop; None if none."""
    bare = text.strip(DECORATION)
    if bare in choices:
        return bare
    for choice in choices:
        if re.fullmatch(spelling(choice), bare, re.IGNORECASE):
            return choice
    return None


def probability_of(reply: Reply, value: str) -> float | None:
    """The probability of the tokens at the last place where the reply names the value.

    Places in quotation marks, as in JSON, are preferred. None if the server sent no tokens, if
    they do not spell the reply, or if the reply does not name the value.
    """
    if not reply.tokens:
        return None
    spelt = "".join(token.text for token in reply.tokens)
    begin = spelt.find(reply.text)  # a server may add characters of its own at the ends
    place = _last_place(reply.text, value)
    if not spelt or begin < 0 or place is None:
        return None
    start, end = begin + place[0], begin + place[1]
    total = sum(token.logprob for token in _covering(reply.tokens, start, end))
    return None if isnan(total) else min(1.0, exp(total))


def _last_place(text: str, value: str) -> tuple[int, int] | None:
    words = spelling(value)
    for pattern in (f'(?<=["“]){words}(?=["”])', rf"(?<![^\W_]){words}(?![^\W_])"):
        places = [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
        if places:
            return places[-1]
    return None


def _covering(tokens: tuple[Token, ...], start: int, end: int) -> Iterator[Token]:
    at = 0
    for token in tokens:
        if at < end and at + len(token.text) > start:
            yield token
        at += len(token.text)
