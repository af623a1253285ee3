"""Tables read back from what a user sees: rows by head, whatever form they have.

A test gives every cell another value and looks each up under its head, so that two columns that
change places are noticed.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

Row = dict[str, str]


def terminal_tables(*views: RenderableType) -> list[list[Row]]:
    """The tables of some views of the terminal, each as its rows by head."""
    return [_rows(table) for view in views for table in _tables(view)]


def upright(rows: Iterable[Row]) -> dict[str, Row]:
    """A table whose first column names what its rows are about, column by column.

    >>> upright([{"": "n", "a": "1", "b": "2"}])
    {'a': {'n': '1'}, 'b': {'n': '2'}}
    """
    found: dict[str, Row] = {}
    for row in rows:
        (_, name), *cells = row.items()
        for head, cell in cells:
            found.setdefault(head, {})[name] = cell
    return found


def markdown_tables(text: str) -> list[list[Row]]:
    """The tables of a Markdown text, each as its rows by head."""
    found: list[list[Row]] = []
    heads: list[str] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            heads = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not heads:
            heads = cells
            found.append([])
        elif set(cells) - {"---", "--:", "---:", ":--", ":-:"}:
            found[-1].append(dict(zip(heads, cells, strict=True)))
    return found


def csv_rows(text: str) -> list[Row]:
    """The lines of a CSV text by head."""
    return list(csv.DictReader(io.StringIO(text), strict=True))


def html_tables(text: str) -> list[list[Row]]:
    """The tables of a page that have one row of heads, each as its rows by head."""
    reader = _HtmlTables()
    reader.feed(text)
    return [
        [dict(zip(heads, row, strict=True)) for row in rows]
        for heads, *rows in filter(None, reader.tables)
        if rows and all(len(row) == len(heads) for row in rows)
    ]


def _tables(view: RenderableType) -> Iterator[Table]:
    if isinstance(view, Table):
        if any(_plain(column.header) for column in view.columns):  # otherwise it lists facts
            yield view
    elif isinstance(view, Group):
        for part in view.renderables:
            yield from _tables(part)


def _rows(table: Table) -> list[Row]:
    heads = [_plain(column.header) for column in table.columns]
    assert len(set(heads)) == len(heads), f"a head stands twice: {heads}"
    rows = zip(*(map(_plain, column.cells) for column in table.columns), strict=True)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def _plain(cell: RenderableType) -> str:
    return " ".join((cell.plain if isinstance(cell, Text) else str(cell)).split())


class _HtmlTables(HTMLParser):
    """Gathers the cells of tables, row by row; drawings and what is hidden from readers are not."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._cell: list[str] | None = None
        self._hidden: list[str] = []  # the elements that are open inside a hidden one

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self._hidden or given.get("aria-hidden") == "true" or given.get("class") == "ends":
            self._hidden.append(tag)
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that is closed at once holds nothing."""

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._hidden:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden.pop()
        elif tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
