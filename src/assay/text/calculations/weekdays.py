"""Days of the week: the days that a range of them takes, and the dates that they fall on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from itertools import islice

from assay.text.calculations.figures import PlacedFigure, SourceFigures, stems
from assay.text.quantities import Quantity

NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
_NAME = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in NAMES)
_RANGE = re.compile(
    rf"\b(?P<first>{_NAME})s?\s?(?:to|–|-|until|till|through)\s?(?P<last>{_NAME})s?\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    rf"\b(?P<day>{_NAME})s?\b"
    r"(?: of the (?:(?P<before>week before|previous week)|(?P<after>following week|next week)))?",
    re.IGNORECASE,
)
_MOST = 50
_BESIDE = 12  # characters from one range's words to what it is of
_NEAR = 8  # characters between a day of the week and its date


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week that a source names, and by how many weeks it is said to be off."""

    number: int
    start: int
    end: int
    weeks: int | None


def weekday_ranges(source: SourceFigures, language: str = "en") -> Iterator[PlacedFigure]:
    """The days that ranges such as `Tuesday to Sunday` take, both ends included."""
    text = source.view.text
    for match in islice(_RANGE.finditer(text), _MOST):
        first, last = (_number(match[name]) for name in ("first", "last"))
        days = Fraction((last - first) % 7 + 1)
        start, end = match.span()
        around = stems(text[max(0, start - 10 * _BESIDE) : end + 10 * _BESIDE], language)
        quantity = Quantity(start, end, "weekdays", days)
        yield PlacedFigure(quantity, match[0], around, around=around)


def weekdays(source: SourceFigures) -> list[Weekday]:
    """The days of the week that a source names."""
    return [
        Weekday(_number(match["day"]), *match.span(), _weeks(match))
        for match in islice(_DAY.finditer(source.view.text), _MOST)
    ]


def dated(days: list[Weekday], figure: PlacedFigure) -> Weekday | None:
    """The day of the week that stands before a date, as in `Thursday, 22 May`."""
    start = figure.quantity.start
    return next((each for each in days if 0 <= start - each.end <= _NEAR), None)


def falls_on(day: Weekday, anchor: Weekday, known: date) -> Iterator[date]:
    """The dates that a day of the week may mean near another, of which the date is known."""
    if day.weeks is not None:
        yield known + timedelta(days=day.number - anchor.number + 7 * day.weeks)
        return
    after = (day.number - anchor.number) % 7
    if after:
        yield known + timedelta(days=after)
        yield known + timedelta(days=after - 7)


def _weeks(match: re.Match[str]) -> int | None:
    return -1 if match["before"] else 1 if match["after"] else None


def _number(written: str) -> int:
    return next(n for n, name in enumerate(NAMES) if name.startswith(written.lower()))
