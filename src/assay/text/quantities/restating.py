"""Sentences with the values of a source in the forms that the source writes them in.

A reader of words takes 1.248 billion for another value than 1,248 million, and 4:30 pm for 14:30.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property

from assay.text.quantities.finding import find_quantities
from assay.text.quantities.forms import FigureForm, TwoPartForm, date_style, write_clock, write_date
from assay.text.quantities.lexicon import unit_named
from assay.text.quantities.quantity import CALENDAR, HALF_DAY, Quantity, is_converted, same_value

_CLOCKS = frozenset({"clock", "clock12"})
_DAYS = frozenset({"date", "day"})
_LIMITS = frozenset({"over", "under", "at least", "at most"})
_LEFT = frozenset({"year", "decade", "month", "date?", "factor"})  # are read as they stand
_SMALL = 12  # a number in words up to here is left as it is
_LARGE = 1000  # a magnitude from here on is a form of its own
_NEAR, _FAR = 20, 2000  # times; a number, or value, further away is about something else
_SHARES = frozenset({"fraction", "ratio"})


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a sentence, what it was written as, and whether the source has the value."""

    start: int
    end: int
    written: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class Restated:
    """A sentence in the forms of a source, and the places of it that were changed, in order."""

    original: str
    changes: tuple[Change, ...] = ()

    @property
    def text(self) -> str:
        """The sentence as it is read."""
        parts, at = [], 0
        for change in self.changes:
            parts += [self.original[at : change.start], change.written]
            at = change.end
        return "".join([*parts, self.original[at:]])

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a part of the text; a change is one place.

        >>> Restated("at 4 pm.", (Change(3, 7, "16:00", True),)).origin(3, 5)
        (3, 7)
        """
        return self._back(start, is_end=False), self._back(end, is_end=True)

    def _back(self, place: int, *, is_end: bool) -> int:
        shift = 0  # from the text to the original
        for change in self.changes:
            first = change.start - shift
            last = first + len(change.written)
            if place < first or (place == first and is_end):
                break
            if place < last or (place == last and is_end):
                return change.end if is_end else change.start
            shift += change.end - change.start - len(change.written)
        return place + shift


class SourceForms:
    """The quantities of a source, and how sentences about it are restated in their forms."""

    def __init__(self, source: str, language: str = "en") -> None:
        self._source, self._language = source, language

    @cached_property
    def _quantities(self) -> tuple[Quantity, ...]:
        return find_quantities(self._source, self._language)

    def restate(self, sentence: str) -> Restated:
        """The sentence with its values in the forms of the source.

        A value that the source has is written as there; one that it does not have is written in the
        form of the source's values of its kind, if they are all in other forms.
        """
        changes = []
        for quantity in find_quantities(sentence, self._language):
            if quantity.kind not in _LEFT:
                change = self._change(self._of_source(quantity), sentence)
                if change:
                    changes.append(change)
        return Restated(sentence, tuple(changes))

    def _change(self, quantity: Quantity, sentence: str) -> Change | None:
        written = sentence[quantity.start : quantity.end]
        if quantity.kind in _CLOCKS:
            found = self._clock(quantity, written)
        elif quantity.kind in _DAYS:
            found = self._date(quantity, written)
        else:
            found = self._figure(quantity, written)
        if found is None:
            return None
        text, is_same = found
        if text.casefold() == written.casefold():
            return None
        behind = sentence[quantity.end :]
        if written.endswith(".") and not text.endswith(".") and not behind.strip():
            text += "."  # of p.m., which ended the sentence
        if quantity.unit in _SHARES and "%" in text and not behind.lstrip().startswith("of "):
            text += " of"
        return Change(quantity.start, quantity.end, text, is_same)

    def _of_source(self, quantity: Quantity) -> Quantity:
        """Pounds, which are what they are in the source: money or weight."""
        if quantity.kind != "number" or quantity.noun != "pound":
            return quantity
        for kind, name in (("money:GBP", "GBP"), ("mass", "lb")):
            unit = unit_named(kind, name)
            if unit and any(each.unit == name for each in self._quantities):
                factor = unit.factor
                return replace(
                    quantity,
                    kind=kind,
                    unit=name,
                    value=quantity.value * factor,
                    step=quantity.step * factor,
                )
        return quantity

    def _written(self, quantity: Quantity) -> str:
        return self._source[quantity.start : quantity.end]

    def _kin(self, *kinds: str) -> list[Quantity]:
        return [each for each in self._quantities if each.kind in kinds]

    def _clock(self, quantity: Quantity, written: str) -> tuple[str, bool] | None:
        """14:30 for 2:30 pm; half past two is whichever half of the day the source has."""
        kin = self._kin(*_CLOCKS)
        same = [each for each in kin if _is_same_clock(quantity, each)]
        if any(_clock_style(self._written(each)) == _clock_style(written) for each in same or kin):
            return None
        if same:
            return self._written(same[0]), True
        if not kin or any(each.kind == "clock12" for each in kin):
            return None
        value = quantity.value
        nearest = min(kin, key=lambda each: abs(each.value - value))
        if quantity.kind == "clock12" and nearest.value >= HALF_DAY:
            value += HALF_DAY
        text = write_clock(value, self._written(nearest))
        return text and (text, False)

    def _date(self, quantity: Quantity, written: str) -> tuple[str, bool] | None:
        kin = self._kin("date")
        styles = {date_style(self._written(each)) for each in kin}
        if not kin or date_style(written) in styles:
            return None
        day = date.fromordinal(int(quantity.value))
        if quantity.kind == "day":
            day = _in_year(day, date.fromordinal(int(kin[0].value)).year)
        same = [each for each in kin if each.value == day.toordinal()]
        if same:
            return self._written(same[0]), True
        text = write_date(day, self._written(kin[0]))
        return text and (text, False)

    def _figure(self, quantity: Quantity, written: str) -> tuple[str, bool] | None:
        own = FigureForm.of(quantity, written, self._language)
        if own is None and quantity.kind in ("number", "ordinal") and quantity.value <= _SMALL:
            return None
        if quantity.unit == "ratio" and written.split()[1:2] not in (["in"], ["out"]):
            return None  # one ticket in five
        kin = [
            (each, FigureForm.of(each, self._written(each), self._language))
            for each in self._kin(quantity.kind)
            if _is_comparable(quantity, each)
        ]
        same = [(each, form) for each, form in kin if _states_same(quantity, each)]
        rounds = quantity.bound == "about" and all(each.value != quantity.value for each, _ in same)
        if any(_is_alike(quantity, own, *each) for each in same or kin) and not (same and rounds):
            return None
        if same:
            best, form = min(same, key=lambda pair: _distance(quantity, pair[0]))
            return form.shown if form else self._written(best), True
        text = None if quantity.kind == "ordinal" else self._other(quantity, own, kin)
        return text and (text, False)

    def _other(
        self,
        quantity: Quantity,
        own: FigureForm | None,
        kin: Sequence[tuple[Quantity, FigureForm | None]],
    ) -> str | None:
        """A value that the source does not have, in the form of the nearest that it has."""
        if not kin:
            return None
        nearest, form = min(kin, key=lambda pair: _ratio(quantity, pair[0]))
        is_number = quantity.kind == "number"
        if _ratio(quantity, nearest) > (_NEAR if is_number else _FAR):
            return None
        if form is None:
            parts = TwoPartForm.of(nearest, self._written(nearest))
            return parts and parts.write(quantity.value)
        if is_number and own and max(own.scale, form.scale) < _LARGE:
            return None
        is_rounded = quantity.unit in _SHARES or is_converted(quantity, nearest)
        text = form.write(quantity.value, is_rounded=is_rounded)
        is_plain = own or form.decimal in form.digits or form.decimal not in text
        return text if is_plain else None  # half an hour is not 0.5 hours


def _is_comparable(one: Quantity, other: Quantity) -> bool:
    """True unless no whole number of one unit makes the other, as with days and months."""
    if one.kind != "duration":
        return True
    groups = (CALENDAR, {"day", "week", "fortnight"}, {"ms", "second", "minute", "hour"})
    return any(one.unit in group and other.unit in group for group in groups)


def _states_same(one: Quantity, other: Quantity) -> bool:
    """True if two quantities have one value; a limit must be the same to the digit."""
    plain = replace(other, bound="about" if other.bound == "about" else "")
    if one.bound not in _LIMITS:
        return bool(same_value(one, plain))
    is_near = one.unit != other.unit and bool(same_value(replace(one, bound=""), plain))
    return one.value == other.value or (is_near and is_converted(one, other))


def _is_alike(
    one: Quantity, own: FigureForm | None, other: Quantity, form: FigureForm | None
) -> bool:
    """True if two quantities are written with the same unit and magnitude, both in digits.

    A few of a unit are as well read in words.
    """
    if one.unit != other.unit:
        return False
    if own and form:
        return own.scale == form.scale
    return one.kind != "number" and _count(one) <= _SMALL and _count(other) <= _SMALL


def _count(quantity: Quantity) -> Fraction:
    """How many of its unit a quantity is."""
    unit = unit_named(quantity.kind, quantity.unit)
    return (quantity.value - unit.offset) / unit.factor if unit else quantity.value


def _distance(one: Quantity, other: Quantity) -> tuple[bool, Fraction]:
    return one.noun != other.noun, abs(one.value - other.value)


def _ratio(one: Quantity, other: Quantity) -> Fraction:
    """How many times one is the other; temperatures have no such ratio."""
    if one.kind == "temperature":
        return 1 + abs(one.value - other.value) / _FAR
    low, high = sorted((abs(one.value), abs(other.value)))
    return high / low if low else Fraction(_FAR + 1)


def _is_same_clock(one: Quantity, other: Quantity) -> bool:
    if one.kind == other.kind == "clock":
        return one.value == other.value
    return (one.value - other.value) % HALF_DAY == 0


def _clock_style(written: str) -> str:
    """Words, hours to 24, or hours to 12."""
    if not any(character.isdecimal() for character in written):
        return "words"
    return "12" if any(character.isalpha() for character in written) else "24"


def _in_year(day: date, year: int) -> date:
    is_leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=year, day=28) if is_leap_day else day.replace(year=year)
