"""Readers that the loaders share: a damaged file raises one clear line that names it."""

import csv
import json
import zlib
from codecs import iterdecode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from assay.core.errors import InputError
from assay.core.problems import Problem
from assay.core.system.lines import TooLong, decode, limited_lines, read_whole, row_limit
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.files import columnar_rows

TABLES = (".csv", ".jsonl", ".parquet")

T = TypeVar("T")


def read_json(path: Path) -> Any:
    """The value in a JSON file, plain or packed with gzip."""
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from None


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, plain or packed with gzip."""
    try:
        with open_binary(str(path)) as file:
            return decode(read_whole(file, str(path)), str(path))
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from None


def read_json_lines(path: Path) -> Iterator[Any]:
    """The value on each line of a file, plain or packed with gzip; empty lines are passed over."""
    for number, raw in enumerate(read_lines(path), start=1):
        if raw.isspace():
            continue
        try:
            yield json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} line {number} is not JSON: {error}") from None


def read_csv(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file by column; a row with too few or too many cells raises."""
    csv.field_size_limit(2**31 - 1)  # the most that the csv module takes on every platform
    reader = csv.DictReader(iterdecode(read_lines(path), "utf-8-sig"), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                count = len(reader.fieldnames or ())
                raise InputError(f"{path} line {reader.line_num} does not have {count} cells")
            yield row
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path} after line {reader.line_num} is not CSV: {error}") from None


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, plain or packed with gzip; one over the limit raises."""
    try:
        with open_binary(str(path)) as file:
            for number, line in enumerate(limited_lines(file, row_limit()), start=1):
                if isinstance(line, TooLong):
                    raise InputError(f"{path} line {number}: {line}")
                yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from None


def find_tables(folder: Path, suffixes: tuple[str, ...] = TABLES) -> list[Path]:
    """The tables in a folder and below it, by name; none at all raises."""
    packed = tuple(f"{suffix}.gz" for suffix in suffixes if suffix != ".parquet")
    found = sorted(path for path in folder.rglob("*") if path.name.endswith((*suffixes, *packed)))
    if not found:
        raise InputError(
            f"nothing of it is at {folder}: no file there ends in {' or '.join(suffixes)}",
            code="corpus-missing",
            field="data",
        )
    return found


def read_rows(path: Path) -> Iterator["RawRow"]:
    """The objects in a file (CSV, JSON, JSON lines or Parquet, by its name); none at all raises."""
    return (RawRow(each, path) for each in some(_rows(path), path))


def _rows(path: Path) -> Iterator[Any]:
    name = path.name.removesuffix(".gz")
    if name.endswith(".csv"):
        yield from read_csv(path)
    elif name.endswith(".jsonl"):
        yield from read_json_lines(path)
    elif name.endswith(".json"):
        yield from items(read_json(path), path)
    else:
        for _, row in columnar_rows(str(path), Columns(keeps_all=True)):
            if isinstance(row, Problem):
                raise InputError(str(row))
            yield row


def some(rows: Iterable[T], path: Path) -> Iterator[T]:
    """The rows one after the other; a file without any raises."""
    is_empty = True
    for row in rows:
        is_empty = False
        yield row
    if is_empty:
        raise InputError(f"{path} has no rows")


def items(value: Any, path: Path) -> list[Any]:
    """The value, if it is a list; otherwise raises."""
    if not isinstance(value, list):
        raise InputError(f"{path}: there must be a list, not {type(value).__name__}")
    return value


def items_of(kind: type[T], value: Any, path: Path) -> list[T]:
    """The value, if it is a list of things of one kind; otherwise raises."""
    for each in items(value, path):
        if not isinstance(each, kind):
            found = type(each).__name__
            raise InputError(f"{path}: a list of {kind.__name__} holds a {found}")
    return list(value)


class RawRow(dict[str, Any]):
    """An object of a file; a field that is missing or of the wrong kind raises and names both."""

    def __init__(self, value: Any, path: Path) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{path}: a row must be an object, not {type(value).__name__}")
        super().__init__(value)
        self.path = path

    def __missing__(self, field: str) -> Any:
        raise InputError(f"{self.path}: a row has no field '{field}', only {', '.join(self)}")

    def text(self, field: str) -> str:
        """The text of a field."""
        value = self[field]
        if not isinstance(value, str):
            raise InputError(f"{self.path}: '{field}' must be text, not {type(value).__name__}")
        return value

    def row(self, field: str) -> "RawRow":
        """The object that a field holds."""
        return RawRow(self[field], self.path)

    def rows(self, field: str) -> list["RawRow"]:
        """The objects in the list that a field holds."""
        return [RawRow(each, self.path) for each in items(self[field], self.path)]

    def items_of(self, kind: type[T], field: str) -> list[T]:
        """The things of one kind in the list that a field holds."""
        return items_of(kind, self[field], self.path)

    def pick(self, menu: Mapping[Any, T], value: Any) -> T:
        """The meaning of a value of the release; one that is not on the menu raises."""
        try:
            return menu[value]
        except (KeyError, TypeError):
            choices = ", ".join(map(repr, menu))
            raise InputError(f"{self.path}: {value!r} is not one of {choices}") from None


def locate(text: str, piece: str, start: int = 0) -> int | None:
    """The start of a piece of a text, at `start` or after it; None if it is not there.

    >>> locate("one two one", "one", 1)
    8
    """
    found = text.find(piece, start) if piece else -1
    return None if found < 0 else found
