"""Words that make a statement less sure: may, mostly, seems to, plans to, reportedly."""

import re
from functools import cache

from assay.text.discourse.lexicon import pattern_of, plain, word_lists

LOOSE = "loose"  # the kind that is not missed where it is gone
_MAY_DAY = re.compile(r"\bMay\b")


def find_hedges(text: str, kinds: frozenset[str] | None = None) -> list[tuple[int, int]]:
    """The places of the hedges of some kinds, by default of all; a month is none.

    >>> [slice(*place) for place in find_hedges("It may rain in May.")]
    [slice(3, 6, None)]
    """
    months = {found.start() for found in _MAY_DAY.finditer(text) if found.start() > 0}
    found = _pattern(kinds).finditer(plain(text))
    return [each.span() for each in found if each.start() not in months]


@cache
def firm_kinds() -> frozenset[str]:
    """The kinds whose loss makes a statement surer."""
    return frozenset(word_lists("hedges")) - {LOOSE}


@cache
def _pattern(kinds: frozenset[str] | None) -> re.Pattern[str]:
    lists = word_lists("hedges")
    return pattern_of(word for kind in kinds or lists for word in lists[kind])
