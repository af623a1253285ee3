"""Readers that the loaders share: a damaged file raises one clear line that names it."""

import csv
import json
import zlib
from codecs import iterdecode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.datasets.files import decode, open_binary


def read_json(path: Path) -> Any:
    """The value in a JSON file, plain or packed with gzip."""
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from None


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, plain or packed with gzip."""
    return decode(b"".join(_lines(path)), str(path))


def read_json_lines(path: Path) -> Iterator[Any]:
    """The value on each line of a file, plain or packed with gzip; empty lines are passed over."""
    for number, raw in enumerate(_lines(path), start=1):
        if raw.isspace():
            continue
        try:
            yield json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} line {number} is not JSON: {error}") from None


def read_csv(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file by column; a row with too few or too many cells raises."""
    csv.field_size_limit(2**31 - 1)  # the most that the csv module takes on every platform
    reader = csv.DictReader(iterdecode(_lines(path), "utf-8-sig"), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                count = len(reader.fieldnames or ())
                raise InputError(f"{path} line {reader.line_num} does not have {count} cells")
            yield row
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path} after line {reader.line_num} is not CSV: {error}") from None


def locate(text: str, piece: str, start: int = 0) -> int | None:
    """Where a piece of a text begins, at `start` or after it; None if it is not there.

    >>> locate("one two one", "one", 1)
    8
    """
    found = text.find(piece, start) if piece else -1
    return None if found < 0 else found


def need(row: Any, fields: tuple[str, ...], path: Path) -> dict[str, Any]:
    """The row, if it is an object with these fields; otherwise raises."""
    if not isinstance(row, dict):
        raise InputError(f"{path}: a row must be an object, not {type(row).__name__}")
    missing = [field for field in fields if field not in row]
    if missing:
        raise InputError(f"{path}: a row has no field '{missing[0]}', only {', '.join(row)}")
    return row


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with open_binary(str(path)) as file:
            yield from file
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from None
