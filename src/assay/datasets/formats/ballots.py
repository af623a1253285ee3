"""Labels of annotators as the simplest of tables: a row for each label.

A row has the item (`id` or `example`), the annotator (`annotator` or `author`) and the label; the
sentence that it is about (`unit` or `sentence`) where not the whole response was judged; and the
source (`source` or `source_id`) and the `batch` if they are known. A plan of batches with a column
of labels filled in is such a table. A row without a label is work that is not done yet.

A table is a CSV file, lines of JSON, Parquet or Arrow, or a folder or pattern of such parts.
"""

import csv
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label, Taxonomy
from assay.core.problems import Problem
from assay.core.system.files import is_file
from assay.core.system.formulas import unguard
from assay.core.system.lines import row_limit, too_long
from assay.core.taxonomies import BINARY, taxonomy
from assay.datasets.columnar import is_columnar, open_columns, refuse_other_names
from assay.datasets.corpora.raw_files import read_text
from assay.datasets.encodings import open_binary
from assay.datasets.files import json_line_rows
from assay.datasets.formats.detection import form_of
from assay.datasets.parts import DataFile, find_parts, is_in_parts, require_same_columns

_ITEMS = ("id", "example", "example_id")
_ANNOTATORS = ("annotator", "author")
_UNITS = ("unit", "sentence")
_SOURCES = ("source", "source_id")
_BATCHES = ("batch",)
_TABLES = (".csv", ".csv.gz")
_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_LONGEST_HEAD = 2**20  # bytes of a first line
_NUMBERS = {  # as tables write binary labels
    "1": "faithful",
    "0": "unfaithful",
    "1.0": "faithful",
    "0.0": "unfaithful",
}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BallotRow:
    """One label by one annotator, or a blank; without a source, the item stands for it."""

    item: str
    unit: str
    kind: Literal["response", "sentence"]
    source: str
    annotator: str
    label: Label | None
    batch: str = ""


def is_ballots(path: str, label: str = "label") -> bool:
    """True if a file, or the first of several, is such a table, by its columns or first line."""
    return bool(_first_names(path)) and not lacking_names(path, label)


def lacking_names(path: str, label: str = "label") -> list[str]:
    """The fields of such a table that a file lacks; none for one that is no table."""
    names = _first_names(path)
    wanted = (_ITEMS, _ANNOTATORS, (label,))
    return [some[0] for some in wanted if names and not any(name in names for name in some)]


def read_ballots(
    path: str, menu: str = BINARY.name, label: str = "label"
) -> Iterator[BallotRow | Problem]:
    """The labels in a table, of one taxonomy; those that are still blank too."""
    labels = taxonomy(menu)
    for where, row in _rows(path, (*_ITEMS, *_ANNOTATORS, *_UNITS, *_SOURCES, *_BATCHES, label)):
        if isinstance(row, Problem):
            yield row
            continue
        said = _cell(row, (label,))
        if not (said or _cell(row, _ITEMS)):
            continue  # an empty line
        try:
            yield _ballot(row, said, labels)
        except UnknownNameError as error:
            yield Problem(where, error.message, "label_taxonomy")
        except InputError as error:
            yield Problem(where, error.message)


def _ballot(row: Row, said: str, labels: Taxonomy) -> BallotRow:
    item, annotator, unit = (_cell(row, names) for names in (_ITEMS, _ANNOTATORS, _UNITS))
    if said and not (item and annotator):
        raise InputError(f"no {'annotator' if item else 'id'} gave this label")
    if labels.name == BINARY.name:
        said = _NUMBERS.get(said, said)
    is_whole = unit in ("", "response")
    return BallotRow(
        item,
        "" if is_whole else unit,
        "response" if is_whole else "sentence",
        _cell(row, _SOURCES) or item,
        annotator,
        labels[said] if said else None,
        _cell(row, _BATCHES),
    )


def _cell(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    values = (row.get(name) for name in names)
    found = next((each for each in values if each not in (None, "")), "")
    return str(int(found) if isinstance(found, bool) else found).strip()


def _rows(path: str, wanted: tuple[str, ...]) -> Iterator[tuple[str, Row | Problem]]:
    for file in _files(path):
        for where, row in _rows_of(file.path, wanted):
            yield where, {**file.fields, **row} if isinstance(row, dict) else row


def _rows_of(path: str, wanted: tuple[str, ...]) -> Iterator[tuple[str, Row | Problem]]:
    if is_columnar(path):
        yield from _columnar_rows(path, wanted)
    elif path.endswith(_TABLES):
        yield from _table_rows(path)
    else:
        yield from ((str(place), row) for place, row in json_line_rows(path))


def _columnar_rows(path: str, wanted: tuple[str, ...]) -> Iterator[tuple[str, Row | Problem]]:
    file = open_columns(path)
    names = [name for name in wanted if name in file.names]
    for name in names:
        if file.names.count(name) > 1:
            raise InputError(f"{path} has two columns '{name}'; rename the other one")
    for number, row in enumerate(file.read(names), start=1):
        where = f"{path} row {number}"
        yield where, Problem(where, too_long(row_limit())) if row is None else row


def _table_rows(path: str) -> Iterator[tuple[str, Row | Problem]]:
    csv.field_size_limit(2**31 - 1)  # the most that the csv module takes on every platform
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        for number, row in enumerate(reader, start=1):
            where = f"{path} row {number}"
            if None in row or None in row.values():
                yield (
                    where,
                    Problem(where, f"it does not have {len(reader.fieldnames or ())} cells"),
                )
            else:
                yield where, {name: unguard(cell) for name, cell in row.items()}
    except csv.Error as error:
        raise InputError(f"{path} is not CSV: {error}") from None


def _files(path: str) -> list[DataFile]:
    """The files of a table in their order; one that is no file, or of another form, has none."""
    if is_file(path):
        return [DataFile(path, {})]
    if not is_in_parts(path) or form_of(path) != "parts":
        return []
    parts = find_parts(path)
    require_same_columns(parts)
    return list(parts.files)


def _first_names(path: str) -> set[str]:
    """The names of the columns or fields; none where the data is something else.

    Parts that are tables have the same columns, or the first that differs raises.
    """
    first: tuple[str, list[str]] | None = None
    found = set[str]()
    for file in _files(path):
        names = _names(file.path)
        if names and first and file.path.endswith(_TABLES):
            refuse_other_names(*first, file.path, names)
        if names and first is None:
            first, found = (file.path, names), {*names, *file.fields}
    is_ours = "schema" in found and first is not None and not first[0].endswith(_TABLES)
    return set() if is_ours else found


def _names(path: str) -> list[str]:
    if is_columnar(path):
        return list(open_columns(path).names)
    if not path.endswith((*_TABLES, *_LINES)):
        return []
    try:
        with open_binary(path) as file:
            head = file.readline(_LONGEST_HEAD).decode("utf-8-sig", errors="replace")
        row = next(csv.reader([head]), []) if path.endswith(_TABLES) else json.loads(head)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError, csv.Error):
        return []  # whoever reads the file says what is wrong
    return list(row) if isinstance(row, list | dict) else []
