"""The figures of a source: what each is of, and in which series it stands.

A series holds figures that can be added, compared and ranked: a column or a row of a table, the
fields of a record, or what a text says of one kind and noun. What it measures is its head; the
labels of a figure tell it from the others. Both are stems, as a sentence may name them.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from assay.text.calculations.grids import Cell, Grid, find_grids
from assay.text.markup import is_html, visible
from assay.text.quantities import Quantity, find_quantities
from assay.text.views import View
from assay.text.words import terms

MOST_FIGURES = 2_000  # of a source: further ones are not read
LONGEST_SOURCE = 300_000  # characters
_LEAST_FILLED = 0.6  # of the cells of a column that hold one figure
_LONGEST_VALUE = 60  # characters of a cell that is a figure
_LEAD = 4  # characters of a cell before its figure
_UNIT = re.compile(r"[(\[]([^()\[\]]{1,24})[)\]]|\bin ([^\s,]{1,15}(?: [^\s,]{1,15})?)\s*$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(]?[A-Z0-9ÄÖÜÉ])|\n+|;\s")
_CLAUSE = re.compile(
    r"[,:()](?=\s|$)|\(|\s[–—-]\s"
    r"|\b(?:and|while|but|whereas|against|versus|vs|compared|plus|then|with|to|from)\b"
)
TIMES = ("year", "date", "clock")
SUMMARY = frozenset("total sum overall altogeth combin averag mean subtot grand all".split())
_SHORT = {
    name[:size]: stem
    for name in (
        "monday tuesday wednesday thursday friday saturday sunday january february march april june"
        " july august september october november december"
    ).split()
    for stem in terms(name)
    for size in (3, 4)
}

DAYS_AND_MONTHS = frozenset(_SHORT.values())

Stems = frozenset[str]
Place = tuple[int, int, int]  # grid, row, column


def stems(text: str, language: str = "en") -> Stems:
    """The stems of a text; days and months also where they are shortened."""
    found = terms(text, language)
    return frozenset(_SHORT.get(each, each) for each in found)


@dataclass(frozen=True, slots=True)
class Figure:
    """A quantity of the source or the sentence, and the stems that say what it is."""

    quantity: Quantity
    text: str
    labels: Stems = frozenset()  # its row, or its clause
    head: Stems = frozenset()  # its column, or its noun
    around: Stems = frozenset()  # the rest of its row or sentence
    sentence: int = -1
    place: Place | None = None
    is_own: bool = False  # of the sentence that is checked

    @property
    def value(self) -> Fraction:
        return self.quantity.value

    @property
    def kind(self) -> str:
        return self.quantity.kind


@dataclass(frozen=True, slots=True)
class Series:
    """Figures of one kind; `form` is column, row, record or prose."""

    form: str
    head: Stems
    items: tuple[Figure, ...]
    labels: tuple[Stems, ...]
    tags: tuple[Stems, ...]
    grid: int = -1
    scales: tuple[Quantity, ...] = ()  # units in a head or title that cells leave out

    @property
    def kind(self) -> str:
        return self.items[0].kind


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """All that a source has to calculate with."""

    view: View
    grids: tuple[Grid, ...]
    figures: tuple[Figure, ...]
    series: tuple[Series, ...] = field(default=())

    def place_of(self, figure: Figure) -> tuple[int, int]:
        """The range of the source that a figure stands for."""
        return self.view.to_original(figure.quantity.start, figure.quantity.end)


@lru_cache(maxsize=4)
def read_figures(text: str, language: str = "en") -> SourceFigures:
    """The figures of a source."""
    text = text[:LONGEST_SOURCE]
    view = visible(text) if is_html(text) else View.of(text)
    quantities = find_quantities(view.text, language)[:MOST_FIGURES]
    grids = find_grids(view.text)
    cells = _CellReader(grids, quantities, language)
    prose = [each for each in quantities if not cells.holds(each)]
    figures = (*cells.figures(), *_prose(view.text, prose, language))
    series = (*cells.series(), *_prose_series(figures))
    ordered = tuple(sorted(figures, key=lambda each: each.quantity.start))
    return SourceFigures(view, grids, ordered, series)


class _CellReader:
    """Finds the figures of grids, and their columns and rows."""

    def __init__(
        self, grids: Sequence[Grid], quantities: Sequence[Quantity], language: str
    ) -> None:
        self._grids, self._quantities, self._language = grids, quantities, language
        self._starts = [each.start for each in quantities]
        self._taken: set[tuple[int, int]] = set()
        self._found: dict[Place, Figure] = {}
        self._stems: dict[str, Stems] = {}
        for number, grid in enumerate(grids):
            self._read(number, grid)

    def figures(self) -> Iterator[Figure]:
        yield from self._found.values()

    def holds(self, quantity: Quantity) -> bool:
        """True if a quantity is that of a cell, or a few cells read as one."""
        if (quantity.start, quantity.end) in self._taken:
            return True
        packed = (grid for grid in self._grids if grid.is_packed)
        return any(grid.start <= quantity.start < grid.end for grid in packed)

    def _words(self, text: str) -> Stems:
        if text not in self._stems:
            self._stems[text] = stems(text, self._language)
        return self._stems[text]

    def _quantity(self, cell: Cell) -> Quantity | None:
        """The figure that a cell is, if it begins with one and is short."""
        if cell.is_empty or len(cell.text) > _LONGEST_VALUE:
            return None
        at = bisect_right(self._starts, cell.start - 1)
        if at < len(self._quantities):
            found = self._quantities[at]
            if found.start <= cell.start + _LEAD and found.end <= cell.end:
                return found
        return None

    def _alone(self, cell: Cell) -> Quantity | None:
        """The figure that a cell is, read without what is beside it."""
        if cell.is_empty or len(cell.text) > _LONGEST_VALUE:
            return None
        found = find_quantities(cell.text, self._language)[:1]
        if not found or found[0].start > _LEAD:
            return None
        start, end = found[0].start + cell.start, found[0].end + cell.start
        return replace(found[0], start=start, end=end)

    def _read(self, number: int, grid: Grid) -> None:
        for column, head in enumerate(grid.heads):
            cells = [row[column] for row in grid.rows]
            read = [self._alone(cell) if grid.is_packed else self._quantity(cell) for cell in cells]
            filled = sum(not cell.is_empty for cell in cells)
            if not grid.is_record and sum(map(bool, read)) < _LEAST_FILLED * max(filled, 1):
                continue
            for at, quantity in enumerate(read):
                if quantity is not None:
                    self._add(number, grid, at, column, head, quantity)

    def _add(
        self, number: int, grid: Grid, row: int, column: int, head: str, quantity: Quantity
    ) -> None:
        cells = grid.rows[row]
        label = cells[0].text if column else ""
        rest = " ".join(cell.text for at, cell in enumerate(cells) if at not in (0, column))
        self._taken.add((quantity.start, quantity.end))
        self._found[number, row, column] = Figure(
            quantity,
            cells[column].text[max(0, quantity.start - cells[column].start) :][
                : quantity.end - quantity.start
            ],
            labels=self._words(label),
            head=self._words(head),
            around=self._words(f"{rest} {grid.title}"),
            place=(number, row, column),
        )

    def series(self) -> Iterator[Series]:
        columns: dict[tuple[int, int], list[Figure]] = defaultdict(list)
        rows: dict[tuple[int, int], list[Figure]] = defaultdict(list)
        for (number, row, column), figure in self._found.items():
            columns[number, column].append(figure)
            rows[number, row].append(figure)
        for (number, column), items in columns.items():
            grid = self._grids[number]
            form = "record" if grid.is_record else "column"
            yield from self._of_one_kind(form, number, grid.heads[column], items)
        for (number, row), items in rows.items():
            grid = self._grids[number]
            if len(items) > 1 and not grid.is_record:
                yield from self._of_one_kind("row", number, grid.rows[row][0].text, items)

    def _of_one_kind(
        self, form: str, number: int, head: str, items: Sequence[Figure]
    ) -> Iterator[Series]:
        kinds: dict[str, list[Figure]] = defaultdict(list)
        for each in items:
            kinds[each.kind].append(each)
        title = self._grids[number].title
        for own in kinds.values():
            if form == "row":
                labels = tuple(each.head for each in own)
            else:
                labels = tuple(each.labels for each in own)
            tags = tuple(each.around for each in own)
            scales = tuple(_scales(head)) or tuple(_scales(title))
            yield Series(form, self._words(head), tuple(own), labels, tags, number, scales)


def _scales(head: str) -> Iterator[Quantity]:
    """The units that a head names for its cells: `Population (millions)`."""
    for match in _UNIT.finditer(head[-200:]):
        unit = match[1] or match[2]
        yield from find_quantities(f"1 {unit}")[:1]


def _prose(text: str, quantities: Sequence[Quantity], language: str) -> Iterator[Figure]:
    """The figures of prose, with the words of their clauses and sentences."""
    if not quantities:
        return
    edges = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    by_sentence: dict[int, list[Quantity]] = defaultdict(list)
    for each in quantities:
        by_sentence[bisect_right(edges, each.start) - 1].append(each)
    for number, own in by_sentence.items():
        start = edges[number]
        end = edges[number + 1] if number + 1 < len(edges) else len(text)
        if end - start > 3_000:
            start, end = max(start, own[0].start - 300), min(end, own[-1].end + 300)
        whole = stems(text[start:end], language)
        for each, clause in zip(own, _clauses(text, own, start, end), strict=True):
            near = stems(_without(text, clause, own), language)
            yield Figure(
                each,
                text[each.start : each.end],
                labels=near,
                head=frozenset({each.noun} if each.noun else ()),
                around=whole - near,
                sentence=number,
            )


def _clauses(text: str, own: Sequence[Quantity], start: int, end: int) -> Iterator[tuple[int, int]]:
    """For each quantity of a sentence the clause around it, which holds no other."""
    cuts = [match.start() for match in _CLAUSE.finditer(text, start, end)]
    for number, each in enumerate(own):
        first = own[number - 1].end if number else start
        last = own[number + 1].start if number + 1 < len(own) else end
        before = [cut for cut in cuts if first <= cut < each.start]
        after = [cut for cut in cuts if each.end <= cut < last]
        # What stands between two figures is of the later one up to its first cut.
        yield (before[0] if before and number else first, after[0] if after else last)


def _without(text: str, clause: tuple[int, int], own: Sequence[Quantity]) -> str:
    start, end = clause
    parts, at = [], start
    for each in own:
        if start <= each.start and each.end <= end and each.kind not in ("year",):
            parts.append(text[at : each.start])
            at = each.end
    parts.append(text[at:end])
    return " ".join(parts)


def _prose_series(figures: Sequence[Figure]) -> Iterator[Series]:
    """The figures of prose that count the same noun, or are amounts of one kind."""
    groups: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for each in figures:
        if each.place is None:
            noun = each.quantity.noun if each.kind == "number" else ""
            groups[each.kind, noun].append(each)
    by_sentence: dict[tuple[int, str], list[Figure]] = defaultdict(list)
    for each in figures:
        if each.place is None:
            by_sentence[each.sentence, each.kind].append(each)
    seen = set()
    for own in (*groups.values(), *by_sentence.values()):
        key = tuple((each.quantity.start, each.quantity.end) for each in own)
        if len(own) < 2 or key in seen:
            continue
        seen.add(key)
        shared = frozenset.intersection(*(each.labels | each.head for each in own))
        labels = tuple(each.labels - shared for each in own)
        tags = tuple(each.around for each in own)
        yield Series("prose", shared, tuple(own), labels, tags)
