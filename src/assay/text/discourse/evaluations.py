"""Words that judge or interpret: remarkable, effective, sadly."""

import re
from functools import cache

from assay.text.discourse.lexicon import pattern_of, plain, word_lists
from assay.text.discourse.wording import as_statement

_DEGREE = re.compile(r"\b(?:very|highly|truly|really|so|most|more|quite|rather)\s+$", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|was|were|be|been|being|seem\w*|remain\w*)\s+$", re.IGNORECASE)
_NOUN = re.compile(r"\s+[^\W\d_]+s\b")  # they were brave soldiers
_SPACE = re.compile(r"\s+")
_ARTICLE = re.compile(r"\b([Aa])n(?= [^aeiouAEIOU\W])|\b([Aa])(?= [aeiouAEIOU])")


def find_evaluation(text: str) -> tuple[int, int] | None:
    """The place of the first word that judges."""
    found = _pattern().search(plain(text))
    return found.span() if found else None


def without(text: str, place: tuple[int, int]) -> str:
    """A sentence without a word that judges; empty where the word is all that it states.

    >>> without("It was an impressive bridge.", (10, 20))
    'It was a bridge.'
    >>> without("The bridge was impressive.", (15, 25))
    ''
    """
    start, end = place
    degree = _DEGREE.search(text[:start])
    start = degree.start() if degree else start
    if _STATES.search(text[:start]) and not _NOUN.match(text[end:]):
        return ""
    rest = _SPACE.sub(" ", f"{text[:start]} {text[end:]}").replace(" ,", ",").lstrip(" ,")
    mended = _ARTICLE.sub(lambda found: found[1] or f"{found[2]}n", rest)
    return as_statement(mended.replace(" .", "."))


@cache
def _pattern() -> re.Pattern[str]:
    return pattern_of(word for words in word_lists("evaluations").values() for word in words)
