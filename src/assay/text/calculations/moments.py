"""Times that lie a span before or after another."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise

from assay.text.calculations.events import weight
from assay.text.calculations.figures import PlacedFigure
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.search import FigureSearch
from assay.text.calculations.times import CLOCKS, DAY, MONTH_SECONDS, YEAR_SECONDS, as_days
from assay.text.calculations.weekdays import dated, falls_on, weekdays

_DATES = ("year", "date", "month", "day")
_MINUTE = 60
_DAY_MINUTES = 1_440
_HALF_DAY = 720
_MOST_YEARS = 1_000
_END_WORDS = frozenset("until till end ends expires expire through run runs over".split())
_LAST = frozenset({"last", "final"})
_ADDED = re.compile(r"\b(?:plus|and|another|further|extended|extension)\b", re.IGNORECASE)

Span = tuple[PlacedFigure, ...]  # one duration, or two that are added


def moments(search: FigureSearch) -> Iterator[Reckoning]:
    """Times of day, years and dates that lie a span before or after another."""
    kind = search.stated.kind
    durations = [each for each in search.pool if each.kind == "duration"]
    if kind in CLOCKS:
        for one in search.pool:
            if one.kind in CLOCKS:
                yield from _later_clock(search, one, durations)
    elif kind in ("year", "number", "month"):
        for one in search.pool:
            if one.kind in ("year", "date", "month"):
                yield from _later_year(search, one, durations)
    if kind in ("date", "day", "month"):
        yield from _later_date(search, durations)
    if kind in ("date", "day"):
        yield from _weekdays(search)


def _bonus(search: FigureSearch, one: PlacedFigure) -> float:
    return weight(search, one) - search.relevance.of(one)


def _signs(search: FigureSearch, one: PlacedFigure, span: PlacedFigure) -> tuple[int, ...]:
    """Plus, minus or both, by the word that follows a duration of the source."""
    if span.is_own:
        behind = search.claim.text[span.quantity.end :].lower().split()[:2]
    else:
        text = search.source.view.text
        behind = text[span.quantity.end : span.quantity.end + 30].lower().split()[:2]
    words = {word.strip(".,;:") for word in behind}
    if words & {"before", "earlier", "ago", "prior", "senior", "older"}:
        return (-1,)
    if words & {"junior", "younger"}:
        return (1,)
    if "later" in words and not span.is_own:
        return (1,) if one is _last_before(search, span) else ()
    # “Two weeks after the first round” counts back from the date that it stands beside.
    return (1, -1)


def _last_before(search: FigureSearch, span: PlacedFigure) -> PlacedFigure | None:
    """The time that the source speaks of before a duration."""
    before = [
        each
        for each in search.source.figures
        if each.kind in (*CLOCKS, *_DATES) and each.quantity.end <= span.quantity.start
    ]
    return before[-1] if before else None


def _later_clock(
    search: FigureSearch, one: PlacedFigure, durations: list[PlacedFigure]
) -> Iterator[Reckoning]:
    stated = search.stated
    cycle = _HALF_DAY if "clock12" in (stated.kind, one.kind) else _DAY_MINUTES
    for each in durations:
        if each.value >= DAY or each.value % _MINUTE:
            continue
        for sign in _signs(search, one, each):
            value = one.value + sign * each.value / _MINUTE
            value += (
                (stated.value - value + Fraction(cycle, 2)) // cycle
            ) * cycle  # the nearest turn
            said = f"{one.text} {'+' if sign > 0 else '−'} {each.text}"
            bonus = _bonus(search, one)
            yield from search.reckoning("moment", value, stated.kind, (one, each), said, bonus)


def _spans(durations: list[PlacedFigure], search: FigureSearch) -> Iterator[Span]:
    """The durations, and two that a sentence adds."""
    yield from ((each,) for each in durations)
    for one, other in pairwise(durations):
        if one.sentence == other.sentence >= 0:
            between = search.source.view.text[one.quantity.end : other.quantity.start]
            if _ADDED.search(between):
                yield one, other


def _later_year(
    search: FigureSearch, one: PlacedFigure, durations: list[PlacedFigure]
) -> Iterator[Reckoning]:
    days = as_days(one)
    if days is None or search.stated.kind == "month":
        return
    year = date.fromordinal(days[0]).year
    for span in _spans(durations, search):
        years = sum((each.value for each in span), Fraction(0)) / YEAR_SECONDS
        if years.denominator != 1 or not 0 < years <= _MOST_YEARS:
            continue
        for sign in _signs(search, one, span[0]):
            said = f"{year} {'+' if sign > 0 else '−'} {' + '.join(e.text for e in span)}"
            value = Fraction(year + sign * int(years))
            bonus = _bonus(search, one)
            yield from search.reckoning(
                "moment", value, search.stated.kind, (one, *span), said, bonus
            )


def _later_date(search: FigureSearch, durations: list[PlacedFigure]) -> Iterator[Reckoning]:
    """Dates and months that lie days, weeks, months or years before or after a date."""
    kind = search.stated.kind
    for one in search.pool:
        if one.kind not in ("date", "day", "month") or as_days(one) is None:
            continue
        for span in _spans(durations, search):
            seconds = sum((each.value for each in span), Fraction(0))
            for sign in _signs(search, one, span[0]):
                said = f"{one.text} {'+' if sign > 0 else '−'} {' + '.join(e.text for e in span)}"
                for value in _moved(search, one, sign * seconds, span[0].quantity.unit):
                    bonus = _bonus(search, one)
                    yield from search.reckoning("moment", value, kind, (one, *span), said, bonus)


def _moved(
    search: FigureSearch, one: PlacedFigure, seconds: Fraction, unit: str
) -> Iterator[Fraction]:
    """The values that a date leads to, in the kind of the stated figure."""
    kind, first = search.stated.kind, date.fromordinal(int(one.value))
    if unit in ("day", "week", "fortnight") and seconds % DAY == 0:
        if one.kind == kind != "month":
            yield one.value + seconds / DAY
        return
    months = seconds / MONTH_SECONDS
    if months.denominator != 1 or abs(months) > 12 * _MOST_YEARS:
        return
    place = first.year * 12 + first.month - 1 + int(months)
    words = set(search.claim.text.lower().split())
    if not 12 < place < 12 * 9_000 or words & _LAST:
        return
    later = date(place // 12, place % 12 + 1, min(first.day, 28))
    is_end = one.kind == "date" and first.day == 1 and bool(words & _END_WORDS) and months > 0
    last = later - timedelta(days=1) if is_end else later
    if kind == "month" and one.kind in ("date", "month"):
        yield Fraction(last.replace(day=1).toordinal())
    elif kind == one.kind == "date" and first.day <= 28:
        yield Fraction(last.toordinal())


def _weekdays(search: FigureSearch) -> Iterator[Reckoning]:
    """The dates that days of the week fall on, by one of which the date is known."""
    days = weekdays(search.source)
    if len(days) < 2:
        return
    for one in search.pool:
        anchor = dated(days, one) if one.kind == search.stated.kind and not one.is_own else None
        if anchor is None:
            continue
        known = date.fromordinal(int(one.value))
        for each in days:
            if each is not anchor:
                for found in falls_on(each, anchor, known):
                    said = search.source.view.text[each.start : each.end]
                    value = Fraction(found.toordinal())
                    yield from search.reckoning(
                        "moment", value, one.kind, (one,), f"{said} by {one.text}"
                    )
