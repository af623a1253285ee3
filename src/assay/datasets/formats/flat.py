"""Annotations as a flat table: a row of CSV for each unit that an author says something of.

The columns are for people and spreadsheets. What they do not hold (the answers to the decision
tree, evidence from outside, several places of one unit, ...) is in the last column, `rest`, as the
fields of our own JSON, so that reading the table gives back equal judgements. The texts are not in
it: whoever reads it brings the examples. An author who looked and judged no unit has a row without
a unit. Cells that a spreadsheet would take for a formula are guarded.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.core.codec import encode, verify
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.problems import Problem
from assay.core.records import judgement_record, read_judgement_record
from assay.core.system.files import replacing
from assay.core.system.formulas import unguard, write_table
from assay.core.wire import JudgementRecord
from assay.datasets.corpora.raw_files import read_text
from assay.datasets.encodings import open_binary

Row = dict[str, Any]

_OF_JUDGEMENT = ("author", "author_kind", "author_version", "round", "at")
_OF_UNIT = ("unit", "kind", "text", "start", "end", "parent")
_OF_VERDICT = ("label", "score", "evidence", "note", "reason", "failure")
COLUMNS = ("example", "model", *_OF_JUDGEMENT, *_OF_UNIT, *_OF_VERDICT, "rest")
_LONGEST_HEAD = 2**16  # bytes
_NUMBERS = ("round", "start", "end", "score")


def write_annotations(rows: Iterable[Annotated], path: str | Path) -> int:
    """Writes a table of all that was said about some examples; gives how many rows it has."""
    cells = (
        row
        for annotated in rows
        for judgement in annotated.judgements
        for row in _rows(judgement, annotated.example)
    )
    with replacing(path) as part:
        return write_table(cells, COLUMNS, part)


def _rows(judgement: Judgement, example: Example) -> Iterator[Row]:
    record: Row = msgspec.to_builtins(judgement_record(judgement))
    author, units = record.pop("author"), record.pop("units", [])
    shared = {
        "example": record.pop("example"),
        "model": example.response.model,
        "author": author["name"],
        "author_kind": author.get("kind", "detector"),
        "author_version": author.get("version", ""),
        "round": record.pop("round", 1),
        "at": record.pop("at", ""),
    }
    for unit in units or [{}]:
        row = shared | _cells(unit)
        rest = {"judgement": record, "unit": unit}
        row["rest"] = _json({name: value for name, value in rest.items() if value})
        try:
            "".join(str(cell) for cell in row.values()).encode()
        except UnicodeEncodeError:
            raise InputError(
                f"a judgement of '{example.id}' has half a character, which CSV cannot hold; "
                "write it as JSON lines"
            ) from None
        yield row


def _cells(unit: Row) -> Row:
    """The cells of a unit; what has a cell is taken out of the unit."""
    cells = {name: unit.pop("id" if name == "unit" else name, "") for name in _OF_UNIT}
    verdict = unit.get("verdict", {})
    failure = unit.get("failure", {})
    if isinstance(verdict.get("label"), str):
        cells["label"] = verdict.pop("label")
    for name in ("score", "note"):
        cells[name] = verdict.pop(name, "")
    cells["evidence"] = _json(verdict.pop("evidence", []))
    cells["reason"] = verdict.get("attributes", {}).pop("explanation", "")
    cells["failure"] = failure.pop("reason", "")
    return cells


def _json(value: object) -> str:
    return encode(value).decode() if value else ""


def is_table(path: str | Path) -> bool:
    """True if a file is a table of annotations, by its first line."""
    if not str(path).endswith(".csv"):
        return False
    with open_binary(str(path)) as file:
        line = file.readline(_LONGEST_HEAD).decode("utf-8-sig", errors="replace")
    return set(COLUMNS) <= set(next(csv.reader([line]), []))


def read_annotations(
    path: str | Path, examples: Mapping[str, Example]
) -> Iterator[Judgement | Problem]:
    """The judgements in a table about some examples, by their ids; a bad one is a problem."""
    for where, read in _judgements(path):
        if isinstance(read, Problem):
            yield read
        elif read.example not in examples:
            yield Problem(where, f"there is no example '{read.example}'")
        else:
            try:
                yield verify(read, examples[read.example])
            except InputError as error:
                yield Problem(where, error.message)


def read_labels(path: str | Path) -> Iterator[Judgement | Problem]:
    """The judgements in a table whose texts are not at hand; nothing is compared with a text."""
    return (read for _, read in _judgements(path))


def _judgements(path: str | Path) -> Iterator[tuple[str, Judgement | Problem]]:
    """The judgements with the places where they begin."""
    groups: dict[tuple[str, ...], list[tuple[int, Row]]] = {}
    keys = ("example", *_OF_JUDGEMENT[:4])
    for number, row in _table(path):
        groups.setdefault(tuple(row[name] for name in keys), []).append((number, row))
    for rows in groups.values():
        where = f"{path} row {rows[0][0]}"
        try:
            yield where, _judgement(rows)
        except InputError as error:
            yield where, Problem(where, error.message)


def _table(path: str | Path) -> Iterator[tuple[int, Row]]:
    """The rows by column, numbered from 1; a table of another shape raises."""
    csv.field_size_limit(2**31 - 1)  # the most that the csv module takes on every platform
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"{path} is no table of annotations: no column '{missing[0]}'")
        for number, row in enumerate(reader, start=1):
            if None in row or None in row.values():
                raise InputError(f"{path} row {number} does not have {len(row)} cells")
            yield number, {name: unguard(row[name]) for name in COLUMNS}
    except csv.Error as error:
        raise InputError(f"{path} is not CSV: {error}") from None


def _judgement(rows: list[tuple[int, Row]]) -> Judgement:
    first = rows[0][1]
    units: list[Row] = []
    record: Row = {}
    for number, row in rows:
        try:
            rest = _loads(row["rest"], {})
            record |= rest.get("judgement", {})
            if row["unit"]:
                units.append(_unit(row, rest.get("unit", {})))
        except (InputError, AttributeError, TypeError) as error:
            raise InputError(f"row {number} cannot be read: {error}") from None
    whole = {
        **record,
        "example": first["example"],
        "author": {
            "name": first["author"],
            "kind": first["author_kind"],
            "version": first["author_version"],
        },
        "round": _number("round", first["round"]),
        "at": first["at"],
        "units": units,
    }
    try:
        found = msgspec.convert(whole, JudgementRecord)
    except msgspec.ValidationError as error:
        raise InputError(str(error).replace("`", "'")) from None
    return read_judgement_record(found, "the row")


def _unit(row: Row, rest: Row) -> Row:
    unit = {**rest, "id": row["unit"], "kind": row["kind"], "text": row["text"]}
    given = {"parent": row["parent"], "start": row["start"], "end": row["end"]}
    unit |= {name: _number(name, cell) for name, cell in given.items() if cell != ""}
    said = {name: _number(name, row[name]) for name in ("label", "score", "note") if row[name]}
    if row["evidence"]:
        said["evidence"] = _loads(row["evidence"], [])
    verdict = {**rest.get("verdict", {}), **said}
    if row["reason"]:
        attributes = verdict.get("attributes") or {}
        verdict["attributes"] = {**attributes, "explanation": row["reason"]}
    if row["failure"]:
        unit["failure"] = {**rest.get("failure", {}), "reason": row["failure"]}
    if verdict:
        unit["verdict"] = verdict
    return unit


def _number(name: str, cell: str) -> str | int | float:
    """A cell as a number where its column has numbers."""
    if name not in _NUMBERS:
        return cell
    try:
        return float(cell) if name == "score" else int(cell)
    except ValueError:
        raise InputError(f"'{cell[:60]}' is no number for '{name}'") from None


def _loads(cell: str, empty: Any) -> Any:
    try:
        value = json.loads(cell) if cell else empty
    except (ValueError, RecursionError) as error:
        raise InputError(f"'{cell[:60]}' is not JSON: {error}") from None
    if not isinstance(value, type(empty)):
        raise InputError(f"'{cell[:60]}' is not what belongs there")
    return value
