"""Totals and averages over the items of a series, and totals of products over rows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from assay.text.calculations.figures import TIMES, Series
from assay.text.calculations.reckonings import Reckoning, listed
from assay.text.calculations.relevance import is_even, named_items, parts_only, tagged_items
from assay.text.calculations.search import APART, MIXED, SAME_SERIES, WHOLE, FigureSearch, firmly

_LONGEST_RUN = 6
_MOST_ITEMS = 300
_MOST_SERIES = 120
_MOST_SHARES = 40
_NOT_ADDED = (*TIMES, "ordinal", "clock12", "day", "month", "date?")


def sums(search: FigureSearch) -> Iterator[Reckoning]:
    """The totals and averages that a stated figure may be."""
    for series in search.source.series[:_MOST_SERIES]:
        if series.kind in _NOT_ADDED or len(series.items) < 2:
            continue
        is_share = search.stated.kind == "percent" and search.relation == "share"
        if is_share and series.kind != "percent":
            yield from _shares(search, series)
        for chosen, bonus, is_firm in _groups(search, series):
            yield from _of(search, series, chosen, bonus, is_firm)
    yield from _products(search)


def _shares(search: FigureSearch, series: Series) -> Iterator[Reckoning]:
    """The shares that named items, alone or together, have in the whole of a series."""
    parts = parts_only(series)[:_MOST_ITEMS]
    total = sum((series.items[n].value for n in parts), Fraction(0))
    named = named_items(series, search.claim.stems)
    chosen = [[n] for n in named[:_MOST_SHARES]] + ([named] if len(named) > 1 else [])
    for numbers in chosen:
        operands = [series.items[n] for n in numbers]
        part = sum((each.value for each in operands), Fraction(0))
        if 0 < part < total:
            whole = listed([series.items[n] for n in parts], "+")
            said = f"{listed(operands, '+')} of {whole}"
            share = part / total * 100
            yield from search.reckoning("share", share, "percent", operands, said, SAME_SERIES)


def _groups(search: FigureSearch, series: Series) -> Iterator[tuple[list[int], float, bool]]:
    """The items that may be meant: all, the named ones, those of a group, and neighbours."""
    parts = parts_only(series)[:_MOST_ITEMS]
    named = named_items(series, search.claim.stems)
    has_head = bool(series.head & (search.claim.stems | search.claim.asked))
    has_head = has_head or bool(search.stated.quantity.noun in series.head)
    is_table = series.form in ("column", "row")
    whole = WHOLE if is_table or has_head or len(parts) <= 4 else 0.0
    is_alone = _is_alone(search, series)
    if len(parts) > 1:
        is_column = series.form == "column"
        is_free = not named and not any(
            tags & search.claim.stems - series.head for tags in series.tags
        )
        firm = is_column and series.is_whole and (has_head or is_alone) and is_free
        mixed = 0.0 if series.form != "row" or is_even(series) else MIXED - 0.5
        yield parts, SAME_SERIES + whole + (1.0 if has_head else 0.0) + mixed, firm
    if 1 < len(named) < len(parts):
        firm = is_table and series.is_whole and (has_head or is_alone)
        yield named, SAME_SERIES + (1.5 if is_table else 0.5), firm
        rest = [n for n in parts if n not in named]
        if len(rest) > 1:
            yield rest, 0.0, False
    for _, group in tagged_items(series, search.claim.stems):
        yield group, SAME_SERIES + 0.5, False
    if series.form == "prose" and not search.has_cue("total") and not search.has_cue("average"):
        return
    if series.form != "column" or len(parts) <= _LONGEST_RUN:
        for size in range(2, min(len(parts), _LONGEST_RUN + 1)):
            for start in range(min(len(parts) - size + 1, 40)):
                run = parts[start : start + size]
                even = series.form == "row" and is_even(_part(series, run))
                yield run, SAME_SERIES * (1.5 if even else 0.5), False


def _part(series: Series, chosen: Sequence[int]) -> Series:
    return replace(
        series,
        items=tuple(series.items[n] for n in chosen),
        labels=tuple(series.labels[n] for n in chosen),
        tags=tuple(series.tags[n] for n in chosen),
    )


def _is_alone(search: FigureSearch, series: Series) -> bool:
    """True if no other series of the table has figures of this kind."""
    same = [
        other
        for other in search.source.series
        if other.form == series.form and other.grid == series.grid and other.kind == series.kind
    ]
    return len(same) == 1


def _of(
    search: FigureSearch, series: Series, chosen: Sequence[int], bonus: float, is_firm: bool
) -> Iterator[Reckoning]:
    operands = [series.items[n] for n in chosen]
    if series.form == "prose" and any(map(search.is_whole, operands)):
        bonus += 2 * APART
    total = sum((each.value for each in operands), Fraction(0))
    scales = [(series.kind, Fraction(1), ""), *((q.kind, q.value, "") for q in series.scales)]
    for kind, factor, _ in scales:
        kind = series.kind if kind == "number" else kind
        is_all = factor == 1 and series.form == "prose" and search.are_all(operands)
        firm = (is_firm and kind == search.stated.kind) or is_all
        said = listed(operands, "+")
        is_whole = len(operands) == len(parts_only(series))
        for each in search.reckoning("total", total * factor, kind, operands, said, bonus):
            yield replace(each, is_firm=firm and _adds_up(search), is_whole=is_whole)
        if not search.has_cue("average"):
            continue
        said = f"({listed(operands, '+')}) / {len(operands)}"
        mean = total * factor / len(operands)
        found = search.reckoning("average", mean, kind, operands, said, bonus - 1.0)
        yield from firmly(found, firm and "averag" in search.claim.stems)


def _adds_up(search: FigureSearch) -> bool:
    """True if the sentence says that everything is added, and nothing else."""
    cues = search.claim.cues
    return {"total", "computed"} <= cues and not cues & {"average", "growth", "ratio", "share"}


def _products(search: FigureSearch) -> Iterator[Reckoning]:
    """Totals of one column times another, over all rows or those that are named."""
    columns: dict[int, list[Series]] = defaultdict(list)
    for series in search.source.series:
        if series.form == "column":
            columns[series.grid].append(series)
    for own in list(columns.values())[:10]:
        for one in own[:8]:
            for other in own[:8]:
                if one is other or one.kind != "number" or other.kind in _NOT_ADDED:
                    continue
                yield from _paired(search, one, other)


def _paired(search: FigureSearch, one: Series, other: Series) -> Iterator[Reckoning]:
    by_row = {each.place[1]: each for each in one.items if each.place}
    pairs = [
        (by_row[each.place[1]], each)
        for each in other.items
        if each.place and each.place[1] in by_row
    ][:_MOST_ITEMS]
    named = set(named_items(other, search.claim.stems))
    chosen = [pair for n, pair in enumerate(pairs) if n in named] if named else []
    for own, bonus in ((pairs, WHOLE), (chosen, WHOLE)):
        if len(own) > 1:
            total = sum((a.value * b.value for a, b in own), Fraction(0))
            flat = [each for pair in own for each in pair]
            said = " + ".join(f"{a.text} × {b.text}" for a, b in own[:6])
            scales = [(other.kind, Fraction(1)), *((q.kind, q.value) for q in other.scales)]
            for kind, factor in scales:
                result = total * factor
                yield from search.reckoning("total", result, kind, flat, said, bonus - 0.5)
