"""Spans between dates and times, and ages."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from fractions import Fraction

from assay.text.calculations.events import bound_pairs, is_birth
from assay.text.calculations.figures import PlacedFigure, stems
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.search import FigureSearch
from assay.text.calculations.weekdays import weekday_ranges

DAY, YEAR_SECONDS = 86_400, 31_556_952
MONTH_SECONDS = YEAR_SECONDS // 12
_MINUTE = 60
_DAY_MINUTES = 1_440
_OLDEST = 120  # years of a person
_LEAP_DAY = date(2000, 2, 29).toordinal()  # of the year in which days without one are counted
CLOCKS = ("clock", "clock12")
_LONG = ("year", "decade", "century")
_UNITS = {"second": 1, "minut": 60, "hour": 3_600, "day": DAY, "week": 7 * DAY}
_WHOLE = stems("trip journey travel whole entire total tour ride way outward conversation overall")
_AGES = stems("age aged old birthday turned")
BIRTH, WHOLE = 2.0, 2.5  # bonuses

Days = tuple[int, int]  # the first and last day that a time may mean


def spans(search: FigureSearch) -> Iterator[Reckoning]:
    """Durations and ages that lie between two times."""
    stated = search.stated
    kind, unit, noun = stated.kind, stated.quantity.unit, stated.quantity.noun
    if kind == "number" and noun in ("night", "day"):
        yield from _days(search, 1)
    elif kind == "number" and _may_be_age(search):
        yield from _years(search, is_age=True)
    if kind != "duration":
        return
    if unit in _LONG:
        is_age = bool(_AGES & search.claim.stems) or noun == "age"
        yield from _years(search, is_age=is_age)
    elif unit == "month":
        yield from _months(search)
    elif unit in ("day", "week", "fortnight"):
        yield from _days(search, DAY)
    else:
        yield from _clocks(search)
        yield from _ordinals(search)


def _may_be_age(search: FigureSearch) -> bool:
    value = search.stated.value
    is_small = 0 < value <= _OLDEST and value.denominator == 1
    return is_small and search.stated.quantity.noun in ("", "year")


def _clocks(search: FigureSearch) -> Iterator[Reckoning]:
    clocks = [each for each in search.pool if each.kind in CLOCKS]
    whole = _whole(search, clocks)
    for one, other, bonus in bound_pairs(search, clocks):
        if one.quantity.start > other.quantity.start and not (one.is_own or other.is_own):
            continue
        minutes = (other.value - one.value) % _DAY_MINUTES
        said = f"from {one.text} to {other.text}"
        bonus += 0.5 if one.sentence == other.sentence else 0.0
        bonus += WHOLE if whole == (one, other) else 0.0
        yield from search.reckoning(
            "span", minutes * _MINUTE, "duration", (one, other), said, bonus
        )


def _whole(search: FigureSearch, clocks: list[PlacedFigure]) -> tuple[PlacedFigure, ...]:
    """The first and last of the times that follow one another, if the sentence is of it all."""
    ordered = [each for each in clocks if not each.is_own]
    if len(ordered) < 3 or not (search.claim.stems | search.claim.asked) & _WHOLE:
        return ()
    last = 0
    while last + 1 < len(ordered) and ordered[last + 1].value >= ordered[last].value:
        last += 1
    return ordered[0], ordered[last]


def _ordinals(search: FigureSearch) -> Iterator[Reckoning]:
    """Minutes between what happened in the 58th and in the 71st."""
    units: dict[int, str] = {}
    ordinals = [each for each in search.pool if each.kind == "ordinal" and not each.is_own]
    for each in ordinals:
        noun = each.quantity.noun
        units[id(each)] = noun if noun in _UNITS else _unit_of(each, ordinals)
    for one, other, bonus in bound_pairs(search, [each for each in ordinals if units[id(each)]]):
        unit = units[id(one)]
        if unit != units[id(other)] or one.value >= other.value:
            continue
        value = (other.value - one.value) * _UNITS[unit]
        said = f"{other.text} − {one.text} {unit}"
        yield from search.reckoning("span", value, "duration", (one, other), said, bonus + 0.5)


def _unit_of(figure: PlacedFigure, ordinals: list[PlacedFigure]) -> str:
    """The noun of an ordinal without one: that of those before it."""
    if figure.quantity.noun:
        return ""
    before = [each.quantity.noun for each in ordinals if each.quantity.end <= figure.quantity.start]
    return next((noun for noun in reversed(before) if noun in _UNITS), "")


def _days(search: FigureSearch, unit: int) -> Iterator[Reckoning]:
    """Days, weeks and nights between two dates, or weekdays."""
    kind, nights = search.stated.kind, search.stated.quantity.noun == "night"
    dates = [each for each in search.pool if each.kind in ("date", "day")]
    for one, other, bonus in bound_pairs(search, dates):
        between = days_between(one, other)
        said = f"from {one.text} to {other.text}"
        counts = [(between, bonus + 0.5)]
        counts += [] if nights else [(between + 1, bonus - 0.5)]
        if one.kind == other.kind == "day" and one.value <= _LEAP_DAY < other.value:
            counts.append((between - 1, bonus))
        for number, each in counts:
            if between > 0:
                value = Fraction(number * unit)
                yield from search.reckoning("span", value, kind, (one, other), said, each)
    for figure in weekday_ranges(search.source, search.claim.language):
        value = (figure.value - nights) * unit
        yield from search.reckoning("span", value, kind, (figure,), figure.text, 0.5)


def days_between(one: PlacedFigure, other: PlacedFigure) -> int:
    """The days from one date to another; a date without a year is the next or last such one."""
    first, last = int(one.value), int(other.value)
    if one.kind == other.kind:
        return last - first
    known = date.fromordinal(first if one.kind == "date" else last)
    plain = date.fromordinal(last if one.kind == "date" else first)
    for year in (known.year, known.year + (1 if one.kind == "date" else -1)):
        day = min(plain.day, monthrange(year, plain.month)[1])
        between = date(year, plain.month, day).toordinal() - known.toordinal()
        between = between if one.kind == "date" else -between
        if between > 0:
            return between
    return 0


def _months(search: FigureSearch) -> Iterator[Reckoning]:
    """Months between two times, whole ones unless a bound says that they are not."""
    is_coarse = bool(search.stated.quantity.bound)
    dates = [each for each in search.pool if each.kind in ("date", "day", "month")]
    for one, other, bonus in bound_pairs(search, dates):
        between = days_between(one, other) if "month" not in (one.kind, other.kind) else 0
        first, last = date.fromordinal(int(one.value)), date.fromordinal(int(other.value))
        number = last.month - first.month
        number += 12 * (last.year - first.year) if one.kind != "day" != other.kind else 0
        number += 12 if number < 0 and between > 0 else 0
        said = f"from {one.text} to {other.text}"
        if is_coarse and between > 0:
            value = Fraction(between * DAY)
        elif number > 0 and (one.kind == other.kind == "month" or last.day >= first.day):
            value = Fraction(number * MONTH_SECONDS)
        else:
            continue
        yield from search.reckoning("span", value, "duration", (one, other), said, bonus)


def _years(search: FigureSearch, *, is_age: bool) -> Iterator[Reckoning]:
    """Whole years between two times, of which only the years may be known."""
    stated = search.stated
    times = [each for each in search.pool if as_days(each) is not None and each.kind != "day"]
    unit = YEAR_SECONDS if stated.kind == "duration" else 1
    has_births = is_age and any(map(is_birth, times))
    for one, other, bonus in bound_pairs(search, times):
        first, last = as_days(one), as_days(other)
        if first is None or last is None or first[0] >= last[0]:
            continue
        if has_births and (not is_birth(one) or is_birth(other)):
            continue
        bonus += BIRTH if has_births else 0.0
        fewest, most = whole_years(first[1], last[0]), whole_years(first[0], last[1])
        plain = date.fromordinal(last[0]).year - date.fromordinal(first[0]).year
        said = f"{other.text} − {one.text}"
        counts = {Fraction(each) for each in (fewest, most, *(() if is_age else (plain,)))}
        if stated.quantity.bound and not is_age and other.kind != "year" != one.kind:
            counts = {Fraction(last[0] - first[0]) * DAY / YEAR_SECONDS}
        for years in sorted(counts):
            if years >= 0:
                yield from search.reckoning(
                    "span", years * unit, stated.kind, (one, other), said, bonus + 0.5
                )


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
