"""Examples in columns, for Parquet and Arrow: the fields of our lines, a column each.

Texts stand as they are. What is a list in the line (passages, units, judgements) is JSON, so that
the schema is the same for every file, and a reader who wants only texts leaves the others alone.
The label of the whole response and its origin stand beside them for other tools; nothing reads
them back.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, TypeVar

from assay.core.codec import Reader, encode, example_record, read_example_record
from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.core.system.lines import row_limit, too_long
from assay.core.wire import (
    EXAMPLE_SCHEMA,
    ExampleRecord,
    JudgementRecord,
    PassageRecord,
    UnitRecord,
)
from assay.datasets.columnar import PARQUET, ColumnFile, ColumnRow

T = TypeVar("T")

# The label of a whole response, and where it comes from.
Labelling = Callable[[Annotated], tuple[str, str]]

FLAT = ("id", "source", "response", "question", "model", "label", "label_from", "split", "task")
_LABELS = ("label", "label_from")
_TEXTS = ("schema", "source_id", "source_json", "language", "original")
_JSON: dict[str, Reader[Any]] = {
    "source_passages": Reader(list[PassageRecord]),
    "units": Reader(list[UnitRecord]),
    "judgements": Reader(list[JudgementRecord]),
}
SAID = "judgements"  # the column that only those need who read what was said
COLUMNS = (*FLAT, *_TEXTS, *_JSON)
_READ = tuple(name for name in COLUMNS if name not in _LABELS)
_REQUIRED = ("schema", "id", "source", "response")
_AT_ONCE = 1_000  # rows that are written together: a group of rows in Parquet
_REPEATED = ("schema", "model", "label", "label_from", "split", "task", "language")


def holds_examples(file: ColumnFile) -> bool:
    """True if the columns of a file are those of examples."""
    return all(file.types.get(name) == "text" for name in _REQUIRED) and _form(file) != ""


def _form(file: ColumnFile) -> str:
    """The form that the first row names, if it is one of ours in whatever version."""
    row = next(file.read(["schema"]), None) if file.rows != 0 else {"schema": EXAMPLE_SCHEMA}
    form = row["schema"] if row else None
    is_ours = isinstance(form, str) and form.startswith(EXAMPLE_SCHEMA.rpartition(":")[0])
    return str(form) if is_ours else ""


def read_example_columns(
    file: ColumnFile, *, with_judgements: bool = True
) -> Iterator[Annotated | Problem]:
    """The examples of a file; a damaged one is a problem with its place.

    Other columns than ours are not read, and what was said only where it is wanted.
    """
    form = _form(file)
    if form != EXAMPLE_SCHEMA:
        raise InputError(
            f"{file.path} has the form '{form}', and this version reads '{EXAMPLE_SCHEMA}': "
            "convert it again from its corpus"
        )
    wanted = [name for name in _READ if name in file.types and (with_judgements or name != SAID)]
    for name in wanted:
        if file.types[name] not in ("text", "null"):
            raise InputError(f"the column '{name}' of {file.path} is not text")
    for number, row in enumerate(file.read(wanted), start=1):
        try:
            if row is None:
                raise InputError(too_long(row_limit()))
            yield read_example_record(_record(row), "the record")
        except InputError as error:
            yield Problem(f"{file.path} record {number}", str(error))


def _record(row: ColumnRow) -> ExampleRecord:
    given = {name: value for name, value in row.items() if value is not None}
    for name, reader in _JSON.items():
        if name in given:
            given[name] = reader.read(given[name], f"the field '{name}'")
    missing = [name for name in _REQUIRED if name not in given]
    if missing:
        raise InputError(f"the record is damaged: it has no {missing[0]}", code="damaged")
    return ExampleRecord(**given)


def write_example_columns(
    examples: Iterable[Annotated], labelling: Labelling, stream: BinaryIO, name: str
) -> int:
    """Writes examples as Parquet or Arrow, as the name says; gives how many there were."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(f"writing {name}", "parquet") from None
    schema = pyarrow.schema([(each, pyarrow.string()) for each in COLUMNS])
    count = 0
    with column_writer(stream, schema, name, _REPEATED) as writer:
        for batch in batches(examples):
            rows = [_row(each, labelling) for each in batch]
            writer.write_batch(pyarrow.RecordBatch.from_pylist(rows, schema))
            count += len(batch)
    return count


def column_writer(stream: BinaryIO, schema: Any, name: str, repeated: Sequence[str]) -> Any:
    """A writer of batches, as Parquet or Arrow; some columns repeat a few values."""
    from pyarrow import ipc, parquet

    if name.lower().endswith(PARQUET):
        few = list(repeated)
        return parquet.ParquetWriter(stream, schema, compression="zstd", use_dictionary=few)
    return ipc.new_file(stream, schema, options=ipc.IpcWriteOptions(compression="zstd"))


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """As many at a time as are written together."""
    remaining = iter(items)
    while batch := list(islice(remaining, _AT_ONCE)):
        yield batch


def _row(annotated: Annotated, labelling: Labelling) -> ColumnRow:
    record = example_record(annotated)
    row: ColumnRow = flat_row(annotated, labelling)
    for name in _TEXTS:
        row[name] = getattr(record, name) or (None if name != "language" else record.language)
    refuse_no_text(row, annotated.id)
    for name in _JSON:
        value: Sequence[object] = getattr(record, name)
        row[name] = encode(value).decode() if value else None
    return row


def flat_row(annotated: Annotated, labelling: Labelling) -> dict[str, str]:
    """The plain fields of an example, and its label."""
    label, label_from = labelling(annotated)
    example = annotated.example
    return {
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


def refuse_no_text(row: ColumnRow, id: str) -> None:
    """Raises for half a character, which only JSON can hold."""
    for name, text in row.items():
        if text and not text.isascii() and text.encode(errors="replace").decode() != text:
            raise InputError(f"the {name} of '{id}' is not text; write it as .jsonl")
