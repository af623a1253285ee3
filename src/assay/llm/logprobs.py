"""How likely a model found the words of its verdict."""

import re
from collections.abc import Iterator
from math import exp, isnan

from assay.llm.requests import Reply, Token
from assay.llm.spelling import spelling


def probability_of(reply: Reply, value: str) -> float | None:
    """The product over the tokens that cover the last place where the reply names the value.

    A place in quotation marks comes first, as in JSON. None where the server sent no tokens, where
    they do not spell the reply, or where the reply does not name the value.
    """
    if not reply.tokens:
        return None
    spelt = "".join(token.text for token in reply.tokens)
    begin = spelt.find(reply.text)  # a server may add signs of its own at the ends
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
