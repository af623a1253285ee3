"""`assay reproduce`: published tables recomputed from released data."""

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from assay.cli import options as o
from assay.cli.output import print_json
from assay.evaluate.reproduce import Reproduction
from assay.evaluate.reproduce import reproduce as recompute
from assay.evaluate.reproduce.cells import STATUSES, Cell, read_published
from assay.evaluate.reproduce.tables import TABLES, find_tables

# Where there is no terminal to ask for its width.
PAGE_WIDTH = 160
MOST_DECIMALS = 6
STYLES = {"exact": "green", "within tolerance": "green", "differs (known)": "yellow"}


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE]...", help="Which tables; without one, all.", show_default=False
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder of the released data; default: ASSAY_DATA."),
    ] = None,
    names: Annotated[bool, typer.Option("--list", help="Show which tables there are.")] = False,
    json: o.AsJson = False,
) -> None:
    """Recompute published tables from released data, cell by cell.

    Exit code: 0 every cell as expected, 1 a cell that should match does not, 2 bad input or usage.
    """
    console = Console() if sys.stdout.isatty() else Console(width=PAGE_WIDTH)
    if names:
        _show_names(console, list(find_tables(tables or ())), as_json=json)
        return
    done = []
    for reproduction in recompute(tables or (), data):
        done.append(reproduction)
        if not json:
            _show_cells(console, reproduction)
    if json:
        print_json({"tables": [_record(each) for each in done]})
    else:
        _show_summary(console, done)
    raise typer.Exit(1 if any(each.failed for each in done) else 0)


def _show_names(console: Console, names: list[str], *, as_json: bool) -> None:
    rows = [(name, len(read_published(name)), TABLES[name]) for name in names]
    if as_json:
        listed = [{"name": name, "title": table.title, "cells": n} for name, n, table in rows]
        print_json({"tables": listed})
        return
    grid = _grid("table", "cells", "what it is")
    grid.columns[0].no_wrap, grid.columns[-1].no_wrap = True, False
    for name, cells, table in rows:
        grid.add_row(name, str(cells), table.title)
    console.print(grid)


def _show_cells(console: Console, done: Reproduction) -> None:
    """The cells, and below them the reasons that some of them refer to by number."""
    reasons = list(dict.fromkeys(cell.reason for cell in done.cells if cell.reason))
    place = done.cells[0].published.published_in
    console.print(Text(f"\n{done.table.title}  ({done.name})", style="bold"))
    console.print(Text(f"{done.table.how}; published in: {place}", style="dim"))
    grid = _grid("cell", "published ours difference n", "status")
    for cell in done.cells:
        style = STYLES.get(cell.status, "red" if cell.failed else "dim")
        note = replace(cell, reason=str(reasons.index(cell.reason) + 1) if cell.reason else "")
        grid.add_row(_name(cell, done), *_numbers(cell), Text(str(note), style=style))
    console.print(grid)
    for number, reason in enumerate(reasons, start=1):
        console.print(Text(f"{number}: {reason}", style="dim"))


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


def _show_summary(console: Console, done: list[Reproduction]) -> None:
    grid = _grid("table", "cells exact within known absent failed", "")
    for each in done:
        counts = each.counts
        absent = sum(c.status == "not computable" and not c.failed for c in each.cells)
        sums = (len(each.cells), counts["exact"], counts["within tolerance"])
        rest = (counts["differs (known)"], absent, each.failed)
        grid.add_row(each.name, *map(str, sums + rest), style="red" if each.failed else "")
    console.print("\n[bold]Summary[/]  known: known to differ; absent: not computable")
    console.print(grid)


def _record(done: Reproduction) -> dict[str, Any]:
    """A table as JSON."""
    return {
        "name": done.name,
        "title": done.table.title,
        "how": done.table.how,
        "counts": {status: done.counts[status] for status in STATUSES},
        "failed": done.failed,
        "cells": [_cell_record(cell) for cell in done.cells],
    }


def _cell_record(cell: Cell) -> dict[str, Any]:
    return {
        "row": cell.published.row,
        "metric": cell.published.metric,
        "published": cell.published.value,
        "ours": cell.ours,
        "difference": cell.difference,
        "n": cell.n,
        "status": cell.status,
        "reason": cell.reason,
        "published_in": cell.published.published_in,
        "failed": cell.failed,
    }
