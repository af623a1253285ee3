"""Dates in the usual forms."""

import re
from bisect import bisect_left
from calendar import monthrange
from datetime import date
from fractions import Fraction

from assay.text.quantities.lexicon import NumberWords
from assay.text.quantities.quantity import LEAP_YEAR, Quantity
from assay.text.quantities.tokens import TokenWalk

FIRST_YEAR, LAST_YEAR = 1000, 2199
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d-])")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?![\d/-])")
_SHORT_YEAR = re.compile(r"(\d{1,2})(/)(\d{1,2})/(\d{2})(?![\d/-])")
_ENDINGS = frozenset({"st", "nd", "rd", "th", "er", "º"})
_DASHES = frozenset("-–—")

Reading = tuple[Quantity, int]  # with the token behind it


def is_year(written: str) -> bool:
    """True if digits may be a year."""
    return len(written) == 4 and written.isdecimal() and FIRST_YEAR <= int(written) <= LAST_YEAR


def read_date(walk: TokenWalk, at: int, words: NumberWords) -> Reading | None:
    """The date that begins at a token."""
    if walk.number(at):
        return _numeric(walk, at, words) or _ideographic(walk, at) or _day_first(walk, at, words)
    if walk.fold(at) in words.months:
        return _month_first(walk, at, words)
    return None


def made_date(year: int, month: int, day: int) -> tuple[str, Fraction] | None:
    """The kind and value of a date; a year or day of 0 is missing."""
    if not (1 <= month <= 12 and (not year or FIRST_YEAR <= year <= LAST_YEAR)):
        return None
    if day > monthrange(year or LEAP_YEAR, month)[1] or not (year or day):
        return None
    kind = "date" if year and day else "day" if day else "month"
    return kind, Fraction(date(year or LEAP_YEAR, month, day or 1).toordinal())


def _numeric(walk: TokenWalk, at: int, words: NumberWords) -> Reading | None:
    """2024-05-03, 3/5/2024, 3.5.2024."""
    start = walk.starts[at]
    match = _YEAR_FIRST.match(walk.text, start)
    if match:
        kind_value = made_date(int(match[1]), int(match[3]), int(match[4]))
        return _placed(walk, start, match.end(), kind_value)
    match = _YEAR_LAST.match(walk.text, start) or _SHORT_YEAR.match(walk.text, start)
    if not match:
        return None
    first, second = int(match[1]), int(match[3])
    year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
    day, month = (second, first) if second > 12 else (first, second)
    made = made_date(year, month, day)
    if made and match[2] == "/" and words.decimal == "." and first <= 12 and second <= 12:
        made = ("date?" if first != second else "date"), made[1]
    return _placed(walk, start, match.end(), made)


def _placed(
    walk: TokenWalk, start: int, end: int, made: tuple[str, Fraction] | None
) -> Reading | None:
    if made is None:
        return None
    return Quantity(start, end, *made), bisect_left(walk.starts, end)


def _ideographic(walk: TokenWalk, at: int) -> Reading | None:
    """2024年5月3日, or less of it."""
    found = {}
    place = at
    for sign in "年月日":
        if walk.word(place).isdecimal() and walk.word(place + 1) == sign:
            found[sign] = int(walk.word(place)[:4])
            place += 2
    if "月" not in found:
        return None
    made = made_date(found.get("年", 0), found["月"], found.get("日", 0))
    return _placed(walk, walk.starts[at], walk.ends[place - 1], made)


def _day_first(walk: TokenWalk, at: int, words: NumberWords) -> Reading | None:
    """3 May 2024, 3rd of May, 3. Mai, and the 3 of 3–5 May."""
    if len(walk.word(at)) > 2 or not walk.word(at).isdecimal():
        return None
    day, place = int(walk.word(at)), at + 1
    if walk.glued(place) and (walk.fold(place) in _ENDINGS or walk.word(place) == "."):
        place += 1
    if walk.word(place) in _DASHES and walk.word(place + 1).isdecimal():
        later = _day_first(walk, place + 1, words)
        if later and later[0].kind in ("date", "day"):
            last = date.fromordinal(int(later[0].value))
            year = last.year if later[0].kind == "date" else 0
            made = made_date(year, last.month, day)
            return made and (Quantity(walk.starts[at], walk.ends[at], *made), place)
        return None
    if walk.fold(place) in words.of:
        place += 1
    month = words.months.get(walk.fold(place), 0)
    if not month or not walk.near(place):
        return None
    is_verb = walk.word(place) in ("may", "march", "mar", "sun")
    place = place + 2 if walk.word(place + 1) == "." and walk.number(place + 2) else place + 1
    year, end = _year(walk, place, words)
    if is_verb and not year:
        return None
    made = made_date(year, month, day)
    return made and _placed(walk, walk.starts[at], walk.ends[end - 1], made)


def _month_first(walk: TokenWalk, at: int, words: NumberWords) -> Reading | None:
    """May 3, 2024; May 3; May 2024."""
    month, place = words.months[walk.fold(at)], at + 1
    if walk.word(place) == "." and walk.glued(place):
        place += 1
    if walk.word(place).isdecimal() and len(walk.word(place)) <= 2 and walk.near(place):
        day, end = int(walk.word(place)), place + 1
        if walk.fold(end) in _ENDINGS and walk.glued(end):
            end += 1
        elif walk.glued(end) and walk.word(end)[0] not in ",.;:)–-—'’]!?\"":
            return None
        year, end = _year(walk, end, words)
        if walk.word(at) in ("may", "march", "mar") and not year:
            return None
        made = made_date(year, month, day)
    else:
        year, end = _year(walk, place, words)
        made = made_date(year, month, 0)
    return made and _placed(walk, walk.starts[at], walk.ends[end - 1], made)


def _year(walk: TokenWalk, at: int, words: NumberWords) -> tuple[int, int]:
    """A year at a token, after a comma or `de`, and the token behind it; 0 if there is none."""
    place = at
    if walk.word(place) == "," or walk.fold(place) in words.of:
        place += 1
    written = walk.word(place)
    if is_year(written) and walk.near(place):
        return int(written), place + 1
    return 0, at
