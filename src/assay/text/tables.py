"""The rows of a table as lines of text, each cell after the header of its column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.text.views import ViewBuilder

ENDS = tuple(".!?…。！？:;")
_MOST_COLUMNS = 100  # whose headers are known, or whose cells reach into further rows
_MOST_HEADER_ROWS = 3
_LONGEST_HEADER = 200


@dataclass(frozen=True, slots=True)
class TableCell:
    """A table cell: its text, the number of its column, and whether it is a header."""

    shown: ViewBuilder
    column: int
    is_header: bool = False


def add_row(out: ViewBuilder, cells: Sequence[TableCell], headers: Mapping[int, str]) -> None:
    """Adds a line such as `Name: Ada; Born: 1815.`, with the headers by column.

    Without headers, a first cell that is one names the others: `Height: 330 m.`
    """
    filled = [cell for cell in cells if cell.shown]
    for number, cell in enumerate(filled):
        start = cell.shown.start
        if number:
            names = number == 1 and filled[0].is_header > cell.is_header and not headers
            mark = "" if out.last in ENDS else ":" if names else ";"
            out.put(f"{mark} ", out.end, start)
        if label := headers.get(cell.column, "").rstrip(": "):
            out.put(f"{label}: ", start, start)
        out.extend(cell.shown)
    is_labelled = any(headers.get(cell.column) for cell in filled)
    if (is_labelled or len(filled) > 1) and out.last not in ENDS:
        out.put(".", out.end, out.end)


@dataclass(slots=True)
class TableReader:
    """A table that is read cell by cell and row by row."""

    headers: dict[int, str] = field(default_factory=dict)
    _row: list[TableCell] = field(default_factory=list)
    _column: int = 0
    _below: dict[int, tuple[int, str]] = field(default_factory=dict)  # rows left, and the text
    _header_rows: list[list[TableCell]] = field(default_factory=list)
    _has_body: bool = False

    def add_cell(self, shown: ViewBuilder, columns: int, rows: int, *, is_header: bool) -> None:
        """Adds a cell to the row; it may reach over several columns and rows."""
        while self._column in self._below:
            self._column += 1
        self._row.append(TableCell(shown, self._column, is_header))
        last = self._column + max(1, min(columns, _MOST_COLUMNS))
        for column in range(self._column, min(last, _MOST_COLUMNS)):
            if rows > 1:
                self._below[column] = (rows, shown.text if column == self._column else "")
            if is_header and column > self._column:
                self._row.append(TableCell(_repeated(shown.text, shown), column, is_header))
        self._column = last

    def end_row(self, *, in_head: bool) -> list[TableCell]:
        """The cells of the row that ends here; none if they are headers or if there are none."""
        row, above = self._row, self._below
        self._row, self._column = [], 0
        if not row:
            return []
        self._below = {
            column: (left - 1, text) for column, (left, text) in above.items() if left > 1
        }
        own = {cell.column for cell in row}
        if not in_head:
            row += [
                TableCell(_repeated(text, row[0].shown), column)
                for column, (_, text) in above.items()
                if text and column not in own
            ]
        filled = sorted((cell for cell in row if cell.shown), key=lambda cell: cell.column)
        all_headers = len(filled) > 1 and all(cell.is_header for cell in filled)
        if filled and (in_head or all_headers) and len(self._header_rows) < _MOST_HEADER_ROWS:
            self._add_headers(filled)
            return []
        self._has_body = self._has_body or bool(filled)
        return filled

    def headers_alone(self) -> list[TableCell]:
        """The first headers of a table that has nothing else."""
        return self._header_rows[0] if self._header_rows and not self._has_body else []

    def _add_headers(self, cells: list[TableCell]) -> None:
        """Headers below others add to them; those below a row of the body replace them."""
        if self._has_body:
            self.headers = {}
            self._header_rows.clear()
            self._has_body = False
        self._header_rows.append(cells)
        for cell in cells:
            known = self.headers.get(cell.column, "")
            text = " ".join(cell.shown.text.split())[:_LONGEST_HEADER]
            if cell.column < _MOST_COLUMNS:
                self.headers[cell.column] = f"{known} {text}".strip()


def _repeated(text: str, first: ViewBuilder) -> ViewBuilder:
    """The text of a cell once more, inserted where another cell starts."""
    again = ViewBuilder(first.original, first.start)
    again.put(" ".join(text.split())[:_LONGEST_HEADER], first.start, first.start)
    return again
