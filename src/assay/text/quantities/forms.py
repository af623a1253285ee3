"""The forms in which values are written, and other values in the same form."""

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import log10

from assay.text.quantities.lexicon import number_words, unit_named
from assay.text.quantities.numerals import digits_value
from assay.text.quantities.quantity import HALF_DAY, Quantity

_FIGURE = re.compile(
    r"(?P<before>[^\d]*)(?P<digits>\d+(?:[.,\u00a0\u202f\u2009 '’]\d+)*)(?P<after>\D*)"
)
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?:(?P<sign>[:.])(?P<minute>\d\d))?(?P<gap>\s?)(?P<half>[aApP]\.?\s?[mM]\.?)?"
)
_SEPARATORS = re.compile(r"\d([,.\u00a0\u202f\u2009 '’])(?=\d{3}(?:\D|$))")
_TWO_PARTS = re.compile(r"(?P<a>\d{1,4})(?P<first>\D{1,20})(?P<b>\d{1,2})(?P<last>\D{0,20})")
_MOST_DECIMALS = 6
_PRECISION = 3  # digits of a number that had to be rounded
_FIVE_DIGITS = 10_000  # from here on groups are parted, whatever the source does below


@dataclass(frozen=True, slots=True)
class FigureForm:
    """A number in digits with what stands around it: `$1.2 million`, `2,500 m`, `25 %`.

    A value is `scale` times the number, plus `offset`.
    """

    before: str
    digits: str
    after: str
    scale: Fraction
    offset: Fraction
    decimal: str

    @classmethod
    def of(cls, quantity: Quantity, written: str, language: str) -> "FigureForm | None":
        """The form of a quantity, unless it is in words or has several numbers."""
        unit = unit_named(quantity.kind, quantity.unit)
        if unit and written[-1].isdecimal() and not _has_unit(written):
            written = f"{written} {unit.name}"  # that of a label or a range
        match = _FIGURE.fullmatch(written)
        decimal = number_words(language).decimal
        found = digits_value(match["digits"], decimal) if match else None
        if match is None or found is None:
            return None
        offset = unit.offset if unit else Fraction(0)
        number = -found[0] if match["before"].endswith(("-", "−")) else found[0]
        if not number:
            return None
        scale = (quantity.value - offset) / number
        return cls(match["before"], match["digits"], match["after"], scale, offset, decimal)

    @property
    def shown(self) -> str:
        """The words as written, with the unit."""
        return f"{self.before}{self.digits}{self.after}"

    def write(self, value: Fraction, *, is_rounded: bool = False) -> str:
        """Another value in this form, with few digits if it has to be rounded."""
        number = (value - self.offset) / self.scale
        before = self.before.rstrip("-−")
        minus = (self.before[len(before) :] or "-") if number < 0 else ""
        return f"{minus}{before}{self._number(abs(number), is_rounded)}{self.after}"

    def _number(self, number: Fraction, is_rounded: bool) -> str:
        decimals = next(
            (n for n in range(_MOST_DECIMALS + 1) if (number * 10**n).denominator == 1), None
        )
        if decimals is None or is_rounded:
            size = int(log10(number)) + 1 if number >= 1 else 0
            decimals = max(_PRECISION - size, 0)
        written = f"{float(round(number, decimals)):,.{decimals}f}"
        written = written.rstrip("0").rstrip(".") if decimals else written
        separator = _SEPARATORS.search(self.digits)
        grouping = separator[1] if separator else "," if self.decimal == "." else "."
        if not separator and number < _FIVE_DIGITS:
            grouping = ""
        return written.translate({ord(","): grouping, ord("."): self.decimal})


@dataclass(frozen=True, slots=True)
class TwoPartForm:
    """Hours and minutes, or minutes and seconds: `1 h 20 min`."""

    first: str
    last: str
    size: int  # seconds of the first part

    @classmethod
    def of(cls, quantity: Quantity, written: str) -> "TwoPartForm | None":
        """The form of a duration in two parts."""
        match = _TWO_PARTS.fullmatch(written)
        if match is None or quantity.kind != "duration":
            return None
        for size in (3600, 60):
            if int(match["a"]) * size + int(match["b"]) * size // 60 == quantity.value:
                return cls(match["first"], match["last"], size)
        return None

    def write(self, value: Fraction) -> str | None:
        """Another duration in this form; None if it has more parts or fewer."""
        parts = value * 60 / self.size
        if parts.denominator != 1 or parts < 60:
            return None
        whole, part = divmod(int(parts), 60)
        return f"{whole}{self.first}{part}{self.last}"


def _has_unit(written: str) -> bool:
    return any(not character.isdecimal() and character not in ".,-−" for character in written)


def write_clock(minutes: Fraction, like: str) -> str | None:
    """A time of day in the form of another: `16:30` like `9:15`, `4:30 pm` like `10 am`."""
    match = _CLOCK.fullmatch(like)
    if match is None or minutes.denominator != 1:
        return None
    hour, minute = divmod(int(minutes), 60)
    if not match["half"]:
        width = "02" if match["hour"].startswith("0") else ""
        return f"{hour:{width}}{match['sign'] or ':'}{minute:02}"
    written = match["half"]
    half = re.sub("[ap]", "p" if minutes >= HALF_DAY else "a", written.lower())
    half = half.upper() if written[0].isupper() else half
    shown = f"{hour % 12 or 12}"
    if minute or match["minute"]:
        shown += f"{match['sign'] or ':'}{minute:02}"
    return f"{shown}{match['gap']}{half}"


def date_style(written: str) -> str:
    """The style of a date: with the month's name, or the order of its numbers."""
    if any(character.isalpha() and character not in "年月日" for character in written):
        return "named"
    sign = next((character for character in written if not character.isdecimal()), "")
    return f"{'year' if written[:4].isdecimal() else 'day'} first {sign}"


def write_date(day: date, like: str) -> str | None:
    """A date in the form of another one in numbers with the year first, or with a month's name."""
    match date_style(like):
        case "year first -":
            return day.isoformat()
        case "year first /":
            return f"{day:%Y/%m/%d}"
        case "year first 年":
            return f"{day.year}年{day.month}月{day.day}日"
        case "day first .":
            return f"{day.day}.{day.month}.{day.year}"
    return None
