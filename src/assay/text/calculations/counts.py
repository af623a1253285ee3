"""Counts the rows of a table that have what a sentence names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from assay.text.calculations.claims import ComputedClaim, written_value
from assay.text.calculations.figures import PlacedFigure, SourceFigures, Stems, stems
from assay.text.calculations.grids import Grid, GridCell
from assay.text.calculations.reckonings import Reckoning, listed
from assay.text.calculations.search import FigureSearch
from assay.text.quantities import Quantity

_MOST_ROWS = 1_000
_LONGEST_CELL = 60
_TURNED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|except|without|only|if|other|different|more|less|fewer|above"
    r"|below|over|under|than|average|total|after|before|between|since|until|first|last)\b|n['’]t\b",
    re.IGNORECASE,
)
_LIMITS = ("over", "under", "at least", "at most")
_THINGS = stems("piece item unit article thing product copy good")
_QUANTITIES = stems("qty quantity count number pieces units items pcs amount")
_THING = 4.0  # the bonus of what counts things
_MOST_LISTED, _MOST_ENTRIES, _BEFORE = 30, 200, 200
_ENTRY = re.compile(r"^[ \t]{0,8}(?:[-*•–]|\d{1,2}[.)])[ \t][^\n]{1,300}", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
_GENERIC = frozenset(
    "row time game match team player person peopl item entri event season year record case".split()
)


@dataclass(frozen=True, slots=True)
class RowCount:
    """The rows that meet the conditions of a sentence, and the figure that counts them."""

    number: int
    said: str
    figure: PlacedFigure
    rows: tuple[tuple[int, int], ...]  # their places
    is_firm: bool
    is_plain: bool = False  # settled, though not beyond doubt


def count_rows(claim: ComputedClaim, source: SourceFigures) -> RowCount | None:
    """The number of rows that a sentence counts, if it is plain which."""
    counts = [
        each
        for each in claim.figures
        if each.kind == "number" and each.value.denominator == 1 and not each.quantity.bound
    ]
    if not counts:
        return None
    is_turned = bool(_TURNED.search(claim.text))
    for number, grid in enumerate(source.grids):
        if grid.is_record or not 2 < len(grid.rows) <= _MOST_ROWS:
            continue
        own = [each for each in counts if not _is_all(claim, grid, each)]
        if len(own) != 1:
            continue
        found = _beyond(claim, source, number, own[0])
        if found is None and not is_turned:
            found = _in_grid(claim, grid, own[0], is_of_all=len(own) < len(counts))
        if found:
            return found
    return None


def _is_all(claim: ComputedClaim, grid: Grid, figure: PlacedFigure) -> bool:
    """True of the number of all rows: `two of the five`."""
    before = claim.text[: figure.quantity.start].lower()
    return figure.value == len(grid.rows) and before.endswith(("of the ", "of these ", "of all "))


def _beyond(
    claim: ComputedClaim, source: SourceFigures, number: int, figure: PlacedFigure
) -> RowCount | None:
    """The rows whose value in a named column keeps to a limit; only an equal number says much."""
    limits = [each for each in claim.figures if each.quantity.bound in _LIMITS]
    columns = [
        each
        for each in source.series
        if each.form == "column" and each.grid == number and each.head & claim.stems
    ]
    if len(limits) != 1 or not columns:
        return None
    series = max(columns, key=lambda each: len(each.head & claim.stems) / len(each.head))
    limit = limits[0]
    values = {limit.value} if limit.kind == series.kind else {written_value(limit)}
    (bound,) = values
    if bound is None or figure is limit:
        return None
    kept = [each for each in series.items if _keeps(each.value, limit.quantity.bound, bound)]
    if len(kept) != figure.value:
        return None
    rows = [source.grids[number].rows[each.place[1]] for each in kept if each.place]
    said = f"{len(kept)} of {len(series.items)} rows are {limit.quantity.bound} {limit.text}"
    places = tuple((row[0].start, row[-1].end) for row in rows[:6])
    return RowCount(len(kept), said, figure, places, False, is_plain=True)


def _keeps(value: Fraction, bound: str, limit: Fraction) -> bool:
    match bound:
        case "over":
            return value > limit
        case "under":
            return value < limit
        case "at least":
            return value >= limit
    return value <= limit


def things(search: FigureSearch) -> Iterator[Reckoning]:
    """The sum of a column of quantities, and the entries of lists."""
    stated = search.stated
    if stated.kind != "number" or stated.value.denominator != 1:
        return
    if stated.quantity.noun in _THINGS:
        for series in search.source.series:
            if series.form == "column" and series.head & _QUANTITIES and series.kind == "number":
                value = sum((each.value for each in series.items), Fraction(0))
                said = listed(series.items, "+")
                yield from search.reckoning("total", value, "number", series.items, said, _THING)
    if stated.quantity.noun and stated.value <= _MOST_LISTED:
        yield from _listed(search)


def _listed(search: FigureSearch) -> Iterator[Reckoning]:
    """The entries of lists whose lines begin with a dash or a number."""
    text = search.source.view.text
    entries: list[re.Match[str]] = []
    for match in islice(_ENTRY.finditer(text), _MOST_ENTRIES):
        if entries and text[entries[-1].end() : match.start()].count("\n") > 1:
            yield from _as_list(search, entries)
            entries = []
        entries.append(match)
    yield from _as_list(search, entries)


def _as_list(search: FigureSearch, entries: list[re.Match[str]]) -> Iterator[Reckoning]:
    if len(entries) < 2:
        return
    text = search.source.view.text
    start, end = entries[0].start(), entries[-1].end()
    before = stems(text[max(0, start - _BEFORE) : start], search.claim.language)
    quantity = Quantity(start, end, "list", Fraction(len(entries)))
    figure = PlacedFigure(quantity, f"a list of {len(entries)}", before, before)
    if search.stated.quantity.noun in before:
        value = Fraction(len(entries))
        yield from search.reckoning("count", value, "number", (figure,), figure.text, _THING)


def _in_grid(
    claim: ComputedClaim, grid: Grid, figure: PlacedFigure, *, is_of_all: bool
) -> RowCount | None:
    heads = frozenset().union(*(stems(head, claim.language) for head in grid.heads))
    chosen: dict[int, tuple[str, Stems]] = {}
    repeats: dict[int, Counter[str]] = {}
    for column in range(len(grid.heads)):
        values = Counter(row[column].text.casefold() for row in grid.rows)
        repeats[column] = values
        best: tuple[str, Stems] | None = None
        for value in values:
            words = stems(value, claim.language) if len(value) <= _LONGEST_CELL else frozenset()
            if words and words <= claim.stems and (best is None or len(words) > len(best[1])):
                best = value, words
        if best:
            chosen[column] = best
    # A word may be that of a cell in one column only.
    if len(chosen) != 1:
        return None
    ((column, (value, words)),) = chosen.items()
    rows = [row for row in grid.rows if row[column].text.casefold() == value]
    partly = [row for row in grid.rows if words <= stems(row[column].text, claim.language)]
    if figure.value > len(grid.rows) or any(_has(row, figure) for row in partly):
        return None
    noun = figure.quantity.noun
    named = (
        (noun in heads or noun in _GENERIC) and max(repeats[column].values()) > 1 and len(rows) > 1
    )
    rest = claim.stems - words - heads - {noun} - _GENERIC
    said = f"{len(rows)} of {len(grid.rows)} rows have “{value}”"
    return RowCount(
        len(rows),
        said,
        figure,
        tuple((row[0].start, row[-1].end) for row in rows[:6]),
        named and not rest and len(partly) == len(rows),
        is_plain=is_of_all and len(rows) == figure.value,
    )


def _has(row: Sequence[GridCell], figure: PlacedFigure) -> bool:
    """True if a cell of a row is the figure: it is a value then, and counts nothing."""
    wanted = str(int(figure.value))
    return any(wanted in _DIGITS.findall(cell.text) for cell in row)
