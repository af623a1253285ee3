"""Examples as files: lines of JSON that hold everything, or flat tables with one label a row.

Reading the lines back gives equal examples. Their plain fields (`source`, `response`, `question`,
`model`, `id`) are those that every command reads.
"""

import csv
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Example
from assay.core.writing import replacing
from assay.datasets.corpora.reading import read_json_lines
from assay.datasets.example_records import FORMAT, example_record, read_record
from assay.datasets.files import Problem

# The label of a whole response, and where it comes from.
Labelling = Callable[[Example], tuple[str, str]]
Row = dict[str, str]

FLAT = ("id", "source", "response", "question", "model", "label", "label_from", "split", "task")
_LINES = (".jsonl", ".jsonl.gz")
_BATCH = 1_000


def convert(examples: Iterable[Example], target: str, labelling: Labelling) -> int:
    """Writes examples to a file whose name says its form; gives how many there were."""
    endings = (*_LINES, ".csv", ".parquet")
    if not target.endswith(endings):
        raise InputError(f"cannot tell what {target} should be: end its name in {_or(endings)}")
    with replacing(target) as part:
        if target.endswith(_LINES):
            return _write_lines(examples, part, packed=target.endswith(".gz"))
        write = _write_csv if target.endswith(".csv") else _write_parquet
        return write((_row(example, labelling) for example in examples), part)


def is_converted(path: str) -> bool:
    """Whether a file is one that `convert` wrote as lines."""
    if not path.endswith(_LINES):
        return False
    try:
        first = next(read_json_lines(Path(path)), None)
    except InputError:  # whoever reads the file says what is wrong with it
        return False
    return isinstance(first, dict) and first.get("format") == FORMAT


def read_converted(path: str) -> Iterator[Example | Problem]:
    """The examples in lines that `convert` wrote; a damaged one is a problem with its place."""
    for number, record in enumerate(read_json_lines(Path(path)), start=1):
        try:
            yield read_record(record)
        except InputError as error:
            yield Problem(f"{path} record {number}", str(error))


def _write_lines(examples: Iterable[Example], path: Path, *, packed: bool) -> int:
    count = 0
    with gzip.open(path, "wb") if packed else path.open("wb") as file:
        for example in examples:
            file.write(_encode(example_record(example)))
            count += 1
    return count


def _encode(record: Any) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half a character, which JSON can only escape
        return json.dumps(record).encode() + b"\n"


def _row(example: Example, labelling: Labelling) -> Row:
    label, label_from = labelling(example)
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
            writer.writerow(row)
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
