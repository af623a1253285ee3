"""Examples as files: lines of JSON that hold everything, or flat tables with one label a row.

Reading the lines back gives equal examples. Their plain fields (`source`, `response`, `question`,
`model`, `id`) are those that every command reads.
"""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from assay.core.codec import read_example, write_example
from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Annotated
from assay.core.files import replacing
from assay.core.formulas import guard
from assay.core.lines import TooLong, document_limit, limited_lines, row_limit
from assay.core.problems import Problem
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.opening import open_binary
from assay.datasets.project_lines import ITEM_LINE, with_settled

# The label of a whole response, and where it comes from.
Labelling = Callable[[Annotated], tuple[str, str]]
Row = dict[str, str]

FLAT = ("id", "source", "response", "question", "model", "label", "label_from", "split", "task")
_LINES = (".jsonl", ".jsonl.gz")
_OLDER = "assay-example-1"  # the form that version 0.1 wrote
_ANY_VERSION = EXAMPLE_SCHEMA.rpartition(":")[0] + ":"
# An annotation project has lines of its own between its examples, and begins with one.
PROJECT_SCHEMA = "urn:assay:project:1"
_ANY_PROJECT = PROJECT_SCHEMA.rpartition(":")[0] + ":"
PROJECT_LINE = re.compile(rb'\{"schema": ?"urn:assay:project[:-]')
_BATCH = 1_000


def convert(examples: Iterable[Annotated], target: str, labelling: Labelling) -> int:
    """Writes examples to a file whose name says its form; gives how many there were."""
    endings = (*_LINES, ".csv", ".parquet")
    if not target.endswith(endings):
        raise InputError(
            f"cannot tell what {target} should be: end its name in {_or(endings)}", field="to"
        )
    with replacing(target) as part:
        if target.endswith(_LINES):
            return _write_lines(examples, part, packed=target.endswith(".gz"))
        write = _write_csv if target.endswith(".csv") else _write_parquet
        return write((_row(each, labelling) for each in examples), part)


def is_converted(path: str) -> bool:
    """Whether a file is one that `convert` wrote as lines, in whatever version."""
    if not path.endswith(_LINES) or not Path(path).is_file():  # a pipe can be read only once
        return False
    form = _first_form(path)
    return form == _OLDER or form.startswith((_ANY_VERSION, _ANY_PROJECT))


def project_schema(path: str) -> str:
    """The form of a file that holds an annotation project; empty for any other file."""
    if not path.endswith(_LINES) or not Path(path).is_file():
        return ""
    form = _first_form(path)
    return form if form.startswith(_ANY_PROJECT) else ""


def _first_form(path: str) -> str:
    try:
        line = next(read_lines(path), b"")
    except InputError:  # whoever reads the file says what is wrong
        return ""
    return "" if isinstance(line, TooLong) else _form(line)


def read_converted(path: str) -> Iterator[Annotated | Problem]:
    """The examples in lines that `convert` wrote; a damaged one is a problem with its place.

    In a file of a project the line after an example says who annotated it.
    """
    waiting: Annotated | None = None
    for number, line in enumerate(read_lines(path), start=1):
        if waiting is not None:
            if isinstance(line, bytes) and ITEM_LINE.match(line):
                waiting = with_settled(waiting, line)
            yield waiting
            waiting = None
        if isinstance(line, TooLong):
            yield Problem(f"{path} record {number}", str(line))
            continue
        if PROJECT_LINE.match(line):
            continue
        try:
            waiting = read_example(line, "the record")
        except InputError as error:
            if number == 1 and (form := _form(line)) not in ("", EXAMPLE_SCHEMA):
                raise InputError(
                    f"{path} has the form '{form}', and this version reads '{EXAMPLE_SCHEMA}': "
                    "convert it again from its corpus"
                ) from None
            yield Problem(f"{path} record {number}", str(error))
    if waiting is not None:
        yield waiting


def _form(line: bytes) -> str:
    """What a line says that it is; empty for one that is not ours."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    form = value.get("schema") or value.get("format") if isinstance(value, dict) else None
    return form if isinstance(form, str) else ""


def read_lines(path: str) -> Iterator[bytes | TooLong]:
    """The lines of a file; ours may be longer than a user's row, since judgements go with it."""
    try:
        with open_binary(path) as file:
            for line in limited_lines(file, row_limit() + document_limit()):
                if isinstance(line, TooLong) or not line.isspace():
                    yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from None


def _write_lines(examples: Iterable[Annotated], path: Path, *, packed: bool) -> int:
    count = 0
    with gzip.open(path, "wb") if packed else path.open("wb") as file:
        for each in examples:
            file.write(write_example(each) + b"\n")
            count += 1
    return count


def _row(annotated: Annotated, labelling: Labelling) -> Row:
    label, label_from = labelling(annotated)
    example = annotated.example
    row = {
        "id": example.id,
        "source": example.source.text,
        "response": example.response.text,
        "question": example.question,
        "model": example.response.model,
        "label": label,
        "label_from": label_from,
        "split": example.split,
        "task": example.task,
    }
    for name, text in row.items():
        if not text.isascii() and text.encode(errors="replace").decode() != text:
            raise InputError(f"the {name} of '{example.id}' is not text; write it as .jsonl")
    return row


def _write_csv(rows: Iterable[Row], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FLAT)
        writer.writeheader()
        for row in rows:
            writer.writerow({name: guard(cell) for name, cell in row.items()})
            count += 1
    return count


def _write_parquet(rows: Iterable[Row], path: Path) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "parquet") from None
    schema = pyarrow.schema([(name, pyarrow.string()) for name in FLAT])
    count = 0
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
