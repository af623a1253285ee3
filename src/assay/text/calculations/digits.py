"""How many digits of a stated figure say something: with few, some result agrees by chance."""

from assay.text.calculations.claims import written_value
from assay.text.calculations.figures import PlacedFigure
from assay.text.quantities.lexicon import unit_named

# Kinds that are copied far more often than computed.
COPIED = ("year", "date", "day", "month", "clock", "clock12", "date?")
_MOST_DECIMALS = 6
_DIGITS_OF_A_FRACTION = 2
_MOST_COUNTED = 100  # a whole number up to here is no round one


def significant_digits(stated: PlacedFigure) -> int:
    """The significant digits of a stated figure."""
    if stated.quantity.step == 0 or stated.kind in COPIED:
        return _DIGITS_OF_A_FRACTION
    value = written_value(stated) or stated.value / (stated.quantity.step or 1)
    for _ in range(_MOST_DECIMALS):
        if value.denominator == 1:
            break
        value *= 10
    written = str(int(abs(value)))
    if not (stated.kind == "number" and value < _MOST_COUNTED and not stated.quantity.bound):
        written = written.rstrip("0")
    return max(2 if _has_parts(stated) else 1, len(written))


def _has_parts(stated: PlacedFigure) -> bool:
    """True of a duration in smaller parts than its unit: an hour and a quarter."""
    unit = unit_named(stated.kind, stated.quantity.unit) if stated.kind == "duration" else None
    return unit is not None and stated.quantity.step < unit.factor
