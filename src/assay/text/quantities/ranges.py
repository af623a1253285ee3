"""Ranges, of which one end has the unit or magnitude of both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.text.quantities.amounts import StatedAmount
from assay.text.quantities.lexicon import NumberWords
from assay.text.quantities.quantity import Quantity
from assay.text.quantities.stating import quantity_of
from assay.text.quantities.tokens import TokenWalk

_MOST = 1000  # before a magnitude


def with_units_of_ranges(
    walk: TokenWalk,
    found: Sequence[Quantity],
    amounts: Mapping[int, StatedAmount],
    words: NumberWords,
    language: str,
) -> Iterator[Quantity]:
    """The quantities, of which both ends of a range have the unit that one of them has."""
    for number, quantity in enumerate(found):
        own = amounts.get(number)
        changed = own
        if own:
            later, earlier = amounts.get(number + 1), amounts.get(number - 1)
            if later and _is_range(walk, own, later):
                changed = _first_of_range(own, later)
            elif earlier and _is_range(walk, earlier, own) and earlier.is_sign_first:
                changed = replace(own, unit=own.unit or earlier.unit)
        if changed is own or changed is None:
            yield quantity
            continue
        made = quantity_of(walk, changed, words, language)
        noun = quantity.noun or (found[number + 1].noun if number + 1 < len(found) else "")
        yield replace(made, start=quantity.start, end=quantity.end, noun=noun)


def _is_range(walk: TokenWalk, first: StatedAmount, last: StatedAmount) -> bool:
    between = walk.slice(first.end, last.first).lower() if first.end < last.first else ""
    if between == "and":
        return walk.fold(first.first - 1) in ("between", "zwischen", "entre", "tra", "tussen")
    return between in ("-", "–", "—", "to", "or", "bis", "à", "a", "tot", "do", "до")


def _first_of_range(first: StatedAmount, last: StatedAmount) -> StatedAmount:
    """The 5 of `5 to 7 million euros`, which are millions of euros too."""
    unit = first.unit or last.unit
    magnitude = first.magnitude
    if magnitude == 1 and first.numeral.value < last.numeral.value <= _MOST:
        magnitude = last.magnitude
    return replace(first, unit=unit, magnitude=magnitude)
