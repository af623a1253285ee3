"""Figures that state a value of the source in another form: another unit, magnitude or rounding."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from assay.text.calculations.claims import ComputedClaim, written_value
from assay.text.calculations.figures import PlacedFigure, SourceFigures
from assay.text.calculations.ranks import may_rank
from assay.text.calculations.reckonings import agrees
from assay.text.calculations.relevance import WordRelevance
from assay.text.quantities.finding import find_quantities
from assay.text.quantities.lexicon import unit_named
from assay.text.quantities.quantity import HALF_DAY, Quantity

_SMALL = 12  # a number up to here is written in either way, and fits by chance
_MANY = 100  # and one that counts nothing, up to here
_ARTICLE = re.compile(r"(?:a|an|one)\b", re.IGNORECASE)
_CLOSELY = re.compile(
    r"\b(?:just|little|slightly|bit|nearly|almost|not quite|barely|close|shy)\b[^.,;]{0,12}$",
    re.IGNORECASE,
)
_SETTLES_MORE = re.compile(
    r"\b(?:only|none|no|not|never|nobody|neither|every|all|each)\b|n['’]t\b", re.IGNORECASE
)
_CLOCKS = ("clock", "clock12")
_PLAIN = ("year", "decade", "month", "date?", "factor", "ordinal")  # have one form
_LIMITS = ("over", "under", "at least", "at most")
_FAR = Fraction(1, 10)  # of a bound: a value further away is another statement
_SLACK = 0.3  # of words that another figure may have more in common
_LONGEST_LABEL = 60
_MEASURES = frozenset("mass length volume area energy power temperature speed duration".split())
_LETTERS = re.compile(r"[^\W\d_]{1,5}|°[CF]")


@dataclass(frozen=True, slots=True)
class Conversion:
    """A stated figure and the figure of the source that it is."""

    stated: PlacedFigure
    known: PlacedFigure
    is_same_form: bool = False

    @property
    def operands(self) -> tuple[PlacedFigure, ...]:
        return (self.known,)

    def __str__(self) -> str:
        return f"{self.stated.text} is {self.known.text}"


def conversion_of(
    stated: PlacedFigure, source: SourceFigures, relevance: WordRelevance
) -> Conversion | None:
    """The source's figure that a sentence states, if its words speak for no other figure.

    >>> from assay.text.calculations.checking import check_figures
    >>> check_figures("The oven is at 302 °F.", "Heat the oven to 150 °C.").reason
    '302 °F is 150 °C'
    """
    if stated.kind in _PLAIN or (stated.kind == "number" and _ARTICLE.match(stated.text)):
        return None
    stated = _in_pounds(stated, source)
    kin = [each for each in _in_units(source, stated.kind) if _is_comparable(stated, each)]
    same = [each for each in kin if states(stated.quantity, each.quantity)]
    if not same:
        return None
    best = max(same, key=lambda each: (relevance.of(each), _is_same_form(stated, each)))
    others = [
        relevance.of(each) for each in kin if each not in same and not _are_beside(each, best)
    ]
    if max(others, default=0) > relevance.of(best) + _SLACK:
        return None
    return Conversion(stated, best, any(_is_same_form(stated, each) for each in same))


def _in_pounds(stated: PlacedFigure, source: SourceFigures) -> PlacedFigure:
    """Pounds without a sign are a weight where the source has weights and no such money."""
    unit = unit_named("mass", "lb")
    is_weight = "mass" in source.kinds and "money:GBP" not in source.kinds
    if stated.quantity.noun != "pound" or unit is None or not is_weight:
        return stated
    return _scaled(stated, Quantity(0, 0, "mass", unit.factor, "lb"))


def states(stated: Quantity, known: Quantity) -> bool:
    """True if a figure is a value, rounded to its last digit or as its bound says."""
    if stated.kind in _CLOCKS:
        is_either = "clock12" in (stated.kind, known.kind)
        off = stated.value - known.value
        return off % HALF_DAY == 0 if is_either else off == 0
    if stated.kind in ("date", "day"):
        return stated.value == known.value
    if stated.value == known.value:
        return stated.bound in ("", known.bound, "about", "at least", "at most")
    if known.bound in _LIMITS:
        known = replace(known, bound="")
        if stated.bound in _LIMITS:
            return _is_near(stated, known.value)
    if stated.bound in _LIMITS and abs(known.value - stated.value) > _FAR * abs(stated.value):
        return False
    if not known.step or known.step <= stated.step or not stated.step:
        return bool(agrees(stated, known.value))
    return known.unit != stated.unit and abs(stated.value - known.value) <= known.step / 2


def _are_beside(one: PlacedFigure, other: PlacedFigure) -> bool:
    """True if two figures stand in one sentence, whose words are of both."""
    return one.place is None and one.sentence == other.sentence


def _is_near(stated: Quantity, value: Fraction) -> bool:
    return abs(stated.value - value) <= stated.step / 2


def _is_comparable(stated: PlacedFigure, known: PlacedFigure) -> bool:
    if known.kind == stated.kind == "number":
        noun = stated.quantity.noun
        is_named = not noun or noun in (known.labels | known.head | {known.quantity.noun})
        return min(known.value, stated.value) > (_SMALL if is_named and noun else _MANY)
    if known.kind == stated.kind:
        return True
    return {known.kind, stated.kind} <= set(_CLOCKS)


def _is_same_form(stated: PlacedFigure, known: PlacedFigure) -> bool:
    """True if the source has the figure as the sentence does, which nobody had to convert."""
    one, other = stated.quantity, known.quantity
    if one.value != other.value or one.unit != other.unit:
        return False
    is_scaled = known.text.endswith(f" {other.unit}") and known.place is not None
    written = written_value(stated)
    is_written_so = written is not None and written == written_value(known)
    return is_scaled or is_written_so or stated.text.casefold() == known.text.casefold()


def _in_units(source: SourceFigures, kind: str) -> Iterator[PlacedFigure]:
    """The figures of a kind, also of cells whose head or label has the unit."""
    clocks = _CLOCKS if kind in _CLOCKS else (kind,)
    yield from (each for each in source.figures if each.kind in clocks)
    if kind not in _MEASURES and not kind.startswith(("money", "number")):
        return
    for series in source.series:
        if series.kind != "number" or series.form not in ("column", "record"):
            continue
        for scale in series.scales:
            if scale.kind == kind:
                yield from (_scaled(each, scale) for each in series.items)
        if series.form == "record":
            for each in series.items:
                unit = _unit_of_label(each, source)
                if unit and unit.kind == kind:
                    yield _scaled(each, unit)


def _scaled(figure: PlacedFigure, scale: Quantity) -> PlacedFigure:
    """A bare cell with the unit of its head."""
    unit = unit_named(scale.kind, scale.unit)
    offset = unit.offset if unit else Fraction(0)
    factor = scale.value - offset
    quantity = figure.quantity
    return replace(
        figure,
        quantity=replace(
            quantity,
            kind=scale.kind,
            unit=scale.unit,
            value=quantity.value * factor + offset,
            step=quantity.step * factor,
            noun="",
        ),
        text=f"{figure.text} {scale.unit}".strip(),
    )


def _unit_of_label(figure: PlacedFigure, source: SourceFigures) -> Quantity | None:
    """The unit at the end of a field's name: `cruise altitude ft`."""
    if figure.place is None:
        return None
    grid, row, _ = figure.place
    label = source.grids[grid].rows[row][0].text[-_LONGEST_LABEL:]
    words = label.replace("_", " ").strip(" )]").split()
    last = words[-1].strip("([") if len(words) > 1 else ""
    if not _LETTERS.fullmatch(last):
        return None
    found = find_quantities(f"1 {last}")[:1]
    return found[0] if found and found[0].kind in _MEASURES else None


def _is_condition(claim: ComputedClaim, found: Conversion) -> bool:
    """True of a bound that any number of values keep to, unless it is said to be close."""
    quantity = found.stated.quantity
    if quantity.bound not in _LIMITS or quantity.value == found.known.value:
        return False
    return not _CLOSELY.search(claim.text[: quantity.start])


def conversions(
    claim: ComputedClaim, source: SourceFigures, relevance: WordRelevance
) -> tuple[Conversion, ...]:
    """The figures of a sentence that the source has in other forms; none if one is doubtful."""
    if _SETTLES_MORE.search(claim.text) or may_rank(claim.text):
        return ()
    found = []
    for figure in claim.figures:
        conversion = conversion_of(figure, source, relevance)
        if conversion and _is_condition(claim, conversion):
            return ()
        if conversion and not conversion.is_same_form:
            found.append(conversion)
    return tuple(found)
