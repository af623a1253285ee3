"""Capitals for texts that have none, as many news sources in benchmarks are given."""

import re
from functools import lru_cache

FEWEST = 0.002  # of a text's letters; with fewer capitals, it has lost them
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BEGINNING = re.compile(r"(?:^|[.!?]['\"”’)]*\s+|\n)['\"“‘(]*([^\W\d_])")
_SOME_LETTERS = 40  # a shorter text proves nothing


def with_capitals(text: str, model: str, language: str = "en") -> str:
    """A text without capitals with those that another one shows; no character moves.

    Words get the capitals that they have in the other text; sentences and the English "i" get
    theirs.

    >>> with_capitals("the mayor of lund , ada berg, says that i was late . she left .", "Ada Berg")
    'The mayor of lund , Ada Berg, says that I was late . She left .'
    """
    if not _has_lost_capitals(text) or model == model.lower():
        return text
    known = {word.lower(): word for word in _WORD.findall(model) if word != word.lower()}
    if language == "en":
        known["i"] = "I"
    words = _WORD.sub(lambda found: _as_long(known.get(found[0], found[0]), found[0]), text)
    return _BEGINNING.sub(lambda found: _as_long(_raised(found), found[0]), words)


@lru_cache(maxsize=64)
def _has_lost_capitals(text: str) -> bool:
    letters = sum(each.islower() or each.isupper() for each in text)  # not all scripts have them
    return letters >= _SOME_LETTERS and sum(map(str.isupper, text)) < FEWEST * letters


def _raised(found: re.Match[str]) -> str:
    return found[0][:-1] + found[1].upper()


def _as_long(changed: str, before: str) -> str:
    """The changed text, unless a capital is longer than its small letter."""
    return changed if len(changed) == len(before) else before
