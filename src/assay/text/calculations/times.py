"""Spans between dates and times, ages, and times that a span leads to."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import permutations

from assay.text.calculations.figures import PlacedFigure
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.search import FigureSearch

DAY, YEAR_SECONDS = 86_400, 31_556_952
_MINUTE = 60
_DAY_MINUTES = 1_440
_HALF_DAY = 720
_OLDEST = 120  # years of a person
_MONTHS = 12
_CLOCKS = ("clock", "clock12")
_AGES = ("age", "year", "old", "live", "die", "turn", "birthday")

Days = tuple[int, int]  # the first and last day that a time may mean


def spans(search: FigureSearch) -> Iterator[Reckoning]:
    """Durations and ages that lie between two times."""
    stated = search.stated
    kind = stated.kind
    if kind == "number" and _may_be_age(search):
        yield from _years(search, is_age=True)
    if kind != "duration":
        return
    yield from _clocks(search)
    if stated.quantity.unit in ("year", "decade", "century"):
        yield from _years(search, is_age="age" in search.claim.stems or "old" in search.claim.stems)
    else:
        yield from _days(search)


def _may_be_age(search: FigureSearch) -> bool:
    value = search.stated.value
    is_small = 0 < value <= _OLDEST and value.denominator == 1
    return is_small and search.stated.quantity.noun in ("", "year")


def _clocks(search: FigureSearch) -> Iterator[Reckoning]:
    clocks = [each for each in search.pool if each.kind in _CLOCKS]
    for one, other in permutations(clocks, 2):
        if one.quantity.start > other.quantity.start and not (one.is_own or other.is_own):
            continue
        minutes = (other.value - one.value) % _DAY_MINUTES
        said = f"from {one.text} to {other.text}"
        yield from search.reckoning(
            "span", minutes * _MINUTE, "duration", (one, other), said, _adjacent(one, other)
        )


def _days(search: FigureSearch) -> Iterator[Reckoning]:
    """Days, weeks, nights and months between two dates."""
    dates = [(each, days) for each in search.pool if (days := as_days(each)) is not None]
    for (one, first), (other, last) in permutations(dates, 2):
        if first[0] != first[1] or last[0] != last[1] or first >= last or one.kind != other.kind:
            continue
        between = last[0] - first[0]
        said = f"from {one.text} to {other.text}"
        for number, bonus in ((between, 0.5), (between + 1, -0.5)):
            value = Fraction(number * DAY)
            yield from search.reckoning("span", value, "duration", (one, other), said, bonus)


def _years(search: FigureSearch, *, is_age: bool) -> Iterator[Reckoning]:
    """Whole years between two times, of which only the years may be known."""
    times = [(each, days) for each in search.pool if (days := as_days(each)) is not None]
    unit = YEAR_SECONDS if search.stated.kind == "duration" else 1
    for (one, first), (other, last) in permutations(times, 2):
        if first[0] >= last[0] or one.kind == "day" or other.kind == "day":
            continue
        fewest, most = whole_years(first[1], last[0]), whole_years(first[0], last[1])
        plain = date.fromordinal(last[0]).year - date.fromordinal(first[0]).year
        said = f"{other.text} − {one.text}"
        for years in sorted({fewest, most, *(() if is_age else (plain,))}):
            if years >= 0:
                yield from search.reckoning(
                    "span", Fraction(years * unit), search.stated.kind, (one, other), said, 0.5
                )


def moments(search: FigureSearch) -> Iterator[Reckoning]:
    """Times of day, years and dates that lie a span before or after another."""
    stated = search.stated
    durations = [each for each in search.pool if each.kind in ("duration", "number")]
    for one in search.pool:
        if stated.kind in _CLOCKS and one.kind in _CLOCKS:
            yield from _later_clock(search, one, durations)
        if stated.kind in ("year", "number") and one.kind in ("year", "date", "month"):
            yield from _later_year(search, one, durations)
        if stated.kind in ("date", "day") and one.kind == stated.kind:
            for each in durations:
                if each.kind == "duration" and each.value % DAY == 0:
                    for sign in (1, -1):
                        value = one.value + sign * each.value / DAY
                        said = f"{one.text} {'+' if sign > 0 else '−'} {each.text}"
                        yield from search.reckoning("moment", value, stated.kind, (one, each), said)


def _later_clock(
    search: FigureSearch, one: PlacedFigure, durations: list[PlacedFigure]
) -> Iterator[Reckoning]:
    stated = search.stated
    cycle = _HALF_DAY if "clock12" in (stated.kind, one.kind) else _DAY_MINUTES
    for each in durations:
        if each.kind != "duration" or each.value >= DAY or each.value % _MINUTE:
            continue
        for sign in (1, -1):
            value = one.value + sign * each.value / _MINUTE
            value += (
                (stated.value - value + Fraction(cycle, 2)) // cycle
            ) * cycle  # the nearest turn
            said = f"{one.text} {'+' if sign > 0 else '−'} {each.text}"
            yield from search.reckoning("moment", value, stated.kind, (one, each), said)


def _later_year(
    search: FigureSearch, one: PlacedFigure, durations: list[PlacedFigure]
) -> Iterator[Reckoning]:
    days = as_days(one)
    if days is None:
        return
    year = date.fromordinal(days[0]).year
    for each in durations:
        years = each.value / YEAR_SECONDS
        if each.kind != "duration" or years.denominator != 1 or not 0 < years <= 1_000:
            continue
        for sign in (1, -1):
            said = f"{year} {'+' if sign > 0 else '−'} {each.text}"
            value = Fraction(year + sign * int(years))
            yield from search.reckoning("moment", value, search.stated.kind, (one, each), said)


def as_days(figure: PlacedFigure) -> Days | None:
    """The first and last day of a year, a month or a date; None of any other figure."""
    value = figure.value
    if value.denominator != 1:
        return None
    number = int(value)
    if figure.kind == "year" and 0 < number < 9_999:
        return date(number, 1, 1).toordinal(), date(number, 12, 31).toordinal()
    if not 0 < number < date.max.toordinal() - 31:
        return None
    if figure.kind in ("date", "day"):
        return number, number
    if figure.kind == "month":
        first = date.fromordinal(number)
        return number, number + monthrange(first.year, first.month)[1] - 1
    return None


def whole_years(first: int, last: int) -> int:
    """The full years between two days."""
    one, other = date.fromordinal(first), date.fromordinal(last)
    before = (other.month, other.day) < (one.month, one.day)
    return other.year - one.year - before


def _adjacent(one: PlacedFigure, other: PlacedFigure) -> float:
    return 0.5 if one.sentence == other.sentence else 0.0
