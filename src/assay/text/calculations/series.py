"""The figures of a source: what each is of, and in which series it stands.

A series holds figures that can be added, compared and ranked: a column or a row of a table, the
fields of a record, or what a text says of one kind and noun. What it measures is its head; the
labels of a figure tell it from the others. Both are stems, as a sentence may name them.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from assay.text.calculations.figures import Place, PlacedFigure, Series, SourceFigures, Stems, stems
from assay.text.calculations.grids import Grid, GridCell, find_grids
from assay.text.calculations.prose import prose_figures, prose_series
from assay.text.markup import is_html, visible
from assay.text.quantities import Quantity, find_quantities
from assay.text.views import View

MOST_FIGURES = 2_000  # of a source: further ones are not read
LONGEST_SOURCE = 300_000  # characters
_LONGEST_UNIT = 5  # characters of a symbol
_MEASURES = ("mass", "length", "volume", "area", "energy", "power", "temperature", "speed")
# `day 1 – 52 km` numbers a day and gives no range.
_STAGE_WORD = 8
_STAGE = re.compile(r"\b(?:day|week|stage|round|leg|lap|part|step|phase|lot|item) $", re.IGNORECASE)
_DASH = re.compile(r" ?[–—-] \d")
_DIGITS = re.compile(r"\d+")
_LEAST_FILLED = 0.6  # of the cells of a column that hold one figure
_LONGEST_VALUE = 60  # characters of a cell that is a figure
_LEAD = 4  # characters of a cell before its figure
_PERCENT = re.compile(r"%|\bper ?cent(?:age)?\b|\bpct\b", re.IGNORECASE)
_UNIT = re.compile(r"[(\[]([^()\[\]]{1,24})[)\]]|\bin ([^\s,]{1,15}(?: [^\s,]{1,15})?)\s*$")


@lru_cache(maxsize=4)
def read_figures(text: str, language: str = "en") -> SourceFigures:
    """The figures of a source."""
    text = _beginning(text)
    view = visible(text) if is_html(text) else View.of(text)
    quantities = tuple(
        each
        for each in find_quantities(view.text, language)
        if not _STAGE.search(view.text, max(0, each.start - _STAGE_WORD), each.start)
        or not _DASH.match(view.text, each.end)
    )
    grids = find_grids(view.text)
    cells = _CellReader(grids, quantities, language)
    prose = [each for each in quantities if not cells.holds(each)]
    figures = (*cells.figures(), *prose_figures(view.text, prose, language))
    series = (*cells.series(), *prose_series(figures))
    ordered = tuple(sorted(figures, key=lambda each: each.quantity.start))
    kinds = frozenset(each.kind for each in ordered)
    grid_kinds = frozenset((each.place[0], each.kind) for each in ordered if each.place)
    return SourceFigures(view, grids, ordered, series, kinds, grid_kinds)


def _beginning(text: str) -> str:
    """As much of a text as is read: up to a length and to a number of numbers."""
    numbers = islice(_DIGITS.finditer(text), MOST_FIGURES, MOST_FIGURES + 1)
    end = next((match.start() for match in numbers), len(text))
    return text[: min(end, LONGEST_SOURCE)]


class _CellReader:
    """Finds the figures of grids, and their columns and rows."""

    def __init__(
        self, grids: Sequence[Grid], quantities: Sequence[Quantity], language: str
    ) -> None:
        self._grids, self._quantities, self._language = grids, quantities, language
        self._starts = [each.start for each in quantities]
        self._taken: set[tuple[int, int]] = set()
        self._found: dict[Place, PlacedFigure] = {}
        self._stems: dict[str, Stems] = {}
        for number, grid in enumerate(grids):
            self._read(number, grid)

    def figures(self) -> Iterator[PlacedFigure]:
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

    def _quantity(self, cell: GridCell) -> Quantity | None:
        """The figure that a cell is, if it begins with one and is short."""
        if cell.is_empty or len(cell.text) > _LONGEST_VALUE:
            return None
        at = bisect_right(self._starts, cell.start - 1)
        if at < len(self._quantities):
            found = self._quantities[at]
            if found.start <= cell.start + _LEAD and found.end <= cell.end:
                return found
        return None

    def _alone(self, cell: GridCell) -> Quantity | None:
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
            read = _of_one_sort(read)
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
        named = f"{head} {cells[0].text}" if grid.is_record else head
        if quantity.kind == "number" and _PERCENT.search(named):
            quantity = replace(quantity, kind="percent")
        label = cells[0].text if column else ""
        rest = " ".join(cell.text for at, cell in enumerate(cells) if at not in (0, column))
        self._taken.add((quantity.start, quantity.end))
        self._found[number, row, column] = PlacedFigure(
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
        columns: dict[tuple[int, int], list[PlacedFigure]] = defaultdict(list)
        rows: dict[tuple[int, int], list[PlacedFigure]] = defaultdict(list)
        for (number, row, column), figure in self._found.items():
            columns[number, column].append(figure)
            rows[number, row].append(figure)
        for (number, column), items in columns.items():
            grid = self._grids[number]
            form = "record" if grid.is_record else "column"
            filled = sum(bool(row[column].text) for row in grid.rows)
            yield from self._of_one_kind(form, number, grid.heads[column], items, filled)
        for (number, row), items in rows.items():
            grid = self._grids[number]
            if len(items) > 1 and not grid.is_record:
                label = grid.rows[row][0].text
                yield from self._of_one_kind("row", number, label, items, len(grid.heads) - 1)

    def _of_one_kind(
        self, form: str, number: int, head: str, items: Sequence[PlacedFigure], filled: int
    ) -> Iterator[Series]:
        kinds: dict[str, list[PlacedFigure]] = defaultdict(list)
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
            is_whole = len(own) == len(items) and len(items) == filled
            yield Series(
                form, self._words(head), tuple(own), labels, tags, number, scales, is_whole
            )


def _of_one_sort(read: Sequence[Quantity | None]) -> list[Quantity | None]:
    """The figures of a column, in which a number among others is no year."""
    kinds = {each.kind for each in read if each is not None}
    if not {"number", "year"} <= kinds:
        return list(read)
    return [
        replace(each, kind="number") if each is not None and each.kind == "year" else each
        for each in read
    ]


def _scales(head: str) -> Iterator[Quantity]:
    """The units that a head names for its cells: `Population (millions)`."""
    for match in _UNIT.finditer(head[-_LONGEST_VALUE:]):
        unit = match[1] or match[2]
        yield from find_quantities(f"1 {unit}")[:1]
    for word in head[-_LONGEST_VALUE:].replace("_", " ").split()[1:]:
        unit_kinds = find_quantities(f"1 {word}")[:1] if 1 < len(word) < _LONGEST_UNIT else ()
        yield from (each for each in unit_kinds if each.kind in _MEASURES)
