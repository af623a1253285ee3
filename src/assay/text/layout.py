"""Lines as a reader sees them: wrapped ones joined, tables as rows with headers, spaces single."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.text.blocks import begins_anew, continues, find_code, has_label, marker_end
from assay.text.tables import TableCell, add_row
from assay.text.views import View, ViewBuilder

_QUOTES = re.compile(r"(?>(?:>[ \t]?+){1,9})(?![\d=])")
_WORD = re.compile(r"\S+")
_ODD_SPACE = re.compile(r"[^\S ]|  ")
_TASK = re.compile(r"\[[ xX]\] ")
_NARROWEST, _NARROW, _WIDEST = 20, 50, 140  # columns at which texts are wrapped


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without the space around it and without the marks of a quotation."""

    start: int
    end: int
    text: str

    @property
    def is_rule(self) -> bool:
        """True if it is a rule, or a line under a heading."""
        return len(self.text) >= 3 and set(self.text) <= set("-*_=~ ")

    @property
    def is_under_headers(self) -> bool:
        """True if it separates the headers of a table from its rows."""
        return "|" in self.text and "-" in self.text and set(self.text) <= set("|-: \t")


def read_layout(text: str) -> View:
    """The view of a text with one line for each paragraph, item and row.

    >>> read_layout("| Name | Born |\\n|--|--|\\n| Ada | 1815 |\\n").text
    'Name: Ada; Born: 1815.'
    """
    out = ViewBuilder(text)
    code = {block.start: block.end for block in find_code(text)}
    for start, end, lines in _runs(text, code):
        if end:
            _separate(out, "\n\n", start)
            out.copy(start, end)
        else:
            _paragraphs(out, lines)
    return out.build()


def _runs(text: str, code: dict[int, int]) -> Iterator[tuple[int, int, list[_Line]]]:
    """Fenced code, by its range, and the lines between code and blank lines."""
    run: list[_Line] = []
    position = until = 0
    for raw in text.splitlines(keepends=True):
        start, position = position, position + len(raw)
        if start < until:
            continue
        line = None if start in code else _line(start, raw)
        if line is not None:
            run.append(line)
            continue
        if run:
            yield 0, 0, run
            run = []
        if start in code:
            until = code[start]
            yield start, until, []
    if run:
        yield 0, 0, run


def _line(start: int, raw: str) -> _Line | None:
    """A line, unless there is nothing to see in it."""
    content = raw.lstrip()
    quotes = _QUOTES.match(content)
    content = content[quotes.end() :].lstrip() if quotes else content
    begin = start + len(raw) - len(content)
    content = content.rstrip()
    found = _Line(begin, begin + len(content), content)
    return found if content and not found.is_rule else None


def _paragraphs(out: ViewBuilder, lines: Sequence[_Line]) -> None:
    """Adds lines that no blank one divides: a table where there is one, otherwise prose."""
    number = first = 0
    while number < len(lines):
        if _begins_table(lines, number):
            _prose(out, lines[first:number])
            number = first = _table(out, lines, number)
        else:
            number += 1
    _prose(out, lines[first:])


def _begins_table(lines: Sequence[_Line], number: int) -> bool:
    following = lines[number + 1 : number + 2]
    return "|" in lines[number].text and bool(following) and following[0].is_under_headers


def _table(out: ViewBuilder, lines: Sequence[_Line], number: int) -> int:
    """Adds the rows of a table, and says which line comes after it."""
    names = _cells(out.original, lines[number])
    headers = {cell.column: cell.shown.text for cell in names}
    number += 2
    gap = "\n\n"
    while number < len(lines) and "|" in lines[number].text:
        cells = [cell for cell in _cells(out.original, lines[number]) if cell.shown]
        if cells:
            _separate(out, gap, cells[0].shown.start)
            add_row(out, cells, headers)
            gap = "\n"
        number += 1
    return number


def _cells(text: str, line: _Line) -> list[TableCell]:
    """The cells of a row; a bar after a backslash is part of one."""
    bars = [
        line.start + place
        for place, sign in enumerate(line.text)
        if sign == "|" and line.text[place - 1 : place] != "\\"
    ]
    edges = [line.start - 1, *bars, line.end]
    if bars[:1] == [line.start]:
        edges = edges[1:]
    if bars[-1:] == [line.end - 1]:
        edges = edges[:-1]
    cells = []
    for column, (before, end) in enumerate(pairwise(edges)):
        shown = ViewBuilder(text, before + 1)
        _copy(shown, before + 1, end, in_cell=True)
        cells.append(TableCell(shown, column))
    return cells


def _prose(out: ViewBuilder, lines: Sequence[_Line]) -> None:
    """Adds the lines of a paragraph, a list or the like, with wrapped ones joined."""
    are_wrapped = _are_wrapped([line.text for line in lines])
    for number, line in enumerate(lines):
        if number == 0:
            gap = "\n\n"
        else:
            gap = " " if are_wrapped or continues(lines[number - 1].text, line.text) else "\n"
        start = line.start
        _separate(out, gap, start)
        mark = marker_end(line.text)
        if task := _TASK.match(line.text, mark):
            out.copy(start, start + mark)
            start += task.end()
        _copy(out, start, line.end)


def _are_wrapped(lines: Sequence[str]) -> bool:
    """True if each line ends where the next word would not have fitted.

    Short lines may be those of a poem or a list: a third of them have to go on in small letters.
    """
    width = max(map(len, lines), default=0)
    if len(lines) < 2 or not _NARROWEST <= width <= _WIDEST:
        return False
    going_on = sum(line[0].islower() for line in lines[1:])
    if width < _NARROW and 3 * going_on < len(lines) - 1:
        return False
    are_fields = has_label(lines[0])  # otherwise a small letter before a colon is prose
    return all(
        len(line) + 1 + len(following.split(maxsplit=1)[0]) > width
        and not (
            begins_anew(following)
            or ((are_fields or not following[0].islower()) and has_label(following))
        )
        for line, following in pairwise(lines)
    )


def _separate(out: ViewBuilder, gap: str, start: int) -> None:
    if out:
        out.put(gap, out.end, start)


def _copy(out: ViewBuilder, start: int, end: int, *, in_cell: bool = False) -> None:
    """Copies words with single spaces between them; a bar in a cell has lost its backslash."""
    if (
        not _ODD_SPACE.search(out.original, start, end)
        and not (in_cell and out.original.find("\\|", start, end) >= 0)
        and out.original[start:end].strip() == (out.original[start:end])
    ):
        out.copy(start, end)
        return
    is_first = True
    for word in _WORD.finditer(out.original, start, end):
        if not is_first:
            out.put(" ", out.end, word.start())
        place = word.start()
        while in_cell and (escape := out.original.find("\\|", place, word.end())) >= 0:
            out.copy(place, escape)
            out.copy(escape + 1, escape + 2, opened=escape)
            place = escape + 2
        out.copy(place, word.end())
        is_first = False
