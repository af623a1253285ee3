"""Results of a first step that a second one goes on from: subtotals, rates times counts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice

from assay.text.calculations.figures import TIMES, PlacedFigure, Series
from assay.text.calculations.rates import same_noun, times_in, times_named
from assay.text.calculations.reckonings import listed
from assay.text.calculations.relevance import is_even, named_items, parts_only
from assay.text.calculations.search import FigureSearch

_MOST = 24
_FEW = 4
_MOST_SERIES = 40
_MOST_PARTS = 60
_NOT_ADDED = (*TIMES, "ordinal", "clock12", "day", "month", "date?", "percent", "factor")


def derived(search: FigureSearch) -> list[PlacedFigure]:
    """The most relevant results of one step that a further step may need."""
    every = (*_in_other_times(search), *_of_rates(search), *_halves(search))
    every = (*every, *_for_own(search), *_row_products(search), *_subtotals(search))
    values: dict[tuple[str, Fraction], PlacedFigure] = {}
    for each in every:
        values.setdefault((each.kind, each.value), each)
    return sorted(values.values(), key=lambda each: -search.relevance.of(each))[:_MOST]


def _in_other_times(search: FigureSearch) -> Iterator[PlacedFigure]:
    """Amounts for one time as amounts for another that is spoken of: 12 times €32 a month."""
    named = times_named(f"{search.claim.text} {search.claim.question}")
    for each in search.pool:
        unit = each.per.unit if each.per and each.per.kind == "duration" else ""
        for other in sorted(named - {unit}) if unit else ():
            more, fewer = times_in(other, unit), times_in(unit, other)
            if more:
                yield _computed(each.value * more, f"{more} × {each.text}", (each,))
            elif fewer:
                yield _computed(each.value / fewer, f"{each.text} / {fewer}", (each,))


def _of_rates(search: FigureSearch) -> Iterator[PlacedFigure]:
    """Amounts each, times how many of these there are."""
    counts = [each for each in search.pool if each.kind == "number" and each.quantity.noun]
    for each in search.pool:
        if each.per is None or each.per.kind != "number" or each.kind == "number":
            continue
        for count in counts:
            if same_noun(each.per.noun, count.quantity.noun) and count.value > 1:
                said = f"{count.text} × {each.text}"
                yield _computed(count.value * each.value, said, (each, count))


def _for_own(search: FigureSearch) -> Iterator[PlacedFigure]:
    """Amounts times how many the sentence speaks of: two tickets; and the sum of several such."""
    products = []
    for own in search.pool:
        if not own.is_own or own.kind != "number" or own.value <= 0 or not own.quantity.noun:
            continue
        named = [each for each in search.pool if not each.is_own and _is_of(each, own)]
        amounts = {each.value for each in named}
        for each in named[:_FEW]:
            product = _computed(own.value * each.value, f"{own.text} × {each.text}", (each, own))
            if own.value != 1:
                yield product
            if len(amounts) == 1:
                products.append(product)
                break
    if len(products) > 1 and len({each.kind for each in products}) == 1:
        parts = tuple(part for each in products for part in each.parts)
        total = sum((each.value for each in products), Fraction(0))
        yield _computed(total, listed(products, "+"), parts)


def _is_of(amount: PlacedFigure, own: PlacedFigure) -> bool:
    """True if an amount is for one of what the sentence counts."""
    noun = own.quantity.noun
    if amount.kind in _NOT_ADDED or amount.kind == "number":
        return False
    if amount.per is not None and amount.per.noun:
        return same_noun(amount.per.noun, noun)
    return any(same_noun(each, noun) for each in amount.labels)


def _row_products(search: FigureSearch) -> Iterator[PlacedFigure]:
    """Two numbers of a row that the sentence names, multiplied: so many at such a price."""
    rows: dict[tuple[int, int], list[PlacedFigure]] = defaultdict(list)
    for each in search.pool:
        if each.place and each.kind not in _NOT_ADDED and each.labels & search.claim.stems:
            rows[each.place[:2]].append(each)
    for cells in islice(rows.values(), 4):
        for one, other in combinations(cells[:6], 2):
            if "number" in (one.kind, other.kind):
                amount, count = (other, one) if one.kind == "number" else (one, other)
                said = f"{count.text} × {amount.text}"
                yield _computed(count.value * amount.value, said, (amount, count))


def _halves(search: FigureSearch) -> Iterator[PlacedFigure]:
    """Half of what matters, where the sentence or the source speaks of half."""
    if "half" not in search.claim.stems and "half" not in search.claim.text.casefold():
        return
    for each in search.pool:
        if each.kind not in _NOT_ADDED and not each.is_own and search.relevance.of(each):
            yield _computed(each.value / 2, f"{each.text} / 2", (each,))


def _subtotals(search: FigureSearch) -> Iterator[PlacedFigure]:
    """Sums of series, and of their items that are named."""
    for series in islice(search.source.series, _MOST_SERIES):
        parts = parts_only(series)
        if series.kind in _NOT_ADDED or not 1 < len(parts) <= _MOST_PARTS:
            continue
        if not _is_one(series) or not _is_together(series):
            continue
        yield _sum(series, parts)
        named = [n for n in named_items(series, search.claim.stems) if n in parts]
        if 1 < len(named) < len(parts):
            yield _sum(series, named)


def _is_one(series: Series) -> bool:
    """True if the items count one thing."""
    if series.form == "column" or series.kind != "number":
        return True
    if series.form == "row":
        return is_even(series)
    if series.form == "record":
        return bool(series.head)
    return all(item.quantity.noun for item in series.items)


def _is_together(series: Series) -> bool:
    """True unless items of prose are of several sentences, or only some are amounts each."""
    if series.form != "prose":
        return True
    sentences = {each.sentence for each in series.items}
    return len(sentences) == 1 and all(each.per is None for each in series.items)


def _sum(series: Series, chosen: Sequence[int]) -> PlacedFigure:
    items = [series.items[n] for n in chosen]
    total = sum((each.value for each in items), Fraction(0))
    return _computed(total, f"({listed(items, '+')})", tuple(items))


def _computed(value: Fraction, said: str, parts: tuple[PlacedFigure, ...]) -> PlacedFigure:
    first = parts[0]
    labels = frozenset().union(*(each.labels for each in parts[:8]))
    heads = frozenset().union(*(each.head for each in parts[:8]))
    return replace(
        first,
        quantity=replace(first.quantity, value=value),
        text=said,
        labels=labels,
        head=heads,
        place=None,
        per=None,
        parts=parts,
        is_own=all(each.is_own for each in parts),
    )
