"""Labels of annotators as the simplest of tables: a row for each label.

A row has the item (`id` or `example`), the annotator (`annotator` or `author`) and the label; the
sentence that it is about (`unit` or `sentence`) where not the whole response was judged; and the
source (`source` or `source_id`) and the `batch` if they are known. A plan of batches with a column
of labels filled in is such a table. A row without a label is work that is not done yet.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label, Taxonomy
from assay.core.problems import Problem
from assay.core.system.formulas import unguard
from assay.core.taxonomies import BINARY, taxonomy
from assay.datasets.corpora.raw_files import read_text
from assay.datasets.files import json_line_rows

_ITEMS = ("id", "example", "example_id")
_ANNOTATORS = ("annotator", "author")
_UNITS = ("unit", "sentence")
_SOURCES = ("source", "source_id")
_LONGEST_HEAD = 2**20  # bytes of a first line
_NUMBERS = {"1": "faithful", "0": "unfaithful"}  # as tables write binary labels

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


def is_ballots(path: str | Path, label: str = "label") -> bool:
    """True if a file is such a table, by the names in its first line."""
    return bool(_first_names(Path(path))) and not lacking_names(path, label)


def lacking_names(path: str | Path, label: str = "label") -> list[str]:
    """The fields of such a table that a file lacks; none for one that is no table."""
    names = _first_names(Path(path))
    wanted = (_ITEMS, _ANNOTATORS, (label,))
    return [some[0] for some in wanted if names and not any(name in names for name in some)]


def read_ballots(
    path: str, menu: str = BINARY.name, label: str = "label"
) -> Iterator[BallotRow | Problem]:
    """The labels in a table, of one taxonomy; those that are still blank too."""
    labels = taxonomy(menu)
    for where, row in _rows(path):
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
        _cell(row, ("batch",)),
    )


def _cell(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    values = (row.get(name) for name in names)
    found = next((each for each in values if each not in (None, "")), "")
    return str(int(found) if isinstance(found, bool) else found).strip()


def _rows(path: str) -> Iterator[tuple[str, Row | Problem]]:
    if not path.endswith(".csv"):
        yield from ((str(place), row) for place, row in json_line_rows(path))
        return
    csv.field_size_limit(2**31 - 1)  # the most that the csv module takes on every platform
    reader = csv.DictReader(io.StringIO(read_text(Path(path)), newline=""), strict=True)
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


def _first_names(path: Path) -> set[str]:
    """The names of the columns or fields; none where the file is something else."""
    if not path.is_file() or path.suffix not in (".csv", ".jsonl"):
        return set()
    with path.open("rb") as file:
        head = file.readline(_LONGEST_HEAD).decode("utf-8-sig", errors="replace")
    if path.suffix == ".csv":
        return set(next(csv.reader([head]), []))
    try:
        row = json.loads(head)
    except (ValueError, RecursionError):
        return set()
    return set(row) if isinstance(row, dict) and "schema" not in row else set()
