"""Sentences with the values of a source in the forms that the source writes them in.

A reader of words takes 1.248 billion for another value than 1,248 million, and 4:30 pm for 14:30.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property

from assay.text.quantities.finding import find_quantities
from assay.text.quantities.forms import FigureForm, date_style, write_clock, write_date
from assay.text.quantities.quantity import CALENDAR, HALF_DAY, Quantity, same_value

_CLOCKS = frozenset({"clock", "clock12"})
_DAYS = frozenset({"date", "day"})
_LIMITS = frozenset({"over", "under", "at least", "at most"})
_LEFT = frozenset({"year", "decade", "month", "date?", "factor"})  # are read as they stand
_SMALL = 12  # a number in words up to here is left as it is
_LARGE = 1000  # a magnitude from here on is a form of its own
_NEAR = 20  # times; a value further away is about something else
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
                change = self._change(quantity, sentence)
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
        kin = [
            (each, self._form(each)) for each in self._kin(quantity.kind) if _may_be(quantity, each)
        ]
        same = [(each, form) for each, form in kin if same_value(quantity, each)]
        if quantity.bound in _LIMITS:
            return None
        if any(_is_alike(quantity, own, *each) for each in same):
            return None
        if same:
            best = min(same, key=lambda pair: _distance(quantity, pair[0]))
            return self._written(best[0]), True
        return self._other(quantity, own, kin)

    def _form(self, quantity: Quantity) -> FigureForm | None:
        return FigureForm.of(quantity, self._written(quantity), self._language)

    def _other(
        self,
        quantity: Quantity,
        own: FigureForm | None,
        kin: Sequence[tuple[Quantity, FigureForm | None]],
    ) -> tuple[str, bool] | None:
        """A value that the source does not have, in the form of the nearest that it has."""
        if quantity.kind == "ordinal" or any(_is_alike(quantity, own, *each) for each in kin):
            return None
        near = [(each, form) for each, form in kin if form and _ratio(quantity, each) <= _NEAR]
        if not near:
            return None
        like = min(near, key=lambda pair: _ratio(quantity, pair[0]))[1]
        if quantity.kind == "number" and own and max(own.scale, like.scale) < _LARGE:
            return None
        text = like.write(quantity.value)
        return text and (text, False)


def _may_be(one: Quantity, other: Quantity) -> bool:
    """False for days and months, which no number of the other makes."""
    return one.kind != "duration" or (one.unit in CALENDAR) == (other.unit in CALENDAR)


def _is_alike(
    one: Quantity, own: FigureForm | None, other: Quantity, form: FigureForm | None
) -> bool:
    """True if two quantities are written with the same unit and magnitude, both in digits."""
    return bool(own and form and one.unit == other.unit and own.scale == form.scale)


def _distance(one: Quantity, other: Quantity) -> tuple[bool, Fraction]:
    return one.noun != other.noun, abs(one.value - other.value)


def _ratio(one: Quantity, other: Quantity) -> Fraction:
    low, high = sorted((abs(one.value), abs(other.value)))
    return high / low if low else Fraction(_NEAR + 1)


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
