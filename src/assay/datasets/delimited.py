"""Rows of CSV and its kin: commas, semicolons, tabs or bars, whichever the header is written with.

A row over the limit is passed over as a whole; where its quotes end, the next one begins.
"""

import csv
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, BinaryIO

from assay.core.errors import InputError
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.system.formulas import unguard
from assay.core.system.lines import TooLong, limited_lines, row_limit, too_long
from assay.datasets.encodings import with_line_feeds
from assay.datasets.example_columns import FLAT
from assay.datasets.fields import Columns

Row = dict[str, Any]

_LONGEST_FIELD = 2**31 - 1  # the most that the csv module takes on every platform
_MARKS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_MOST_COLUMNS = 10_000  # every row has all of them, however short it is
_CHOICE = "sep="  # how Excel says in the first line what stands between cells


def delimited_rows(
    file: BinaryIO, name: str, columns: Columns, usual: str = ","
) -> Iterator[tuple[RowPlace, Row | Problem]]:
    """The rows of a file, each with its place; a header without source or response raises."""
    csv.field_size_limit(_LONGEST_FIELD)
    lines = _Lines(with_line_feeds(file))
    mark = lines.find_mark(columns, usual)
    reader = csv.reader(lines, strict=True, delimiter=mark, skipinitialspace=lines.has_spaces)
    names: list[str] | None = None
    while True:
        line = lines.begin()
        place = RowPlace(name, line, f"line {line}")
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _TooLongError as error:
            yield place, Problem.at(place, str(error))
            continue
        except csv.Error as error:
            yield place, Problem.at(place, f"not valid CSV: {error}")
            continue
        if not cells:
            continue
        if names is None:
            names = cells
            _require_fields(names, name, columns)
        else:
            yield place, _row(names, cells, place, mark)


def is_header(line: bytes, columns: Columns) -> bool:
    """True if a line can only be the header of a table: at least two fields are known in it."""
    header = _decoded(line).rstrip("\r\n")
    return max(_known(header, mark, columns) for mark in _MARKS) > 1


def _known(header: str, mark: str, columns: Columns) -> int:
    try:
        names = next(csv.reader([header], delimiter=mark, skipinitialspace=True), [])
    except csv.Error:  # a carriage return in the middle
        return 0
    return columns.known(names)


def _require_fields(names: list[str], where: str, columns: Columns) -> None:
    if len(names) > _MOST_COLUMNS:
        raise InputError(f"{where} has {len(names):,} columns; {_MOST_COLUMNS:,} can be read")
    try:
        columns.require_names(names)
    except InputError as error:
        error.prefix(f"{where}, read as a table with a header")
        raise


def _row(names: list[str], cells: list[str], place: RowPlace, mark: str) -> Row | Problem:
    if len(cells) > len(names):
        count = f"{len(cells)} cells for {len(names)} columns"
        return Problem.at(
            place, f"{count}; a cell with {_MARKS[mark]} in it needs quotes around it"
        )
    if names == list(FLAT):  # a table of ours, whose cells cannot become formulas
        cells = list(map(unguard, cells))
    row: Row = {}
    for column, cell in zip_longest(names, cells):
        row.setdefault(column, cell)
    return row


class _TooLongError(csv.Error):
    """A row over the limit."""


class _Lines:
    """The lines of a file for a CSV reader, which asks for several where a cell has line breaks."""

    def __init__(self, file: BinaryIO) -> None:
        self._limit = row_limit()
        self._lines = limited_lines(file, self._limit)
        self._first: bytes | TooLong | None = None
        self._number = 0
        self._size = 0  # of the row so far
        self.has_spaces = False  # after what stands between cells

    def find_mark(self, columns: Columns, usual: str) -> str:
        """The mark between cells: the one that gives the header the most known fields."""
        for line in self._lines:
            self._first = line
            if isinstance(line, TooLong) or line.strip():
                break
            self._number += 1
        if not isinstance(self._first, bytes):
            return usual
        header = _decoded(self._first).rstrip("\r\n")
        chosen = header.strip('"')
        if chosen.casefold().startswith(_CHOICE) and chosen[len(_CHOICE) :] in _MARKS:
            self._first = None
            self._number += 1
            return chosen[len(_CHOICE) :]
        mark = max((usual, *_MARKS), key=lambda mark: _known(header, mark, columns))
        self.has_spaces = f"{mark} " in header
        return mark

    def begin(self) -> int:
        """Begins a row; gives the number of its line."""
        self._size = 0
        return self._number + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        is_quoted = self._size > 0  # only a quoted cell goes on in another line
        line = self._next()
        self._size += self._limit if isinstance(line, TooLong) else len(line)
        if isinstance(line, TooLong) or self._size > self._limit:
            self._pass_over(is_quoted, line)
            hint = "; is a quotation mark not closed?" if is_quoted else ""
            raise _TooLongError(too_long(self._limit) + hint)
        return _decoded(line)

    def _next(self) -> bytes | TooLong:
        line, self._first = self._first, None
        if line is None:
            line = next(self._lines)
        self._number += 1
        return line

    def _pass_over(self, is_quoted: bool, line: bytes | TooLong) -> None:
        """Reads on to where the quotes of a row end."""
        while True:
            quotes = line.quotes if isinstance(line, TooLong) else line.count(b'"')
            is_quoted ^= quotes % 2 == 1
            if not is_quoted:
                return
            try:
                line = self._next()
            except StopIteration:
                return


def _decoded(line: bytes) -> str:
    # Bytes that are not UTF-8 become surrogates, which the row's own check reports.
    return line.decode("utf-8-sig", "surrogateescape")
