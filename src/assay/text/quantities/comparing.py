"""Quantities of a source that a stated one may repeat, and forms that are alike."""

from dataclasses import replace
from fractions import Fraction

from assay.text.quantities.forms import FigureForm
from assay.text.quantities.lexicon import unit_named
from assay.text.quantities.quantity import CALENDAR, Quantity, is_converted, same_value

SMALL = 12  # a number in words up to here is left as it is
FAR = 2000  # times; a value further away is about something else
_LIMITS = frozenset({"over", "under", "at least", "at most"})


def is_comparable(one: Quantity, other: Quantity) -> bool:
    """True unless no whole number of one unit makes the other, as with days and months."""
    if one.kind != "duration":
        return True
    groups = (CALENDAR, {"day", "week", "fortnight"}, {"ms", "second", "minute", "hour"})
    return any(one.unit in group and other.unit in group for group in groups)


def states_same(one: Quantity, other: Quantity) -> bool:
    """True if two quantities have one value; a limit must be the same to the digit."""
    plain = replace(other, bound="about" if other.bound == "about" else "")
    if one.bound not in _LIMITS:
        return bool(same_value(one, plain))
    is_near = one.unit != other.unit and bool(same_value(replace(one, bound=""), plain))
    return one.value == other.value or (is_near and is_converted(one, other))


def is_alike(
    one: Quantity, own: FigureForm | None, other: Quantity, form: FigureForm | None
) -> bool:
    """True if two quantities are written with the same unit and magnitude, both in digits.

    A few of a unit are as well read in words.
    """
    if one.unit != other.unit:
        return False
    if own and form:
        return own.scale == form.scale
    return one.kind != "number" and count(one) <= SMALL and count(other) <= SMALL


def count(quantity: Quantity) -> Fraction:
    """The number of its unit that a quantity is."""
    unit = unit_named(quantity.kind, quantity.unit)
    return (quantity.value - unit.offset) / unit.factor if unit else quantity.value


def distance(one: Quantity, other: Quantity) -> tuple[bool, Fraction]:
    """The order in which quantities may be what another one repeats."""
    return one.noun != other.noun, abs(one.value - other.value)


def ratio(one: Quantity, other: Quantity) -> Fraction:
    """The ratio of the larger to the smaller; temperatures have no such ratio."""
    if one.kind == "temperature":
        return 1 + abs(one.value - other.value) / FAR
    low, high = sorted((abs(one.value), abs(other.value)))
    return high / low if low else Fraction(FAR + 1)
