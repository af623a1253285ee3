"""The tables and records of a text as grids of cells, each with its place."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

MOST_CELLS = 5_000  # of a text; what is beyond is read as prose
_MOST_COLUMNS = 60
_LEAST_ROWS = 2
_LONGEST_FIELD = 60  # characters of the name of a field
_LONGEST_LINE = 2_000
_LONGEST_TITLE = 200
_UNDER_HEADS = re.compile(r"[|:\-+=\s]{3,}")
_FIELD = re.compile(r"[^:;|\n]{1,60}: ")
_NUMBERED = re.compile(
    r"(?P<above>[^\n:]{1,120}?) (?P<number>\d{1,6})(?: > (?P<field>[^\n:]{1,60}))?"
)
_DELIMITERS = "\t;,"

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell and its place in the text."""

    text: str
    start: int
    end: int

    @property
    def is_empty(self) -> bool:
        return not self.text.strip(" -–—*_")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: heads of columns, and rows of as many cells; the first column names the rows.

    A record is a grid whose rows are fields and need have nothing in common.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    start: int
    end: int
    title: str = ""
    is_record: bool = False
    is_packed: bool = False  # values stand so close that only cells tell them apart


def find_grids(text: str) -> tuple[Grid, ...]:
    """The tables and records of a text, in order: Markdown, CSV, and lines of fields.

    >>> [grid.heads for grid in find_grids("| City | Area |\\n|--|--|\\n| Bonn | 141 |\\n")]
    [('City', 'Area')]
    """
    found: list[Grid] = []
    cells = 0
    before = ""
    for block in _blocks(text):
        for grid in _grids(block):
            cells += len(grid.rows) * len(grid.heads)
            if cells > MOST_CELLS:
                return tuple(found)
            found.append(grid if grid.title else replace(grid, title=before))
        before = block[-1].text[:_LONGEST_TITLE]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def _blocks(text: str) -> Iterator[list[_Line]]:
    """The lines between blank ones."""
    run: list[_Line] = []
    position = 0
    for raw in text.splitlines(keepends=True):
        line = _Line(raw.rstrip(), position)
        position += len(raw)
        if line.text.strip():
            run.append(line)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _grids(lines: list[_Line]) -> Iterator[Grid]:
    if bars := _in_bars(lines):
        yield bars
        return
    if separated := _separated(lines):
        yield separated
        return
    rows = [_fields(line) for line in lines]
    at = 0
    for count, group in groupby(rows, key=lambda row: tuple(name for name, _ in row)):
        own = list(group)
        if len(count) >= 2 and len(own) >= _LEAST_ROWS:
            cells = tuple(tuple(cell for _, cell in row) for row in own)
            yield Grid(count, cells, lines[at].start, lines[at + len(own) - 1].end)
        at += len(own)
    yield from _records(lines)


def _in_bars(lines: list[_Line]) -> Grid | None:
    """A Markdown table: the line of heads is above a line of dashes."""
    for number, (line, under) in enumerate(pairwise(lines)):
        dashes = under.text.strip()
        if "|" not in line.text or "|" not in dashes or not _UNDER_HEADS.fullmatch(dashes):
            continue
        heads = [cell.text for cell in _cells(line)][:_MOST_COLUMNS]
        rows = []
        for each in lines[number + 2 :]:
            if "|" not in each.text:
                break
            rows.append(_padded(_cells(each), len(heads), each.end))
        if rows:
            title = lines[number - 1].text if number else ""
            return Grid(tuple(heads), tuple(rows), line.start, rows[-1][-1].end, title)
    return None


def _cells(line: _Line) -> list[GridCell]:
    """The cells between bars; a bar after a backslash is part of one."""
    bars = [
        place
        for place, sign in enumerate(line.text)
        if sign == "|" and line.text[place - 1 : place] != "\\"
    ]
    edges = [-1, *bars, len(line.text)]
    found = [_cell(line, before + 1, end) for before, end in pairwise(edges)]
    if found and line.text.lstrip().startswith("|"):
        found = found[1:]
    if found and line.text.rstrip().endswith("|"):
        found = found[:-1]
    return found[:_MOST_COLUMNS]


def _cell(line: _Line, start: int, end: int) -> GridCell:
    raw = line.text[start:end]
    text = raw.strip().strip('*_`"').strip()
    place = line.start + start + (raw.find(text) if text else 0)
    return GridCell(text, place, place + len(text))


def _padded(cells: Sequence[GridCell], width: int, end: int) -> tuple[GridCell, ...]:
    return (*cells[:width], *(GridCell("", end, end) for _ in range(width - len(cells))))


def _separated(lines: list[_Line]) -> Grid | None:
    """Values separated by commas, semicolons or tabs: as many in every line, few of them words."""
    if len(lines) < _LEAST_ROWS + 1 or any(len(line.text) > _LONGEST_LINE for line in lines):
        return None
    for sign in _DELIMITERS:
        first = _split(lines[0], sign)
        if len(first) < 2 or any(
            not cell.text or len(cell.text) > _LONGEST_FIELD for cell in first
        ):
            continue
        rows = [_split(line, sign) for line in lines[1:]]
        if all(len(row) == len(first) for row in rows) and not lines[0].text.rstrip().endswith("."):
            heads = tuple(cell.text for cell in first)
            cells = tuple(map(tuple, rows))
            return Grid(heads, cells, lines[0].start, lines[-1].end, is_packed=True)
    return None


def _split(line: _Line, sign: str) -> list[GridCell]:
    if sign not in line.text:
        return []
    if '"' not in line.text:
        values = line.text.split(sign)
    else:
        values = next(csv.reader([line.text], delimiter=sign), [])
    found, place = [], 0
    for value in values[:_MOST_COLUMNS]:
        text = value.strip()
        at = line.text.find(text, place)
        at = place if at < 0 else at
        found.append(GridCell(text, line.start + at, line.start + at + len(text)))
        place = at + len(text)
    return found


def _fields(line: _Line) -> tuple[tuple[str, GridCell], ...]:
    """The fields of a line such as `Name: Ada; Born: 1815.`"""
    if "; " not in line.text or len(line.text) > _LONGEST_LINE:
        return ()
    found, place = [], 0
    for part in line.text.split("; "):
        match = _FIELD.match(part)
        if not match:
            return ()
        start = place + match.end()
        value = part[match.end() :].rstrip(".")
        begin = line.start + start
        found.append((match[0][:-2].strip(), GridCell(value, begin, begin + len(value))))
        place += len(part) + 2
    return tuple(found)


def _records(lines: list[_Line]) -> Iterator[Grid]:
    """Lines such as `seats > inside: 46`: each heading is a grid, and so is a numbered list."""
    fields = [each for line in lines if (each := _field(line))]
    if len(fields) < _LEAST_ROWS:
        return
    numbered: dict[str, dict[int, dict[str, GridCell]]] = {}
    headed: dict[str, list[tuple[GridCell, GridCell]]] = {}
    for name, value in fields:
        match = _NUMBERED.fullmatch(name.text)
        if match and match["field"]:
            rows = numbered.setdefault(match["above"], {})
            rows.setdefault(int(match["number"]), {})[match["field"]] = value
            continue
        heading, _, own = name.text.rpartition(" > ")
        label = GridCell(own, name.end - len(own), name.end)
        headed.setdefault(heading, []).append((label, value))
    for title, by_number in numbered.items():
        yield _numbered(title, by_number)
    for heading, pairs in headed.items():
        yield Grid(("", heading), tuple(pairs), pairs[0][0].start, pairs[-1][1].end, heading, True)


def _numbered(title: str, rows: dict[int, dict[str, GridCell]]) -> Grid:
    heads = tuple(dict.fromkeys(name for row in rows.values() for name in row))[:_MOST_COLUMNS]
    cells = [cell for row in rows.values() for cell in row.values()]
    start, end = min(cell.start for cell in cells), max(cell.end for cell in cells)
    filled = tuple(
        tuple(row.get(head, GridCell("", start, start)) for head in heads) for row in rows.values()
    )
    return Grid(heads, filled, start, end, title)


def _field(line: _Line) -> tuple[GridCell, GridCell] | None:
    """The name and value of a line that is one field."""
    name, colon, value = line.text.lstrip("-*• ").partition(": ")
    if not colon or not 0 < len(name) <= 2 * _LONGEST_FIELD or ". " in name:
        return None
    at = line.start + line.text.find(name)
    begin = line.end - len(value)
    label = name.strip("*_ ")
    at = line.start + line.text.find(label)
    return GridCell(label, at, at + len(label)), GridCell(
        value.rstrip("."), begin, begin + len(value.rstrip("."))
    )
