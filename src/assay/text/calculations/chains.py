"""Calculations with three figures: a fixed part and so many of another, or what is left."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations

from assay.text.calculations.claims import SHARES
from assay.text.calculations.figures import PlacedFigure
from assay.text.calculations.pairs import RATE, UNCOUNTED, are_alike, fit_of
from assay.text.calculations.rates import Rate, same_noun
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.search import FigureSearch

_THREE = 9  # figures from which three are taken
_SERVES = re.compile(r"\b(?:for|serves|feeds|makes|yields) $", re.IGNORECASE)
_NEAR = 8  # figures among which a rest is looked for


def triples(search: FigureSearch) -> Iterator[Reckoning]:
    """The results of three figures: a fixed part and so many of another, or a rest shared."""
    yield from _remainders(search)
    yield from _for_so_many(search)
    pool = sorted(
        (each for each in search.pool if each.kind not in UNCOUNTED),
        key=lambda each: -search.relevance.of(each) - (each.kind == search.stated.kind) / 2,
    )[:_THREE]
    if search.stated.kind in SHARES:
        return
    per = search.stated.per
    for one, count, other in permutations(pool, 3):
        if not are_alike(one, other):
            continue
        a, n, b = one.value, count.value, other.value
        operands = (one, count, other)
        if count.kind not in ("number", "factor") or not n:
            continue
        fit = fit_of(other, count) - 1.0
        if one.per is None or one.per.kind != "number" or _differ(one.per, other.per):
            names = f"{one.text} + {count.text} × {other.text}"
            yield from search.reckoning("total", a + n * b, one.kind, operands, names, fit)
        shared = (RATE if per and same_noun(per.noun, count.quantity.noun) else 0.0) - 1.0
        if one.quantity.start < other.quantity.start:
            names = f"{count.text} × ({one.text} + {other.text})"
            yield from search.reckoning("total", n * (a + b), one.kind, operands, names, -1.0)
            names = f"({one.text} + {other.text}) / {count.text}"
            yield from search.reckoning("average", (a + b) / n, one.kind, operands, names, shared)
        if n * a > b:
            names = f"{count.text} × {one.text} − {other.text}"
            yield from search.reckoning("difference", n * a - b, one.kind, operands, names, -1.0)
        if a > b:
            names = f"({one.text} − {other.text}) / {count.text}"
            yield from search.reckoning("average", (a - b) / n, one.kind, operands, names, shared)


def _differ(one: Rate, other: Rate | None) -> bool:
    return other is not None and bool(one.noun and other.noun) and one.noun != other.noun


def _remainders(search: FigureSearch) -> Iterator[Reckoning]:
    """The rest of a figure without two others that stand near it, or with one more."""
    groups: dict[str, list[PlacedFigure]] = defaultdict(list)
    for each in search.pool:
        if each.sentence >= 0 and each.kind == search.stated.kind and each.kind not in UNCOUNTED:
            groups[each.kind].append(each)
    for group in groups.values():
        for at, first in enumerate(group):
            near = [each for each in group[at:] if each.sentence - first.sentence <= 1][:_NEAR]
            for two in combinations(near[1:], 2):
                for one, other, third in permutations((first, *two)):
                    yield from _left(search, one, other, third)


def _left(
    search: FigureSearch, one: PlacedFigure, other: PlacedFigure, third: PlacedFigure
) -> Iterator[Reckoning]:
    a, b, c = one.value, other.value, third.value
    operands = (one, other, third)
    if a > b + c and other.quantity.start < third.quantity.start:
        said = f"{one.text} − {other.text} − {third.text}"
        yield from search.reckoning("difference", a - b - c, one.kind, operands, said)
    is_near = a > b and len({a, b, c}) == 3 and other.quantity.start > one.quantity.start
    if is_near and search.has_cue("difference"):
        said = f"{one.text} − {other.text} + {third.text}"
        yield from search.reckoning("difference", a - b + c, one.kind, operands, said, -2.0)


def _for_so_many(search: FigureSearch) -> Iterator[Reckoning]:
    """An amount for so many, for as many as the sentence says."""
    owns = [each for each in search.pool if each.is_own and each.kind == "number"]
    if not owns:
        return
    text = search.source.view.text
    for count in search.pool:
        if count.is_own or count.kind != "number" or not count.value:
            continue
        if not _SERVES.search(text[max(0, count.quantity.start - 10) : count.quantity.start]):
            continue
        for one in search.pool:
            for own in owns if one.kind == search.stated.kind and one is not count else ():
                said = f"{one.text} / {count.text} × {own.text}"
                value = one.value / count.value * own.value
                yield from search.reckoning("rate", value, one.kind, (one, count, own), said)
