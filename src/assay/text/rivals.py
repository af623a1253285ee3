"""Words that exclude each other: the members of a series, such as days, and opposites."""

from collections.abc import Mapping
from functools import cache

_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_SERIES = (
    _DAYS,
    _MONTHS,
    "spring summer autumn winter",
    "north south east west",
    "northern southern eastern western",
    "morning afternoon evening night",
    "daily weekly monthly yearly",
    "red orange yellow green blue purple black white",
)
_OPPOSITES = """
    increase decrease, increased decreased, increases decreases, rise fall, rose fell, rises
    falls, rising falling, grew shrank, gained lost, win lose, won lost, wins loses, before
    after, above below, more less, more fewer, most least, higher lower, highest lowest, largest
    smallest, larger smaller, longer shorter, better worse, best worst, first last, always
    never, all none, allowed forbidden, allowed prohibited, permitted prohibited, accept reject,
    accepted rejected, approved rejected, approved denied, include exclude, included excluded,
    includes excludes, open closed, opened closed, opens closes, required optional, mandatory
    optional, with without, true false, start end, started ended, arrive leave, arrived left,
    bought sold, early late, earlier later, minimum maximum, success failure, succeeded failed,
    passed failed, present absent, public private, raised lowered, raise lower, safe unsafe,
    agree disagree, agreed disagreed, possible impossible, enable disable, enabled disabled,
    confirmed denied"""
_VERBS = ("may", "march")  # which are months with a capital only


@cache
def rivals() -> Mapping[str, frozenset[str]]:
    """For each word those that say something else in its place."""
    groups = [*map(str.split, _SERIES), *map(str.split, _OPPOSITES.split(","))]
    found: dict[str, frozenset[str]] = {}
    for group in groups:
        for word in group:
            found[word] = found.get(word, frozenset()) | (set(group) - {word})
    return found


def as_rival(word: str) -> str:
    """The form of a word that `rivals` has: `Mondays` and `Mon` are `monday`; "" if it has none.

    >>> as_rival("Mondays"), as_rival("Sept"), as_rival("may")
    ('monday', 'september', '')
    """
    folded = word.casefold()
    if word in _VERBS:
        return ""
    if folded in rivals():
        return folded
    singular = folded.removesuffix("s")
    if singular in _IN_SERIES:
        return singular
    return _SHORT.get(folded, "") if word[:1].isupper() else ""


_IN_SERIES = frozenset(word for series in _SERIES for word in series.split())
_SHORT = {
    word[:length]: word for word in (*_DAYS.split(), *_MONTHS.split()) for length in (3, 4, 5)
}
