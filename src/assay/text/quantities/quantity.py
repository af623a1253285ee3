"""A value with its unit, and whether two of them are the same however they are written."""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from assay.text.quantities.lexicon import unit_named, units

HALF_DAY = 720  # minutes
LEAP_YEAR = 2000  # in which a day without a year is counted
CALENDAR = frozenset({"month", "year", "decade", "century"})  # of no fixed number of days
EXACT = frozenset({"clock", "clock12", "date", "day", "month", "year", "decade", "ordinal"})
_DATES = frozenset({"date", "date?", "day", "month"})
_LIMITS = frozenset({"over", "under", "at least", "at most"})
_FAR = Fraction(1, 4)  # of a limit; a value further away is another statement
_ROUNDED = Fraction(1, 20)  # of a value, which "1.2 million" may be off by
_ABOUT = Fraction(3, 20)  # and what is said to be coarse
_CALENDAR_SLACK = Fraction(1, 20)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value as it stands in a text, in the base unit of its kind.

    Kinds that lack something have names of their own: `clock12` (morning or afternoon?), `date?`
    (day or month first?), `day` (of which year?) and `month` (which day of it?).
    """

    start: int
    end: int
    kind: str
    value: Fraction
    unit: str = ""
    step: Fraction = Fraction(1)
    bound: str = ""
    noun: str = ""


def same_value(one: Quantity, other: Quantity) -> bool | None:
    """True if two quantities state the same value, None if they cannot be compared.

    A value that is stated as coarse ("about 1.2 million") is the same as any that it rounds.
    """
    kinds = {one.kind, other.kind}
    if kinds <= _DATES:
        return _same_date(one, other)
    if len(kinds) == 1:
        return _same(one, other)
    if kinds == {"clock", "clock12"}:
        return None if (one.value - other.value) % HALF_DAY == 0 else False
    if kinds == {"number", "year"}:
        return True if one.value == other.value else None
    return None


def _same(one: Quantity, other: Quantity) -> bool | None:
    if one.kind == "duration" and (one.unit in CALENDAR) != (other.unit in CALENDAR):
        near = abs(one.value - other.value) <= _CALENDAR_SLACK * max(one.value, other.value)
        return None if near else False
    for limit, plain in ((one, other), (other, one)):
        if limit.bound in _LIMITS and plain.bound not in _LIMITS:
            return _keeps_to(limit, plain)
    return abs(one.value - other.value) <= _tolerance(one, other)


def _tolerance(one: Quantity, other: Quantity) -> Fraction:
    """The distance at which two values still state one."""
    if one.kind in EXACT:
        return Fraction(0)
    least = min(abs(one.value), abs(other.value))
    steps = [min(each.step, 2 * _ABOUT * least) for each in (one, other) if each.bound == "about"]
    if one.unit != other.unit and is_converted(one, other):
        steps += [one.step, other.step]
    coarse = [each.step for each in (one, other) if _has_magnitude(each)]
    steps += [min(step, 2 * _ROUNDED * least) for step in coarse]
    return max(steps, default=Fraction(0)) / 2


def _has_magnitude(quantity: Quantity) -> bool:
    """True if the step shows that a value was written as so many thousands or millions."""
    unit = unit_named(quantity.kind, quantity.unit)
    return quantity.step >= (unit.factor if unit else 1) * 1000


def is_converted(one: Quantity, other: Quantity) -> bool:
    """True if a round number in one unit is none in the other, as with miles and kilometres."""
    us = units().us
    return (one.unit in us) != (other.unit in us) or "fraction" in (one.unit, other.unit)


def _keeps_to(limit: Quantity, plain: Quantity) -> bool | None:
    """True if a value keeps to a limit, None if it does so from afar."""
    beyond = plain.value - limit.value
    if limit.bound in ("under", "at most"):
        beyond = -beyond
    if beyond < 0 or (beyond == 0 and limit.bound in ("over", "under")):
        return False
    return True if beyond <= max(abs(limit.value) * _FAR, limit.step) else None


def _same_date(one: Quantity, other: Quantity) -> bool | None:
    """None if the dates agree in all that both say, and one says less."""
    if one.kind == other.kind and one.kind != "date?":
        return one.value == other.value
    readings = [(a, b) for a in _readings(one) for b in _readings(other)]
    agrees = any(
        all(not x or not y or x == y for x, y in zip(a, b, strict=True)) for a, b in readings
    )
    return None if agrees else False


def _readings(quantity: Quantity) -> list[tuple[int, int, int]]:
    """Year, month and day, with 0 for what is missing; of an ambiguous date both readings."""
    day = date.fromordinal(int(quantity.value))
    match quantity.kind:
        case "day":
            return [(0, day.month, day.day)]
        case "month":
            return [(day.year, day.month, 0)]
        case "date?":
            return [(day.year, day.month, day.day), (day.year, day.day, day.month)]
    return [(day.year, day.month, day.day)]
