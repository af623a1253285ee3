"""Tables: columns and rows, and one way to write them for each medium.

A column says under which head it stands, what it takes from a row, how that is written, and what it
means. The terminal, Markdown, CSV, JSON and the rows of a site are made of it here and nowhere
else, by name and never by place, and what a medium would take for something else is escaped here.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

from rich.box import Box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.core.system.formulas import guard
from assay.report.words import printable, spelled_out

Row = TypeVar("Row")
Medium = Literal["text", "data", "site"]  # for people to read, for programs, for a page's script

GAP = 2  # between columns of the terminal
_MARKUP = re.compile(r"[\\|<`]|](?=[(\[:])")
_MENTION = re.compile(r"@(?=\w)")


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a value, and the name by which the script of a page knows it.

    A text stands as it is. `narrow` is the form for tables of the terminal with many columns.
    """

    name: str
    text: Callable[[Any], str] = str
    is_words: bool = False
    missing: str = "-"
    narrow: Callable[[Any], str] | None = None

    def write(self, value: Any, *, is_narrow: bool = False) -> str:
        """The value as text; None is what is missing."""
        if isinstance(value, str):
            return value
        if value is None:
            return self.missing
        return (self.narrow if is_narrow and self.narrow else self.text)(value)


def _stacked(each: Any) -> str:
    """An estimate over its interval."""
    if each.value is None:
        return "-"
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f}\n[{each.low:.2f}, {each.high:.2f}]"


WORDS = Format("words", is_words=True)
TEXT = Format("text")  # to the right, where numbers stand
COUNT = Format("count", "{:,}".format)
SHARE = Format("share", "{:.1%}".format)
FIGURE = Format("figure")  # an estimate with its interval and n
STACKED = Format("figure", narrow=_stacked)
ESTIMATE_PARTS = {"value": "value", "low": "low", "high": "high", "n": "n"}


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column.

    CSV, JSON and scripts know it by `name`, which is its head unless it says so; pages may give it
    another `title`. A value with `parts` has a column for each of them in CSV, named, with the path
    of the attribute. An optional column is left out where no row has anything in it.
    """

    head: str
    value: Callable[[Row], Any]
    format: Format = TEXT
    meaning: str = ""
    name: str = ""
    title: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    media: tuple[Medium, ...] = ("text", "data", "site")
    is_optional: bool = False
    style: Callable[[Row], str] | None = None  # in the terminal

    @property
    def key(self) -> str:
        """The name for programs."""
        return self.name or self.head

    def write(self, row: Row) -> str:
        """The cell of a row as text."""
        return self.format.write(self.value(row))


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows under the heads of columns, with what has to be known to read them.

    `basis` says what the figures rest on, and `more` is a last row that says what is left out.
    """

    title: str
    note: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    basis: str = ""
    more: str = ""

    @property
    def heads(self) -> list[str]:
        """The heads of all columns."""
        return [column.head for column in self.columns]

    @property
    def whole_note(self) -> str:
        """The note, and what the figures rest on."""
        return f"{self.note} {self.basis}".strip()

    def texts(self, *, is_narrow: bool = False) -> list[list[str]]:
        """The cells as texts, row by row."""
        if is_narrow and any(column.format.narrow for column in self.columns):
            return self._written(is_narrow=True)
        return self._texts

    @cached_property
    def _texts(self) -> list[list[str]]:
        return self._written()

    def _written(self, *, is_narrow: bool = False) -> list[list[str]]:
        found = [
            [column.format.write(column.value(row), is_narrow=is_narrow) for column in self.columns]
            for row in self.rows
        ]
        return [*found, [self.more, *[""] * (len(self.columns) - 1)]] if self.more else found

    def without_empty(self) -> "Table[Row]":
        """The table without optional columns that are zero or missing in every row."""
        kept = (
            column
            for column in self.columns
            if not column.is_optional or any(map(column.value, self.rows))
        )
        return replace(self, columns=tuple(kept))


def named_columns(
    heads: Iterable[str], value: Callable[[Row, str], Any], format: Format = TEXT
) -> list[Column[Row]]:
    """Columns whose values depend on their heads."""

    def column(head: str) -> Column[Row]:
        return Column(head, lambda row: value(row, head), format)

    return list(map(column, heads))


def series(
    heads: Iterable[str], values: Callable[[Row], Sequence[Any]], format: Format = TEXT
) -> list[Column[Row]]:
    """Columns for the parts of a sequence that every row has; shorter ones are filled up."""

    def column(at: int, head: str) -> Column[Row]:
        return Column(head, lambda row: values(row)[at] if at < len(values(row)) else "", format)

    return [column(at, head) for at, head in enumerate(heads)]


def named_values(
    head: str, other: str, format: Format = FIGURE
) -> tuple[Column[tuple[str, Any]], ...]:
    """The columns of rows that are a name and a value."""
    return Column(head, lambda row: row[0], WORDS), Column(other, lambda row: row[1], format)


def facts_view(facts: Iterable[tuple[str, str]]) -> Grid:
    """Headings with what there is to say under each; what is empty is left out."""
    grid = Grid.grid(padding=(0, 2))
    for name, fact in facts:
        if fact:
            words = Text(spelled_out(fact), overflow="fold")  # an address is shown in whole
            grid.add_row(Text(spelled_out(name), style="bold"), words)
    return grid


def table_view(table: Table[Row]) -> RenderableType:
    """A table for the terminal, below its title and note."""
    title = ". ".join(filter(None, (table.title, table.whole_note)))
    return Group("", Text(spelled_out(title), style="bold"), table_grid(table))


def table_grid(table: Table[Row], *, title: str = "", box: Box | None = None) -> Grid:
    """The heads and cells of a table for the terminal: words to the left, numbers to the right."""
    heading = Text(spelled_out(title), style="table.title") if title else None
    grid = Grid(box=box, title=heading, title_justify="left")
    for column in table.columns:
        side: Literal["left", "right"] = "left" if column.format.is_words else "right"
        grid.add_column(Text(spelled_out(column.head)), justify=side, overflow="fold")
    styles = [column.style for column in table.columns]
    for number, cells in enumerate(table.texts(is_narrow=True)):
        row = table.rows[number] if number < len(table.rows) else None
        safe = list(map(spelled_out, cells))
        grid.add_row(
            *(
                Text(cell, style=style(row) if style and row is not None else "")
                for cell, style in zip(safe, styles, strict=True)
            )
        )
    return grid


def fitting(table: Table[Row], width: int) -> Iterator[Table[Row]]:
    """A table in as many parts as its columns need, each with the words that begin a row."""
    cells = zip(table.heads, *table.texts(), strict=True)
    widths = [max(map(len, column)) + GAP for column in cells]
    words = next(
        (at for at, column in enumerate(table.columns) if not column.format.is_words),
        len(table.columns),
    )
    room = width - sum(widths[:words])
    start = words
    while start < len(widths):
        end, used = start + 1, widths[start]
        while end < len(widths) and used + widths[end] <= room:
            used += widths[end]
            end += 1
        if (start, end) == (words, len(widths)):
            yield table
        else:
            yield replace(table, columns=(*table.columns[:words], *table.columns[start:end]))
        start = end


def markdown_lines(table: Table[Row]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    sides = ["---" if column.format.is_words else "---:" for column in table.columns]
    yield f"| {' | '.join(map(markdown_text, table.heads))} |"
    yield f"| {' | '.join(sides)} |"
    for row in table.texts():
        yield f"| {' | '.join(map(markdown_text, row))} |"


def markdown_text(text: str) -> str:
    """A text on one line of Markdown, in which it begins no cell, code, tag, link or picture.

    A name after an @ calls nobody: a space without width stands between them.

    >>> markdown_text("a|b\\r<i>` [c](d)")
    'a\\\\|b \\\\<i>\\\\` [c\\\\](d)'
    >>> markdown_text("@ada")
    '@&#8203;ada'
    """
    return _MENTION.sub("@&#8203;", _MARKUP.sub(r"\\\g<0>", printable(text)))


def data_heads(columns: Iterable[Column[Row]]) -> list[str]:
    """The names of columns for programs."""
    given = (column for column in columns if "data" in column.media)
    return [name for column in given for name in (column.parts or (column.key,))]


def data_rows(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Rows as plain values by name, for CSV, JSON and data frames."""
    given = [column for column in columns if "data" in column.media]
    for row in rows:
        cells: dict[str, Any] = {}
        for column in given:
            value = column.value(row)
            if column.parts:
                for name, path in column.parts.items():
                    cells[name] = None if value is None else attrgetter(path)(value)
            else:
                cells[column.key] = value
        yield cells


def csv_text(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> str:
    """Rows as CSV, in which no cell is taken for a formula; what is undefined is empty."""
    return csv_line(data_heads(columns)) + "".join(csv_lines(columns, rows))


def csv_lines(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> Iterator[str]:
    """The same row by row, without the heads, for rows that come one by one."""
    for row in data_rows(columns, rows):
        yield csv_line(row.values())


def csv_line(cells: Iterable[Any]) -> str:
    """The line of some cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")  # with which it quotes carriage returns
    writer.writerow("" if cell is None else guard(cell) for cell in cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def site_columns(columns: Iterable[Column[Row]]) -> list[dict[str, Any]]:
    """The columns of a site's table, as its script draws them."""
    return [
        {
            "name": column.key,
            "title": column.title or f"{column.head[:1].upper()}{column.head[1:]}",
            "format": column.format.name,
            "meaning": column.meaning,
            "optional": column.is_optional,
        }
        for column in columns
        if "site" in column.media
    ]


def site_row(columns: Iterable[Column[Row]], row: Row) -> dict[str, Any]:
    """The cells of a row by name, with as many digits as a page shows, and some more."""
    return {
        column.key: site_value(column.value(row)) for column in columns if "site" in column.media
    }


def site_value(value: Any) -> Any:
    """A value as plain JSON; what consists of several is an object by name."""
    if is_dataclass(value):
        return {each.name: site_value(getattr(value, each.name)) for each in fields(value)}
    return round(value, 5) if isinstance(value, float) else value
