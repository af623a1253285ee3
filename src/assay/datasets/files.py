"""Examples from a file: JSON, JSON lines, CSV or Parquet, read as a stream.

A row that cannot be read is a `Problem` with its place; the rows after it are still read.
"""

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, BinaryIO, cast

from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Annotated
from assay.datasets.fields import Columns, read_row

Row = dict[str, Any]

_LONGEST_FIELD = 2**31 - 1  # the most that the csv module takes on every platform


@dataclass(frozen=True, slots=True)
class Problem:
    """A row of the input that could not be read; `field` is the setting to blame, if one is."""

    where: str
    message: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def read_file(
    path: str, columns: Columns | None = None, language: str = "en"
) -> Iterator[Annotated | Problem]:
    """The examples in a file, or in standard input for `-` (JSON or JSON lines)."""
    number = 0
    for where, row in _readable(path):
        number += 1
        if isinstance(row, Problem):
            yield row
            continue
        try:
            yield read_row(row, number, columns, language)
        except InputError as error:
            yield Problem(where, str(error), error.field)


def count_rows(path: str) -> int | None:
    """How many rows a file has, where that is quickly found; None elsewhere."""
    if path.endswith(".parquet"):
        return int(_parquet(path).metadata.num_rows)
    if path.endswith(".jsonl"):
        with open_binary(path) as file:
            return sum(1 for line in file if line.strip())
    return None


def open_binary(path: str) -> BinaryIO:
    """The file's bytes, unpacked if its name ends in .gz; `-` is standard input."""
    if path == "-":
        return sys.stdin.buffer
    try:
        if not path.endswith(".gz"):
            return open(path, "rb")
        packed = gzip.open(path)  # noqa: SIM115 - the caller closes it
        packed.peek(1)
        return cast(BinaryIO, packed)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def decode(raw: bytes, where: str) -> str:
    """Bytes as text, without a byte-order mark; anything but UTF-8 raises."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise InputError(
            f"{where} is not UTF-8: byte 0x{byte:02x} at position {error.start}; save it as UTF-8"
        ) from None


_Rows = Iterator[tuple[str, Row | Problem]]


def _readable(path: str) -> _Rows:
    """The rows of a file; what breaks off in the middle says so in words."""
    try:
        yield from _rows(path)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {path}: {reason}") from None


def _rows(path: str) -> _Rows:
    if path == "-":
        return _standard_input()
    name = path.removesuffix(".gz")
    readers: dict[str, Callable[[str], _Rows]] = {
        ".json": _json,
        ".jsonl": _json_lines,
        ".ndjson": _json_lines,
        ".csv": _csv,
        ".parquet": parquet_rows,
    }
    suffix = Path(name).suffix.lower()
    if suffix not in readers:
        raise InputError(
            f"cannot tell what {path} is from its name; it should end in {', '.join(readers)}",
            code="unknown-form",
        )
    return readers[suffix](path)


def _json(path: str) -> _Rows:
    with open_binary(path) as file:
        return _document(decode(file.read(), path), path)


def _document(text: str, where: str) -> _Rows:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "; name it .jsonl if each line is an object" if "Extra data" in str(error) else ""
        raise InputError(f"{where} is not JSON: {error}{hint}") from None
    if isinstance(document, list):
        return ((f"{where} item {n}", _object(row, where, n)) for n, row in enumerate(document, 1))
    return iter([(where, _object(document, where, 1))])


def _object(value: object, where: str, number: int) -> Row | Problem:
    if isinstance(value, dict):
        return value
    kind = type(value).__name__
    return Problem(f"{where} item {number}", f"an example must be a JSON object, not {kind}")


def _standard_input() -> _Rows:
    """JSON lines if the first line is an object on its own, otherwise one JSON document."""
    file = open_binary("-")
    first = file.readline()
    try:
        is_lines = isinstance(json.loads(first), dict)
    except ValueError:
        is_lines = False
    if is_lines:
        return _lines(chain([first], file), "standard input")
    return _document(decode(first + file.read(), "standard input"), "standard input")


def _json_lines(path: str) -> _Rows:
    with open_binary(path) as file:
        yield from _lines(file, path)


def _lines(lines: Iterable[bytes], name: str) -> _Rows:
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            where = f"{name} line {number}"
            yield where, _line(raw, where)


def _line(raw: bytes, where: str) -> Row | Problem:
    try:
        value = json.loads(decode(raw, "the line"))
    except InputError as error:
        return Problem(where, str(error))
    except json.JSONDecodeError as error:
        return Problem(where, f"not valid JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        return Problem(where, f"not valid JSON: {error}")
    if isinstance(value, dict):
        return value
    return Problem(where, f"a line must be a JSON object, not {type(value).__name__}")


def _csv(path: str) -> _Rows:
    csv.field_size_limit(_LONGEST_FIELD)
    with open_binary(path) as file:
        # Bytes that are not UTF-8 become surrogates, which the row's own check reports.
        text = (line.decode("utf-8-sig", "surrogateescape") for line in file)
        reader = csv.reader(text, strict=True)
        names: list[str] | None = None
        while True:
            where = f"{path} line {reader.line_num + 1}"
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield where, Problem(where, f"not valid CSV: {error}")
                continue
            if names is None:
                names = cells
            elif cells:
                yield where, _csv_row(names, cells, where)


def _csv_row(names: list[str], cells: list[str], where: str) -> Row | Problem:
    if len(cells) > len(names):
        count = f"{len(cells)} cells for {len(names)} columns"
        return Problem(where, f"{count}; a cell with a comma in it needs quotes around it")
    return dict(zip_longest(names, cells))


def _parquet(path: str) -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "parquet") from None
    try:
        return parquet.ParquetFile(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{path} is not Parquet: {error}") from None


def parquet_rows(path: str) -> _Rows:
    """The rows of a Parquet file, each with its place."""
    number = 0
    for batch in _parquet(path).iter_batches(batch_size=64):
        for row in batch.to_pylist():
            number += 1
            yield f"{path} row {number}", row
