"""Sentences with the values of a source in the forms that the source writes them in.

A reader of words takes 1.248 billion for another value than 1,248 million, and 4:30 pm for 14:30.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property

from assay.text.quantities.comparing import (
    FAR,
    SMALL,
    distance,
    is_alike,
    is_comparable,
    ratio,
    states_same,
)
from assay.text.quantities.finding import find_quantities
from assay.text.quantities.forms import FigureForm, TwoPartForm, date_style, write_clock, write_date
from assay.text.quantities.lexicon import unit_named
from assay.text.quantities.quantity import HALF_DAY, Quantity, is_converted
from assay.text.quantities.slips import slipped_clock, slipped_magnitude, slipped_unit

_MOST = 100  # quantities of a kind, in each direction, that one of the sentence is compared with
_CLOCKS = ("clock", "clock12")
_DAYS = frozenset({"date", "day"})
_LEFT = frozenset({"year", "decade", "month", "date?", "factor"})  # are read as they stand
_ALIKE, _ALIKE_ANYWAY = 2, 3  # digits that a slip has in common with the right value
_LARGE = 1000  # a magnitude from here on is a form of its own
_NEAR = 20  # times; a number without a unit further away is about something else
_SHARES = frozenset({"fraction", "ratio"})


@dataclass(frozen=True, slots=True)
class Rewording:
    """A part of a sentence, what it was written as, and whether the source has the value.

    `slip_of` is the source's value that it looks like a wrong conversion of, if it does.
    """

    start: int
    end: int
    written: str
    is_same: bool
    slip_of: str = ""


@dataclass(frozen=True, slots=True)
class _Wording:
    text: str
    is_same: bool = True
    slip_of: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Restated:
    """A sentence in the forms of a source, and the places of it that were changed, in order."""

    original: str
    changes: tuple[Rewording, ...] = ()

    @property
    def text(self) -> str:
        """The sentence as it is read."""
        parts, at = [], 0
        for change in self.changes:
            parts += [self.original[at : change.start], change.written]
            at = change.end
        return "".join([*parts, self.original[at:]])

    @property
    def slips(self) -> tuple[Rewording, ...]:
        """The values that look like wrong conversions of the source's."""
        return tuple(change for change in self.changes if change.slip_of)

    @property
    def conversions(self) -> tuple[Rewording, ...]:
        """The values that the source has in another form."""
        return tuple(change for change in self.changes if change.is_same)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a part of the text; a change is one place.

        >>> Restated("at 4 pm.", (Rewording(3, 7, "16:00", True),)).origin(3, 5)
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
        self._forms: dict[Quantity, FigureForm | None] = {}

    @cached_property
    def _by_kind(self) -> Mapping[str, Sequence[Quantity]]:
        """The quantities of each kind by value, of equal ones in the same words the first."""
        found: dict[str, dict[tuple[Fraction, str], Quantity]] = {}
        for each in find_quantities(self._source, self._language):
            key = each.value, self._written(each).casefold()
            found.setdefault(each.kind, {}).setdefault(key, each)
        return {
            kind: sorted(held.values(), key=lambda each: each.value) for kind, held in found.items()
        }

    def _near(self, kind: str, value: Fraction) -> Sequence[Quantity]:
        """The quantities of a kind whose values lie nearest."""
        held = self._by_kind.get(kind, ())
        place = bisect_left(held, value, key=lambda each: each.value)
        return held[max(place - _MOST, 0) : place + _MOST]

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

    def _change(self, quantity: Quantity, sentence: str) -> Rewording | None:
        written = sentence[quantity.start : quantity.end]
        if quantity.kind in _CLOCKS:
            found = self._clock(quantity, written)
        elif quantity.kind in _DAYS:
            found = self._date(quantity, written)
        else:
            found = self._figure(quantity, written)
        if found is None:
            return None
        text = found.text
        if text.casefold() == written.casefold() and not found.slip_of:
            return None
        behind = sentence[quantity.end :]
        if quantity.unit in _SHARES and "%" in text and not behind.lstrip().startswith("of "):
            text += " of"
        slip = self._written(found.slip_of) if found.slip_of else ""
        return Rewording(quantity.start, quantity.end, text, found.is_same, slip)

    def _of_source(self, quantity: Quantity) -> Quantity:
        """Pounds, which are what they are in the source: money or weight."""
        if quantity.kind != "number" or quantity.noun != "pound":
            return quantity
        for kind, name in (("money:GBP", "GBP"), ("mass", "lb")):
            unit = unit_named(kind, name)
            if unit and any(each.unit == name for each in self._near(kind, quantity.value)):
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

    def _form(self, quantity: Quantity) -> FigureForm | None:
        if quantity not in self._forms:
            written = self._written(quantity)
            self._forms[quantity] = FigureForm.of(quantity, written, self._language)
        return self._forms[quantity]

    def _clock(self, quantity: Quantity, written: str) -> _Wording | None:
        """14:30 for 2:30 pm; half past two is whichever half of the day the source has."""
        kin = [each for kind in _CLOCKS for each in self._near(kind, quantity.value)]
        same = [each for each in kin if _is_same_clock(quantity, each)]
        styles = {_clock_style(self._written(each)) for each in same or kin}
        if _clock_style(written) in styles:
            slip = None if same else slipped_clock(quantity, kin)
            return _Wording(written, False, slip) if slip else None
        if same:
            return _Wording(self._written(same[0]))
        if not kin or any(each.kind == "clock12" for each in kin):
            return None
        value = quantity.value
        nearest = min(kin, key=lambda each: abs(each.value - value))
        if quantity.kind == "clock12" and nearest.value >= HALF_DAY:
            value += HALF_DAY
        text = write_clock(value, self._written(nearest))
        return _Wording(text, False, slipped_clock(quantity, kin)) if text else None

    def _date(self, quantity: Quantity, written: str) -> _Wording | None:
        kin = self._near("date", quantity.value)
        styles = {date_style(self._written(each)) for each in kin}
        if not kin or date_style(written) in styles:
            return None
        day = date.fromordinal(int(quantity.value))
        if quantity.kind == "day":
            day = _in_year(day, date.fromordinal(int(kin[0].value)).year)
        same = [each for each in kin if each.value == day.toordinal()]
        if same:
            return _Wording(self._written(same[0]))
        text = write_date(day, self._written(kin[0]))
        return _Wording(text, False) if text else None

    def _figure(self, quantity: Quantity, written: str) -> _Wording | None:
        own = FigureForm.of(quantity, written, self._language)
        if own is None and quantity.kind in ("number", "ordinal") and quantity.value <= SMALL:
            return None
        if quantity.unit == "ratio" and written.split()[1:2] not in (["in"], ["out"]):
            return None  # one ticket in five
        kin = [
            (each, self._form(each))
            for each in self._near(quantity.kind, quantity.value)
            if is_comparable(quantity, each)
        ]
        same = [(each, form) for each, form in kin if states_same(quantity, each)]
        rounds = quantity.bound == "about" and all(each.value != quantity.value for each, _ in same)
        is_written_so = any(is_alike(quantity, own, *each) for each in same or kin)
        if same and is_written_so and not rounds:
            return None
        if same:
            best, form = min(same, key=lambda pair: distance(quantity, pair[0]))
            return _Wording(form.shown if form else self._written(best))
        if quantity.kind == "ordinal":
            return None
        text = None if is_written_so else self._other(quantity, own, kin)
        others = [each for each, form in kin if not is_alike(quantity, own, each, form)]
        slip = slipped_magnitude(quantity, others, _ALIKE if text else _ALIKE_ANYWAY)
        slip = slip or slipped_unit(quantity, self._rivals(quantity))
        return _Wording(text or written, False, slip) if text or slip else None

    def _rivals(self, quantity: Quantity) -> list[Quantity]:
        """The values in any unit of the kind, or in any currency."""
        kind = quantity.kind.partition(":")[0]
        kinds = [each for each in self._by_kind if each.partition(":")[0] == kind]
        return [each for kind in kinds for each in self._near(kind, quantity.value)]

    def _other(
        self,
        quantity: Quantity,
        own: FigureForm | None,
        kin: Sequence[tuple[Quantity, FigureForm | None]],
    ) -> str | None:
        """A value that the source does not have, in the form of the nearest that it has."""
        if not kin:
            return None
        nearest, form = min(kin, key=lambda pair: ratio(quantity, pair[0]))
        is_number = quantity.kind == "number"
        if ratio(quantity, nearest) > (_NEAR if is_number else FAR):
            return None
        if form is None:
            parts = TwoPartForm.of(nearest, self._written(nearest))
            return parts.write(quantity.value) if parts else None
        if is_number and own and max(own.scale, form.scale) < _LARGE:
            return None
        is_rounded = quantity.unit in _SHARES or is_converted(quantity, nearest)
        text = form.write(quantity.value, is_rounded=is_rounded)
        is_plain = own or form.decimal in form.digits or form.decimal not in text
        return text if is_plain else None  # half an hour is not 0.5 hours


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
