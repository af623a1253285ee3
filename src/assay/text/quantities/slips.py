"""Values converted wrongly: the right digits in the wrong magnitude, unit or half of the day."""

from collections.abc import Iterable
from fractions import Fraction

from assay.text.quantities.comparing import SMALL, count
from assay.text.quantities.quantity import HALF_DAY, Quantity, same_value

_HOUR = 60
_TEN_HOURS = 10 * _HOUR
_MOST_PLACES = 9
_MOST_SLIPPED = 3  # places: a thousand times too much


def slipped_clock(stated: Quantity, known: Iterable[Quantity]) -> Quantity | None:
    """The time that another was meant to be: 14:30 if that is 4:30 pm or 2:30 am."""
    if stated.kind != "clock":
        return None
    for each in known:
        if each.kind == "clock" and each.value != stated.value:
            is_other_half = (each.value - stated.value) % HALF_DAY == 0
            is_misread = HALF_DAY <= each.value == stated.value % HALF_DAY + _TEN_HOURS
            if (is_other_half or is_misread) and stated.value % HALF_DAY:
                return each
    return None


def slipped_magnitude(stated: Quantity, known: Iterable[Quantity], fewest: int) -> Quantity | None:
    """The value that another was meant to be: 1,248 million if that is 12.48 billion.

    `fewest` is how many digits the two must have in common.
    """
    for each in known:
        if each.value and stated.value and each.value != stated.value and _digits(each) >= fewest:
            ratio = max(stated.value, each.value) / min(stated.value, each.value)
            if _is_power_of_ten(ratio):
                return each
    return None


def slipped_unit(stated: Quantity, known: Iterable[Quantity]) -> Quantity | None:
    """The value that another was meant to be: 40 miles if that is 40 km, and nothing else is."""
    number = count(stated)
    rivals = [each for each in known if count(each) == number > SMALL]
    if stated.kind == "number" or any(each.unit == stated.unit for each in rivals):
        return None
    return next((each for each in rivals if same_value(each, stated) is not True), None)


def _digits(quantity: Quantity) -> int:
    """The number of digits between the leading and the trailing zeros."""
    value = abs(quantity.value)
    number = value.numerator if value.denominator == 1 else int(value * 10**_MOST_PLACES)
    return len(str(number).strip("0"))


def _is_power_of_ten(ratio: Fraction) -> bool:
    return any(ratio == 10**n for n in range(1, _MOST_SLIPPED + 1))
