"""The unit that an amount is for, `per kg`, `a month` or `each`, and times in other times."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from assay.text.quantities import find_quantities
from assay.text.words import terms

_PER = re.compile(
    r"(?:\s(?!(?:and|or|to|in|on|at|for|from|with|than)\b)[^\W\d_]{1,20}){0,3}?\s*"
    r"(?:/\s?|\b(?:per|for (?:every|each|one)|(?:to|on) every"
    r"|to the(?= (?:square|kilo|lit|hect)))\s"
    r"(?:full |extra |whole |lost )?)"
    r"(?P<unit>(?:\d{1,6}(?:[.,]\d{1,3})?\s?)?(?:square |cubic )?[^\W\d_]{1,20}[²³]?)"
)
_EACH = re.compile(r"(?:\s(?:of\s)?[^\W\d_]{1,20}){0,1}?\s(?:each|apiece)\b")
_A = re.compile(
    r"(?:\s(?:of\s)?[^\W\d_]{1,20}){0,2}?\s(?:an?|every|once an?)\s"
    r"(?P<unit>second|minute|hour|day|night|week|month|quarter|year|lesson|piece|person|head|child"
    r"|ticket|kilo|kilogram|gram|pound|litre|liter|tonne|ton|metre|meter|mile|kilometre|hectare"
    r"|game|match|unit|item|visit|trip|share|serving|portion|square metre|square meter)\b"
)
_BEFORE = re.compile(
    r"\b(?:an?|one|each|every)\s(?P<unit>(?:square |cubic )?[^\W\d_]{1,20})\b"
    r"(?:\s[^\W\d_]{1,20}){1,7}\s$",
    re.IGNORECASE,
)
_SINGULAR = {"children": "child", "peopl": "person", "men": "man", "women": "woman", "feet": "foot"}
_CENTS = re.compile(r"[\s-]?(?:cents?|pence)\b")
# How many of the second are in the first.
_TIMES = {
    ("year", "month"): 12,
    ("year", "week"): 52,
    ("year", "quarter"): 4,
    ("year", "day"): 365,
    ("quarter", "month"): 3,
    ("month", "week"): 4,
    ("month", "day"): 30,
    ("week", "day"): 7,
    ("day", "hour"): 24,
    ("hour", "minute"): 60,
    ("minute", "second"): 60,
}
_ADVERBS = {
    "yearly": "year",
    "annual": "year",
    "annually": "year",
    "monthly": "month",
    "weekly": "week",
    "daily": "day",
    "hourly": "hour",
    "quarterly": "quarter",
}
_TIME_WORD = re.compile(
    r"\b(?:"
    + "|".join((*_ADVERBS, "years?", "months?", "weeks?", "days?", "hours?", "minutes?"))
    + r"|seconds?|quarters?)\b"
)


@dataclass(frozen=True, slots=True)
class Rate:
    """The unit that an amount is for: so much of a kind, or one of what a noun names."""

    kind: str
    value: Fraction
    noun: str = ""
    unit: str = ""


def rate_after(text: str, end: int) -> Rate | None:
    """The unit that the words after a figure give: `€6 per child`, `7 litres per 100 km`.

    >>> rate_after("entry is €6.50 per child", 14).noun
    'child'
    """
    near = text[end : end + 80]
    if _EACH.match(near):
        return Rate("number", Fraction(1))
    match = _PER.match(near) or _A.match(near)
    return _rate(match["unit"]) if match else None


def rate_before(text: str, start: int) -> Rate | None:
    """The unit that the words before a figure give: `a litre costs €9`."""
    match = _BEFORE.search(text[max(0, start - 60) : start])
    found = _rate(match["unit"]) if match else None
    return found if found and found.kind not in ("number", "duration") else None


@lru_cache(maxsize=1_000)
def _rate(unit: str) -> Rate:
    written = unit if unit[:1].isdigit() else f"1 {unit}"
    found = find_quantities(written)[:1]
    if found and found[0].kind not in ("number", "percent", "factor"):
        return Rate(found[0].kind, found[0].value, unit=found[0].unit)
    noun = next(iter(terms(unit)), "")
    return Rate("number", found[0].value if found else Fraction(1), noun)


def same_noun(one: str, other: str) -> bool:
    """True if two stems name one thing, `child` and `children` among them."""
    return bool(one) and _SINGULAR.get(one, one) == _SINGULAR.get(other, other)


def in_cents(text: str, end: int) -> bool:
    """True if a figure of money counts cents."""
    return bool(_CENTS.match(text, end))


def times_named(text: str) -> frozenset[str]:
    """The units of time that a text names, `monthly` among them."""
    found = (match[0] for match in _TIME_WORD.finditer(text.casefold()))
    return frozenset(_ADVERBS.get(each, each.removesuffix("s")) for each in found)


def times_in(longer: str, shorter: str) -> int:
    """The number of shorter times in a longer one, as commonly counted; 0 if none."""
    return _TIMES.get((longer, shorter), 0)
