"""Published tables beside ours, cell by cell, as tables for the terminal."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.evaluation.reproduce import Reproduction
from assay.evaluation.reproduce.cells import Cell
from assay.evaluation.reproduce.tables import PublishedTable
from assay.report.tables import COUNT, WORDS, Column, Row, Table, table_grid

MOST_DECIMALS = 6
STYLES = {"exact": "green", "within tolerance": "green", "differs (known)": "yellow"}
_NAMES: tuple[Column[tuple[str, int, PublishedTable]], ...] = (
    Column("table", lambda row: row[0], WORDS),
    Column("cells", lambda row: row[1], COUNT),
    Column("what it is", lambda row: row[2].title, WORDS),
    Column("data that it needs", lambda row: ", ".join(row[2].needs) or "none", WORDS),
)


def names_view(rows: Iterable[tuple[str, int, PublishedTable]]) -> RenderableType:
    """The tables that there are, with how many cells each has and the data that it needs."""
    return _grid(Table("", "", _NAMES, list(rows)), wrapped=("what it is", "data that it needs"))


def cells_view(done: Reproduction) -> Iterator[RenderableType]:
    """The cells, and below them the reasons that some of them refer to by number."""
    reasons = list(dict.fromkeys(cell.reason for cell in done.cells if cell.reason))
    place = done.cells[0].published.published_in
    yield Text(f"\n{done.table.title}  ({done.name})", style="bold")
    yield Text(f"{done.table.how}; published in: {place}", style="dim")

    def status(cell: Cell) -> str:
        number = str(reasons.index(cell.reason) + 1) if cell.reason else ""
        return str(replace(cell, reason=number))

    columns: tuple[Column[Cell], ...] = (
        Column("cell", lambda cell: _name(cell, done), WORDS),
        Column("published", lambda cell: f"{cell.published.value:.{_decimals(cell)}f}"),
        Column("ours", _ours),
        Column("difference", _difference),
        Column("n", _count),
        Column("status", status, WORDS, style=_status_style),
    )
    yield _grid(Table("", "", columns, done.cells), wrapped=("cell",))
    for number, reason in enumerate(reasons, start=1):
        yield Text(f"{number}: {reason}", style="dim")


def _failed_style(done: Reproduction) -> str:
    return "red" if done.failed else ""


_SUMMARY: tuple[Column[Reproduction], ...] = (
    Column("table", lambda done: done.name, WORDS, style=_failed_style),
    Column("cells", lambda done: len(done.cells), COUNT, style=_failed_style),
    Column("exact", lambda done: done.counts["exact"], COUNT, style=_failed_style),
    Column("within", lambda done: done.counts["within tolerance"], COUNT, style=_failed_style),
    Column("known", lambda done: done.counts["differs (known)"], COUNT, style=_failed_style),
    Column("absent", lambda done: _absent(done), COUNT, style=_failed_style),
    Column("failed", lambda done: done.failed, COUNT, style=_failed_style),
)


def summary_view(done: Iterable[Reproduction]) -> Iterator[RenderableType]:
    """A line for each table: how many cells came out how."""
    title = Text("\nSummary", style="bold")
    yield title.append("  known: known to differ; absent: not computable", "not bold")
    yield _grid(Table("", "", _SUMMARY, list(done)), wrapped=("table",))


def _absent(done: Reproduction) -> int:
    return sum(cell.status == "not computable" and not cell.failed for cell in done.cells)


def _name(cell: Cell, done: Reproduction) -> str:
    """Row and metric; not the metric if there is only one, and the place if it is another."""
    shown, first = cell.published, done.cells[0].published
    several = any(each.published.metric != first.metric for each in done.cells)
    name = f"{shown.row}: {shown.metric}" if several else shown.row
    is_elsewhere = shown.published_in != first.published_in
    return f"{name} ({shown.published_in})" if is_elsewhere else name


def _status_style(cell: Cell) -> str:
    return STYLES.get(cell.status, "red" if cell.failed else "dim")


def _grid(table: Table[Row], wrapped: tuple[str, ...]) -> Grid:
    """A table in which only some columns give way where there is no room."""
    grid = table_grid(table)
    grid.pad_edge = False
    for column, shown in zip(table.columns, grid.columns, strict=True):
        shown.no_wrap = column.head not in wrapped
        shown.min_width = None if column.format.is_words else len(column.head)
    return grid


def _decimals(cell: Cell) -> int:
    """As many as were published, of which more than a few say nothing."""
    return min(cell.published.decimals, MOST_DECIMALS)


def _ours(cell: Cell) -> str:
    return (
        "" if cell.ours is None or cell.difference is None else f"{cell.ours:.{_decimals(cell)}f}"
    )


def _difference(cell: Cell) -> str:
    if cell.ours is None or cell.difference is None:
        return ""
    return f"{cell.difference:+.3g}" if cell.difference else "0"


def _count(cell: Cell) -> str:
    return "" if cell.ours is None or cell.difference is None else f"{cell.n:,}"
