"""Calculations with two or three figures: differences, shares, growth, multiples, products."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, permutations

from assay.text.calculations.claims import SHARES
from assay.text.calculations.derived import derived
from assay.text.calculations.figures import TIMES, PlacedFigure, Series
from assay.text.calculations.rates import same_noun
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.relevance import named_items
from assay.text.calculations.search import APART, SAME_SERIES, STEP, FigureSearch, firmly

_PERCENT = 100
_STEPS = 8  # results of a first step that are combined with one another
_MORE = re.compile(
    r"\s*(?:\w+\s){0,2}(?:more|fewer|less|higher|lower|longer|shorter|older|younger|taller|larger|bigger"
    r"|smaller|cheaper|dearer|heavier|lighter|later|earlier)\b"
)
_GAP = re.compile(
    r"\b(?:by|difference (?:is|was|of)|gap (?:is|was|of)|margin of|lead of)\s(?:\w+\s)?$"
)
_COMPARED = re.compile(
    r"\s{0,3}(?:percent|per cent|%)?\s{0,3}"
    r"(?:(?P<more>more|higher|up|above|larger)|less|fewer|lower|down|below)"
    r"\s(?:than|on|from|the)\b"
)
RATE = 1.0  # a number counts what an amount is for
_UNDIVIDED = ("number", "percent", "temperature", "factor")
_UNITS_OF_TIME = {
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_629_746,
    "year": 31_556_952,
}
UNCOUNTED = (*TIMES, "ordinal", "clock12", "day", "month", "date?")


def pairs(search: FigureSearch) -> Iterator[Reckoning]:
    """The results that two figures may lead to, whichever operation the sentence allows."""
    firm = _firm_pairs(search)
    pool = [each for each in search.pool if each.kind not in UNCOUNTED]
    first = derived(search)
    steps = ((a, b) for each in first for b in pool for a, b in ((each, b), (b, each)))
    both = permutations([each for each in first if len(each.parts) > 1][:_STEPS], 2)
    alone = (
        search.reckoning("product", each.value, each.kind, (each,), each.text, STEP)
        for each in first
    )
    yield from chain.from_iterable(alone)
    if search.stated.kind in SHARES:
        yield from _complements(search)
    for one, other in chain(permutations(pool, 2), steps, both):
        if any(part is other for part in one.parts) or any(part is one for part in other.parts):
            continue
        beside = SAME_SERIES if _in_one_series(one, other) else 0.0
        is_firm = (id(one), id(other)) in firm
        yield from _of_two(search, one, other, beside, is_firm)


def _complements(search: FigureSearch) -> Iterator[Reckoning]:
    """The rest that one or two percentages leave of the whole."""
    shares = [each for each in search.pool if each.kind in SHARES and not each.is_own]
    near = [two for two in combinations(shares, 2) if two[0].sentence == two[1].sentence >= 0]
    for parts in (*((each,) for each in shares), *near):
        rest = _PERCENT - sum((each.value for each in parts), Fraction(0))
        if 0 < rest < _PERCENT:
            said = "100 − " + " − ".join(each.text for each in parts)
            yield from search.reckoning("difference", rest, "percent", parts, said)


def _of_two(
    search: FigureSearch, one: PlacedFigure, other: PlacedFigure, beside: float, is_firm: bool
) -> Iterator[Reckoning]:
    stated = search.stated.kind
    a, b = one.value, other.value
    texts = (one.text, other.text)
    alike = are_alike(one, other)
    kind = other.kind if other.kind.startswith("money") else one.kind
    if alike and stated not in SHARES and a > b:
        said = f"{texts[0]} − {texts[1]}"
        found = search.reckoning("difference", a - b, kind, (one, other), said, beside)
        is_bound = is_firm or search.are_all((one, other))
        yield from firmly(found, is_bound and _is_compared(search))
        if one.quantity.start < other.quantity.start or one.is_own != other.is_own:
            said = f"{texts[0]} + {texts[1]}"
            bonus = beside if _is_added(search, one, other) else beside - 2.0
            yield from search.reckoning("total", a + b, kind, (one, other), said, bonus)
    if stated in SHARES or stated == "factor":
        yield from _relations(search, one, other, beside, is_firm)
    if stated not in SHARES:
        yield from _scaled(search, one, other)


def _is_added(search: FigureSearch, one: PlacedFigure, other: PlacedFigure) -> bool:
    """True unless no word speaks of a sum, one is not named, and the sentence has more of them."""
    stems = search.claim.stems
    is_named = all(each.is_own or stems & (each.labels | each.head) for each in (one, other))
    if search.has_cue("total") or is_named:
        return True
    same = [each for each in search.source.figures if each.kind == one.kind]
    beside = [each for each in same if each.sentence == one.sentence and not each.place]
    return one.sentence == other.sentence and len(beside) == 2


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
    if not are_alike(one, other) or not b or one.kind in SHARES:
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
    """A figure times or divided by a plain number, a percentage, or what it is a rate of."""
    if other.kind in SHARES and one.kind not in SHARES:
        yield from _in_percent(search, one, other)
    if one.kind in (*SHARES, "factor"):
        return
    yield from _multiplied(search, one, other)
    yield from _divided(search, one, other)


def _in_percent(
    search: FigureSearch, one: PlacedFigure, other: PlacedFigure
) -> Iterator[Reckoning]:
    """A percentage of a figure, or what a figure is a percentage more than."""
    rate, operands = other.value / _PERCENT, (one, other)
    match = _COMPARED.match(search.text_of(other), other.quantity.end)
    if match and not other.is_own:
        base = 1 + rate if match["more"] else 1 - rate
        if base > 0:
            said = f"{one.text} / {float(base):g}"
            yield from search.reckoning("product", one.value / base, one.kind, operands, said, 0.5)
        return
    is_near = one.sentence == other.sentence or other.is_own or search.relevance.of(other) > 0
    bonus = 0.0 if is_near else APART
    ways = ((rate, "of"), (1 - rate, "less"), (1 + rate, "plus"))
    for factor, word in ways:
        said = f"{other.text} of {one.text}" if word == "of" else f"{one.text} {word} {other.text}"
        yield from search.reckoning("product", one.value * factor, one.kind, operands, said, bonus)


def _multiplied(
    search: FigureSearch, one: PlacedFigure, other: PlacedFigure
) -> Iterator[Reckoning]:
    if one.parts or other.parts:
        return
    a, b = one.value, other.value
    per, said = one.per, f"{other.text} × {one.text}"
    if per and per.kind == other.kind != "number":
        result = a * b / per.value
        yield from search.reckoning("rate", result, one.kind, (one, other), said, RATE)
    elif other.kind in ("number", "factor") and b not in (0, 1):
        bonus = fit_of(one, other)
        if one.kind != "number" or one.quantity.start < other.quantity.start:
            yield from search.reckoning("product", a * b, one.kind, (one, other), said, bonus)
    times = b / _UNITS_OF_TIME.get(other.quantity.unit, 1)
    is_rate = other.kind == "duration" and one.kind != "duration" and per is None
    if is_rate and times > 1 and times.denominator == 1:
        yield from search.reckoning("product", a * times, one.kind, (one, other), said)
    if one.kind == other.kind == "length" and search.stated.kind == "area":
        said = f"{one.text} × {other.text}"
        yield from search.reckoning("product", a * b, "area", (one, other), said)


def fit_of(one: PlacedFigure, count: PlacedFigure) -> float:
    """A bonus for a number that counts what an amount is for."""
    if one.per is None or one.per.kind != "number" or not count.quantity.noun:
        return 0.0
    if not one.per.noun:
        return RATE / 2 if one.sentence == count.sentence or count.is_own else 0.0
    return RATE if same_noun(one.per.noun, count.quantity.noun) else -RATE


def _divided(search: FigureSearch, one: PlacedFigure, other: PlacedFigure) -> Iterator[Reckoning]:
    a, b = one.value, other.value
    if not b or (other.kind == "number" and len(one.parts) == 2 and "×" in one.text):
        return
    said, per = f"{one.text} / {other.text}", search.stated.per
    if per and per.kind == other.kind != "number":
        result = a / (b / per.value)
        yield from search.reckoning("rate", result, one.kind, (one, other), said, RATE)
    elif other.kind == "number" and b != 1:
        named = min(search.relevance.of(one), search.relevance.of(other)) > 0
        if search.has_cue("average") or named:
            bonus = RATE if per and same_noun(per.noun, other.quantity.noun) else 0.0
            yield from search.reckoning("average", a / b, one.kind, (one, other), said, bonus)
    if one.kind == "length" and other.kind == "duration" and search.stated.kind == "speed":
        yield from search.reckoning("average", a / b, "speed", (one, other), said, RATE)
    if one.kind == other.kind and one.kind not in _UNDIVIDED and search.stated.kind == "number":
        yield from search.reckoning("count", a / b, "number", (one, other), said)


def are_alike(one: PlacedFigure, other: PlacedFigure) -> bool:
    return one.kind == other.kind or _is_bare(one, other) or _is_bare(other, one)


def _is_bare(one: PlacedFigure, other: PlacedFigure) -> bool:
    """True of a number without noun or unit beside an amount of money: €39.90, later 44.90."""
    return (
        one.kind == "number"
        and other.kind.startswith("money")
        and not one.quantity.noun
        and 0 <= one.sentence == other.sentence
        and abs(one.value) * 10 > abs(other.value)
        and abs(one.value) < abs(other.value) * 10
    )


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
        if len(named) == 2 and _is_meant(search, series):
            one, other = (series.items[n] for n in named)
            found |= {(id(one), id(other)), (id(other), id(one))}
    return found


def _is_meant(search: FigureSearch, series: Series) -> bool:
    """True if the sentence names what a series measures, and no other of its table as well."""
    key, stems = (series.form, series.grid, series.kind), search.claim.stems
    same = [each for each in search.source.series if (each.form, each.grid, each.kind) == key]
    own = len(series.head & stems)
    return len(same) == 1 or all(
        len(each.head & stems) < own for each in same if each is not series
    )
