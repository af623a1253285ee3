"""Examples from a file: JSON, JSON lines, CSV and its kin, Parquet or Arrow, read as a stream.

A row that cannot be read is a `Problem` with its place; the rows after it are still read.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.places import STDIN, RowPlace
from assay.core.problems import Problem
from assay.core.system.lines import (
    DOCUMENT_LIMIT,
    ROW_LIMIT,
    TooLong,
    decode,
    document_limit,
    has_more_values,
    limited_lines,
    read_whole,
    refuse_crowded,
    row_limit,
    too_large,
    too_long,
    why_not_json,
)
from assay.datasets.columnar import COLUMNAR, is_columnar, open_columns
from assay.datasets.delimited import delimited_rows, is_header
from assay.datasets.elements import element_lines
from assay.datasets.encodings import open_binary, rejoined
from assay.datasets.fields import Columns
from assay.datasets.parts import find_parts, is_in_parts
from assay.datasets.repeated_fields import ObjectReader
from assay.datasets.rows import try_row

Row = dict[str, Any]

_SHEETS = (".xlsx", ".xls", ".xlsm", ".ods")
Rows = Iterator[tuple[RowPlace, Row | Problem]]


def read_file(
    path: str,
    columns: Columns | None = None,
    language: str | None = None,
    *,
    numbers: Iterable[int] | None = None,
    fields: Mapping[str, str] | None = None,
) -> Iterator[Annotated | Problem]:
    """The examples in a file, or in standard input for `-` (JSON, JSON lines or CSV).

    In one of several parts, `numbers` go on from the part before, and `fields` are those that all
    of its rows have.
    """
    rows = read_rows(path, columns or Columns())
    for (place, row), number in zip(rows, numbers or count(1), strict=False):
        if isinstance(row, Problem):
            yield row
        else:
            row = {**fields, **row} if fields else row
            yield try_row(row, place, number, columns, language)


def count_rows(path: str) -> int | None:
    """The number of rows of a file, where that is quickly found; None elsewhere."""
    if is_in_parts(path):
        return find_parts(path).rows
    if is_columnar(path):
        return open_columns(path).rows
    if path.endswith(".jsonl"):
        with open_binary(path) as file:
            lines = limited_lines(file, row_limit())
            return sum(isinstance(line, TooLong) or bool(line.strip()) for line in lines)
    return None


def read_rows(path: str, columns: Columns) -> Rows:
    """The rows of a file, each with its place; what breaks off in the middle says so in words."""
    return _in_words(path, lambda: _rows(path, columns))


def read_json(path: str, *, lines: bool, hint: str) -> Rows:
    """The same for JSON, or lines of it, whatever the file is called."""
    return _in_words(path, lambda: json_line_rows(path) if lines else _json(path, hint))


def _in_words(path: str, read: Callable[[], Rows]) -> Rows:
    try:
        yield from read()
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {path}: {reason}") from None


def _rows(path: str, columns: Columns) -> Rows:
    if path == "-":
        return _standard_input(columns)
    readers: dict[str, Callable[[], Rows]] = {
        ".json": lambda: _json(path),
        ".jsonl": lambda: json_line_rows(path),
        ".ndjson": lambda: json_line_rows(path),
        ".csv": lambda: _delimited(path, columns, ","),
        ".tsv": lambda: _delimited(path, columns, "\t"),
        **dict.fromkeys(COLUMNAR, lambda: columnar_rows(path, columns)),
    }
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if suffix in readers:
        return readers[suffix]()
    if suffix in _SHEETS:
        raise InputError(
            f"{path} is a workbook; save its sheet as CSV (UTF-8) and give that", code="workbook"
        )
    raise InputError(
        f"cannot tell what {path} is from its name; it should end in {', '.join(readers)}",
        code="unknown-form",
    )


def _json(path: str, hint: str = "name it .jsonl if each line is an object") -> Rows:
    with open_binary(path) as file:
        raw = read_whole(file, path)
    return _document(raw, path, hint)


def _document(raw: bytes, where: str, hint: str) -> Rows:
    """The rows of a JSON document; the hint is for one that goes on after its end."""
    text, reader = decode(raw, where), ObjectReader()
    try:
        refuse_crowded(text, DOCUMENT_LIMIT)
        document = reader.read(text)
    except (ValueError, RecursionError) as error:
        hint = f"; {hint}" if "Extra data" in str(error) else ""
        raise InputError(f"{where} is not JSON: {why_not_json(error)}{hint}") from None
    except InputError as error:
        error.prefix(where)
        raise
    if isinstance(document, list):
        lines = element_lines(text)
        places = (RowPlace(where, line, f"item {n}") for n, line in enumerate(lines, 1))
        items = zip(places, document, strict=True)
        return ((place, _row(row, reader, place, "an example")) for place, row in items)
    blank = len(text) - len(text.lstrip())
    place = RowPlace(where, 1 + text.count("\n", 0, blank))
    return iter([(place, _row(document, reader, place, "an example"))])


def _row(value: object, reader: ObjectReader, place: RowPlace, what: str) -> Row | Problem:
    if not isinstance(value, dict):
        kind = type(value).__name__
        return Problem.at(place, f"{what} must be a JSON object, not {kind}")
    refusal = reader.refusal(value)
    return Problem.at(place, refusal) if refusal else value


def _standard_input(columns: Columns) -> Rows:
    """JSON if it begins as JSON does, line by line if a line is an object; otherwise CSV."""
    file = open_binary("-")
    if _beginning(file) not in (b"[", b"{"):
        return delimited_rows(file, STDIN, columns)
    lines = limited_lines(file, row_limit())
    head: list[bytes | TooLong] = []
    for line in lines:
        head.append(line)
        if isinstance(line, TooLong) or line.strip():
            break
    first = head[-1]
    if isinstance(first, TooLong) or _is_object(first):
        return _lines(chain(head, lines), STDIN)
    if is_header(first, columns):
        return delimited_rows(rejoined(_bytes(head), file), STDIN, columns)
    return _lines_or_document(head, lines)


def _lines_or_document(head: list[bytes | TooLong], lines: Iterator[bytes | TooLong]) -> Rows:
    """A document, or else lines of which the first is no object, but another one is."""
    size, limit = sum(map(len, _within(head))), document_limit()
    first = _within(head)[-1].strip()
    for line in lines:
        head.append(line)
        size += limit + 1 if isinstance(line, TooLong) else len(line)
        if size > limit:
            break
    try:
        if size > limit:
            raise too_large(STDIN)
        return _document(_bytes(head), STDIN, "put each object on a line of its own")
    except InputError:
        # A list that is not closed, or one object over many lines, is a document with a mistake.
        begins_row = first != b"{" if first.startswith(b"{") else _is_json(first)
        if begins_row and any(map(_is_object, _within(head))):
            return _lines(chain(head, lines), STDIN)
        raise


def _within(lines: Iterable[bytes | TooLong]) -> list[bytes]:
    return [line for line in lines if isinstance(line, bytes)]


def _bytes(lines: Iterable[bytes | TooLong]) -> bytes:
    return b"".join(_within(lines))


def _beginning(file: BinaryIO) -> bytes:
    """The first byte that is not white space, nor of a byte-order mark; blank lines are read."""
    while True:
        seen: bytes = file.peek(1)  # type: ignore[attr-defined]
        begin = seen.removeprefix(b"\xef\xbb\xbf").lstrip()
        if begin or not seen:
            return begin[:1]
        file.read(len(seen))


def _is_object(line: bytes) -> bool:
    return line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{") and _is_json(line)


def _is_json(line: bytes) -> bool:
    """True if a line is JSON; one with too many values may be, and is told so as a line."""
    text = line.decode("utf-8-sig", "replace")
    try:
        if not has_more_values(text, row_limit()):
            json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def json_line_rows(path: str) -> Rows:
    """The objects on the lines of a file, each with its place."""
    with open_binary(path) as file:
        yield from _lines(limited_lines(file, row_limit()), path)


def _lines(lines: Iterable[bytes | TooLong], name: str) -> Rows:
    for number, raw in enumerate(lines, start=1):
        if isinstance(raw, bytes) and not raw.strip():
            continue  # before anything else: a packed file may have millions of them
        place = RowPlace(name, number, f"line {number}")
        if isinstance(raw, TooLong):
            yield place, Problem.at(place, str(raw))
        else:
            yield place, _line(raw, place)


def _line(raw: bytes, place: RowPlace) -> Row | Problem:
    reader = ObjectReader()
    try:
        text = decode(raw.rstrip(b"\r\n"), "the line")
        refuse_crowded(text, ROW_LIMIT)
        value = reader.read(text)
    except InputError as error:
        return Problem.at(place, str(error))
    except json.JSONDecodeError as error:
        return Problem.at(
            place, f"not valid JSON: {error.msg.removesuffix(' at')} at column {error.colno}"
        )
    except (ValueError, RecursionError) as error:
        return Problem.at(place, f"not valid JSON: {why_not_json(error)}")
    return _row(value, reader, place, "a line")


def _delimited(path: str, columns: Columns, usual: str) -> Rows:
    with open_binary(path) as file:
        yield from delimited_rows(file, path, columns, usual)


def columnar_rows(path: str, columns: Columns) -> Rows:
    """The rows of a Parquet or Arrow file, each with its place; of those columns that are read."""
    file = open_columns(path)
    columns.refuse_twice(file.names)
    wanted, limit = columns.among(file.names), row_limit()
    for number, row in enumerate(file.read(wanted), start=1):
        place = RowPlace(path, part=f"row {number}")
        yield place, Problem.at(place, too_long(limit)) if row is None else row
