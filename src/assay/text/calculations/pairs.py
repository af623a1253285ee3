"""Calculations with two or three figures: differences, shares, growth, multiples, products."""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from assay.text.calculations.claims import SHARES
from assay.text.calculations.figures import TIMES, PlacedFigure, Series
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.relevance import named_items
from assay.text.calculations.search import SAME_SERIES, FigureSearch, firmly

_THREE = 9  # figures from which three are taken
_PERCENT = 100
_MORE = re.compile(
    r"\s*(?:\w+\s){0,2}(?:more|fewer|less|higher|lower|longer|shorter|older|younger|taller|larger|bigger"
    r"|smaller|cheaper|dearer|heavier|lighter|later|earlier)\b"
)
_GAP = re.compile(
    r"\b(?:by|difference (?:is|was|of)|gap (?:is|was|of)|margin of|lead of)\s(?:\w+\s)?$"
)
_UNITS_OF_TIME = {
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_629_746,
    "year": 31_556_952,
}
_UNCOUNTED = (*TIMES, "ordinal", "clock12", "day", "month", "date?")


def pairs(search: FigureSearch) -> Iterator[Reckoning]:
    """The results that two figures may lead to, whichever operation the sentence allows."""
    firm = _firm_pairs(search)
    for one, other in permutations(search.pool, 2):
        if other.kind in _UNCOUNTED or one.kind in _UNCOUNTED:
            continue
        beside = SAME_SERIES if _in_one_series(one, other) else 0.0
        is_firm = (id(one), id(other)) in firm
        yield from _of_two(search, one, other, beside, is_firm)


def _of_two(
    search: FigureSearch, one: PlacedFigure, other: PlacedFigure, beside: float, is_firm: bool
) -> Iterator[Reckoning]:
    stated = search.stated.kind
    a, b = one.value, other.value
    texts = (one.text, other.text)
    alike = _alike(one, other)
    if alike and stated not in SHARES and a > b:
        said = f"{texts[0]} − {texts[1]}"
        found = search.reckoning("difference", a - b, one.kind, (one, other), said, beside)
        is_bound = is_firm or search.are_all((one, other))
        yield from firmly(found, is_bound and _is_compared(search))
        if one.quantity.start < other.quantity.start or one.is_own != other.is_own:
            said = f"{texts[0]} + {texts[1]}"
            yield from search.reckoning("total", a + b, one.kind, (one, other), said, beside)
    if stated in SHARES or stated == "factor":
        yield from _relations(search, one, other, beside, is_firm)
    if stated not in SHARES:
        yield from _scaled(search, one, other)


def _is_compared(search: FigureSearch) -> bool:
    """True if the figure itself is what one thing has more than another."""
    cues = search.claim.cues
    if "difference" not in cues or cues & {"average", "ratio", "share"}:
        return False
    text, quantity = search.claim.text, search.stated.quantity
    return bool(_MORE.match(text, quantity.end) or _GAP.search(text[: quantity.start]))


def _relations(
    search: FigureSearch, one: PlacedFigure, other: PlacedFigure, beside: float, is_firm: bool
) -> Iterator[Reckoning]:
    a, b = one.value, other.value
    if not _alike(one, other) or not b or one.kind in SHARES:
        if one.kind in SHARES and other.kind == one.kind and a > b:
            said = f"{one.text} − {other.text}"
            yield from search.reckoning("difference", a - b, one.kind, (one, other), said, beside)
        return
    kind = search.stated.kind
    if kind in SHARES:
        if 0 < a < b and search.relation == "share":
            said = f"{one.text} of {other.text}"
            yield from search.reckoning(
                "share", a / b * _PERCENT, "percent", (one, other), said, beside
            )
            said = f"({other.text} − {one.text}) of {other.text}"
            yield from search.reckoning(
                "share", (1 - a / b) * _PERCENT, "percent", (one, other), said, beside - 0.5
            )
        if search.relation != "growth":
            return
        said = f"from {other.text} to {one.text}, ({one.text} − {other.text}) / {other.text}"
        growth = abs(a - b) / b * _PERCENT
        found = search.reckoning("growth", growth, "percent", (other, one), said, beside)
        yield from firmly(found, is_firm)
    else:
        said = f"{one.text} / {other.text}"
        yield from search.reckoning("ratio", a / b, kind, (one, other), said, beside)


def _scaled(search: FigureSearch, one: PlacedFigure, other: PlacedFigure) -> Iterator[Reckoning]:
    """A figure times or divided by a plain number or a percentage."""
    a, b = one.value, other.value
    if other.kind in SHARES and one.kind not in SHARES:
        rate = b / _PERCENT
        said = f"{other.text} of {one.text}"
        yield from search.reckoning("product", a * rate, one.kind, (one, other), said)
        yield from search.reckoning(
            "product", a * (1 - rate), one.kind, (one, other), f"{one.text} less {other.text}"
        )
        yield from search.reckoning(
            "product", a * (1 + rate), one.kind, (one, other), f"{one.text} plus {other.text}"
        )
    if other.kind == "number" and one.kind not in SHARES and b not in (0, 1):
        if one.kind != "number" or one.quantity.start < other.quantity.start:
            said = f"{other.text} × {one.text}"
            yield from search.reckoning("product", a * b, one.kind, (one, other), said)
        named = min(search.relevance.of(one), search.relevance.of(other)) > 0
        if search.has_cue("average") or named:
            said = f"{one.text} / {other.text}"
            yield from search.reckoning("average", a / b, one.kind, (one, other), said)
    times = other.value / _UNITS_OF_TIME.get(other.quantity.unit, 1)
    is_rate = other.kind == "duration" and one.kind not in ("duration", *SHARES)
    if is_rate and times > 1 and times.denominator == 1:
        said = f"{other.text} × {one.text}"
        yield from search.reckoning("product", a * times, one.kind, (one, other), said)
    if one.kind == other.kind == "length" and search.stated.kind == "area":
        said = f"{one.text} × {other.text}"
        yield from search.reckoning("product", a * b, "area", (one, other), said)
    is_amount = one.kind == other.kind and one.kind not in ("number", *SHARES)
    if is_amount and b and search.stated.kind == "number":
        said = f"{one.text} / {other.text}"
        yield from search.reckoning("count", a / b, "number", (one, other), said)


def triples(search: FigureSearch) -> Iterator[Reckoning]:
    """The results of three figures: a fixed part and so many of another, or a rest shared."""
    pool = sorted(
        (each for each in search.pool if each.kind not in _UNCOUNTED),
        key=lambda each: -search.relevance.of(each),
    )[:_THREE]
    if search.stated.kind in SHARES:
        return
    for one, count, other in permutations(pool, 3):
        if count.kind != "number" or not _alike(one, other) or not count.value:
            continue
        a, n, b = one.value, count.value, other.value
        operands = (one, count, other)
        names = f"{one.text} + {count.text} × {other.text}"
        yield from search.reckoning("total", a + n * b, one.kind, operands, names, -1.0)
        if one.quantity.start < other.quantity.start:
            names = f"{count.text} × ({one.text} + {other.text})"
            yield from search.reckoning("total", n * (a + b), one.kind, operands, names, -1.0)
            names = f"({one.text} + {other.text}) / {count.text}"
            yield from search.reckoning("average", (a + b) / n, one.kind, operands, names, -1.0)
        if n * a > b:
            names = f"{count.text} × {one.text} − {other.text}"
            yield from search.reckoning("difference", n * a - b, one.kind, operands, names, -1.0)
        if a > b:
            names = f"({one.text} − {other.text}) / {count.text}"
            yield from search.reckoning("average", (a - b) / n, one.kind, operands, names, -1.0)


def _alike(one: PlacedFigure, other: PlacedFigure) -> bool:
    return one.kind == other.kind


def _in_one_series(one: PlacedFigure, other: PlacedFigure) -> bool:
    if one.place and other.place:
        return one.place[0] == other.place[0] and (
            one.place[1] == other.place[1] or one.place[2] == other.place[2]
        )
    if one.place or other.place or one.is_own or other.is_own:
        return False
    return one.sentence == other.sentence or bool(
        one.quantity.noun and one.quantity.noun == other.quantity.noun
    )


def _firm_pairs(search: FigureSearch) -> set[tuple[int, int]]:
    """Pairs of a table's figures that are the only two named in their column or row."""
    found: set[tuple[int, int]] = set()
    for series in search.source.series[:120]:
        if series.form not in ("column", "row") or len(series.items) < 2:
            continue
        named = named_items(series, search.claim.stems)
        has_head = bool(series.head & search.claim.stems) or len(_siblings(search, series)) == 1
        if len(named) == 2 and has_head:
            one, other = (series.items[n] for n in named)
            found |= {(id(one), id(other)), (id(other), id(one))}
    return found


def _siblings(search: FigureSearch, series: Series) -> Sequence[Series]:
    key = (series.form, series.grid, series.kind)
    return [each for each in search.source.series if (each.form, each.grid, each.kind) == key]
