"""A reckoning: an operation on figures of the source, its result, and how it compares."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.text.calculations.figures import PlacedFigure
from assay.text.quantities import Quantity

_ABOUT = Fraction(8, 100)  # of a multiple that is stated as `about`
_FACTOR = Fraction(2, 100)  # of one that is not
_ABOUT_YEARS = 2
_NEAR = Fraction(25, 1000)  # of any other value that is stated as `about`
_ROUND = Fraction(8, 100)  # the most that the last digit of one may stand for
_FAR = Fraction(1, 5)  # of a value that is stated as a bound
_FRACTION_STEP = Fraction(2)  # percentage points: a third is said of 33 and of 34 %


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A result, what it was computed from, how plausible it is, and whether nothing else fits."""

    operation: str
    value: Fraction
    kind: str
    operands: tuple[PlacedFigure, ...]
    said: str = ""  # the calculation without its result
    score: float = 0.0
    is_firm: bool = False
    is_stepped: bool = False  # an operand is itself computed
    is_whole: bool = False  # the operands are all items of a series

    def __str__(self) -> str:
        return f"{self.said} = {shown(self.value, self.kind)}"


def agrees(stated: Quantity, value: Fraction) -> bool | None:
    """True if a stated figure may stand for a value, None if it nearly does.

    A figure is rounded to its last digit; `about` allows for more, and a bound for what it bounds.
    """
    beyond = value - stated.value
    if stated.kind == "year":
        return abs(beyond) <= (_ABOUT_YEARS if stated.bound == "about" else 0)
    if stated.bound in ("over", "at least", "under", "at most"):
        beyond = -beyond if stated.bound in ("under", "at most") else beyond
        if beyond < 0 or (beyond == 0 and stated.bound in ("over", "under")):
            return False
        return True if beyond <= max(abs(stated.value) * _FAR, stated.step) else None
    off = abs(beyond)
    if stated.kind == "factor":
        near = abs(stated.value) * (_ABOUT if stated.bound == "about" else _FACTOR)
        return True if off <= near else None if off <= 2 * near else False
    step = stated.step or (_FRACTION_STEP if stated.kind == "percent" else Fraction(0))
    half = step / 2
    if stated.bound == "about":
        near = max(min(half, abs(stated.value) * _ROUND), abs(stated.value) * _NEAR)
        return True if off <= near else None if off <= 2 * near else False
    if off == 0 or (off <= half and not _is_exact(value, stated)):
        return True
    return None if off < step or off <= half else False


def _is_exact(value: Fraction, stated: Quantity) -> bool:
    """True if a value could have been stated exactly with the digits that were used."""
    return stated.step > 0 and value % stated.step == 0


def shown(value: Fraction, kind: str = "number") -> str:
    """A value as a person writes it."""
    if kind == "percent":
        return f"{_number(value)} %"
    if kind == "clock":
        minutes = int(value) % 1440
        return f"{minutes // 60}:{minutes % 60:02}"
    return _number(value)


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return f"{int(value):,}" if abs(value) < 10**15 else f"{float(value):.4g}"
    return f"{float(value):,.4f}".rstrip("0").rstrip(".")


def listed(operands: Sequence[PlacedFigure], sign: str, most: int = 8) -> str:
    """The operands as written, with a sign between them."""
    texts = [" ".join(each.text.split())[:30] for each in operands]
    if len(texts) > most:
        texts = [*texts[: most - 1], "…", texts[-1]]
    return f" {sign} ".join(texts)
