"""Published tables beside ours, cell by cell, as tables for the terminal."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.evaluation.reproduce import Reproduction
from assay.evaluation.reproduce.cells import Cell
from assay.evaluation.reproduce.tables import Table

MOST_DECIMALS = 6
STYLES = {"exact": "green", "within tolerance": "green", "differs (known)": "yellow"}


def names_view(rows: Iterable[tuple[str, int, Table]]) -> RenderableType:
    """The tables that there are, with how many cells each has and the data that it needs."""
    grid = _grid("table", "cells", "what it is")
    grid.add_column("data that it needs")
    grid.columns[0].no_wrap, grid.columns[2].no_wrap = True, False
    for name, cells, table in rows:
        grid.add_row(name, str(cells), table.title, ", ".join(table.needs) or "none")
    return grid


def cells_view(done: Reproduction) -> Iterator[RenderableType]:
    """The cells, and below them the reasons that some of them refer to by number."""
    reasons = list(dict.fromkeys(cell.reason for cell in done.cells if cell.reason))
    place = done.cells[0].published.published_in
    yield Text(f"\n{done.table.title}  ({done.name})", style="bold")
    yield Text(f"{done.table.how}; published in: {place}", style="dim")
    grid = _grid("cell", "published ours difference n", "status")
    for cell in done.cells:
        style = STYLES.get(cell.status, "red" if cell.failed else "dim")
        note = replace(cell, reason=str(reasons.index(cell.reason) + 1) if cell.reason else "")
        grid.add_row(_name(cell, done), *_numbers(cell), Text(str(note), style=style))
    yield grid
    for number, reason in enumerate(reasons, start=1):
        yield Text(f"{number}: {reason}", style="dim")


def summary_view(done: Iterable[Reproduction]) -> Iterator[RenderableType]:
    """A line for each table: how many cells came out how."""
    grid = _grid("table", "cells exact within known absent failed", "")
    for each in done:
        counts = each.counts
        absent = sum(c.status == "not computable" and not c.failed for c in each.cells)
        sums = (len(each.cells), counts["exact"], counts["within tolerance"])
        rest = (counts["differs (known)"], absent, each.failed)
        grid.add_row(each.name, *map(str, sums + rest), style="red" if each.failed else "")
    title = Text("\nSummary", style="bold")
    yield title.append("  known: known to differ; absent: not computable", "not bold")
    yield grid


def _name(cell: Cell, done: Reproduction) -> str:
    """Row and metric; not the metric if there is only one, and the place if it is another."""
    shown, first = cell.published, done.cells[0].published
    several = any(each.published.metric != first.metric for each in done.cells)
    name = f"{shown.row}: {shown.metric}" if several else shown.row
    is_elsewhere = shown.published_in != first.published_in
    return f"{name} ({shown.published_in})" if is_elsewhere else name


def _grid(left: str, right: str, last: str) -> Grid:
    """An empty table with these columns, of which only the first gives way."""
    grid = Grid(box=None, pad_edge=False)
    grid.add_column(left, overflow="fold")
    for heading in right.split():
        grid.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    grid.add_column(last, no_wrap=True)
    return grid


def _numbers(cell: Cell) -> tuple[str, str, str, str]:
    """The published figure, ours with as many decimals, the difference, and how many items."""
    decimals = min(cell.published.decimals, MOST_DECIMALS)
    published = f"{cell.published.value:.{decimals}f}"
    if cell.ours is None or cell.difference is None:
        return published, "", "", ""
    gap = f"{cell.difference:+.3g}" if cell.difference else "0"
    return published, f"{cell.ours:.{decimals}f}", gap, f"{cell.n:,}"
