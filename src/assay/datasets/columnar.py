"""Parquet and Arrow files: their columns, and their rows in batches, of the wanted columns only."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingExtraError
from assay.core.system.lines import document_limit, row_limit
from assay.core.system.object_stores import is_remote, open_object

PARQUET = (".parquet",)
ARROW = (".arrow", ".feather")  # files of Arrow's IPC format, with a footer or as a stream
COLUMNAR = (*PARQUET, *ARROW)
_MOST = 1024  # rows of a batch
_TEXTS = ("string", "large_string", "string_view")
_ANYTHING = "null"  # the type of a column without any value
ColumnRow = dict[str, Any]
Batches = Iterator[tuple[int, Any]]  # rows, and the batch; None for rows over the limit


@dataclass(frozen=True, slots=True)
class ColumnFile:
    """A file of columns: their names and types, and how many rows there are.

    `rows` is None where only reading tells. `notes` are what the file has beside its rows.
    """

    path: str
    types: dict[str, str]
    names: tuple[str, ...]  # as they stand there; one may stand there twice
    rows: int | None
    _batches: Callable[[Sequence[str] | None], Batches]
    notes: Mapping[bytes, bytes]

    def read(self, columns: Sequence[str] | None = None) -> Iterator[ColumnRow | None]:
        """The rows, with some of their columns or all; None for one over the limit of a row."""
        limit = row_limit()
        for count, batch in self._batches(columns):
            if batch is None:
                yield from (None for _ in range(count))
            elif batch.nbytes <= limit:
                yield from batch.to_pylist()
            else:
                for place in range(count):
                    row = batch.slice(place, 1)
                    yield row.to_pylist()[0] if row.nbytes <= limit else None


def is_columnar(path: str) -> bool:
    """True if the name is that of a file of columns."""
    return path.lower().endswith(COLUMNAR)


def open_columns(path: str) -> ColumnFile:
    """A file of columns by its name; one that is none raises."""
    kind = "Parquet" if path.lower().endswith(PARQUET) else "Arrow"
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(f"reading {kind}", "parquet") from None
    try:
        return _open_parquet(path) if kind == "Parquet" else _open_arrow(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{path} is not {kind}: {error}") from None


def refuse_other_columns(first: ColumnFile, other: ColumnFile) -> None:
    """Raises where two files of one data set do not have the same columns."""
    refuse_other_names(first.path, first.types, other.path, other.types)
    for name, kind in first.types.items():
        if kind != other.types[name] and _ANYTHING not in (kind, other.types[name]):
            raise _other_columns(
                f"'{name}' is {kind} in {first.path} and {other.types[name]} in {other.path}"
            )


def refuse_other_names(path: str, names: Iterable[str], other: str, others: Iterable[str]) -> None:
    """Raises where a column of one file is not in another one of the same data set."""
    given, there = list(names), list(others)
    for has, mine, lacks, theirs in ((path, given, other, there), (other, there, path, given)):
        for name in mine:
            if name not in theirs:
                raise _other_columns(f"{has} has '{name}' and {lacks} does not")


def _other_columns(how: str) -> InputError:
    return InputError(
        f"the parts of one data set have the same columns, but {how}",
        code="other-columns",
        field="dataset",
    )


def _open_parquet(path: str) -> ColumnFile:
    from pyarrow import parquet

    given = open_object(path, by_ranges=True) if is_remote(path) else path
    file = parquet.ParquetFile(given)
    schema, rows = file.schema_arrow, int(file.metadata.num_rows)
    return _column_file(path, schema, rows, partial(_groups, file))


def _groups(file: Any, columns: Sequence[str] | None) -> Batches:
    limit = row_limit()
    for group in range(file.num_row_groups):
        about = file.metadata.row_group(group)
        if not about.num_rows:
            continue
        average = about.total_byte_size // about.num_rows
        if average > limit:
            yield about.num_rows, None
            continue
        at_once = document_limit() // max(1, average, _repeatable(about))
        for batch in file.iter_batches(
            max(1, min(_MOST, at_once)), row_groups=[group], columns=columns
        ):
            yield batch.num_rows, batch


def _repeatable(group: Any) -> int:
    """The most bytes of a row that may be written once and stand in every row of the group."""
    columns = [group.column(place) for place in range(group.num_columns)]
    return sum(
        each.total_uncompressed_size
        for each in columns
        if any("DICTIONARY" in encoding for encoding in each.encodings)
    )


def _open_arrow(path: str) -> ColumnFile:
    import pyarrow
    from pyarrow import ipc

    def opened() -> Any:
        if is_remote(path):
            return open_object(path, by_ranges=True)
        if not Path(path).stat().st_size:
            raise InputError(f"{path} is not Arrow: it is empty")
        return pyarrow.memory_map(path)

    with opened() as source:
        is_file = source.read(6) == b"ARROW1"
    if not is_file:
        stream = ipc.open_stream(opened())
        found = stream.schema
        return _column_file(path, found, None, partial(_streamed, opened))
    file = ipc.open_file(opened())
    found = file.schema
    return _column_file(path, found, None, partial(_filed, opened))


def _column_file(
    path: str, schema: Any, rows: int | None, read: Callable[[Sequence[str] | None], Batches]
) -> ColumnFile:
    notes = schema.metadata or {}
    return ColumnFile(path, _types(schema), tuple(schema.names), rows, read, notes)


def _streamed(opened: Callable[[], Any], columns: Sequence[str] | None) -> Batches:
    from pyarrow import ipc

    with ipc.open_stream(opened()) as stream:
        for batch in stream:
            yield from _sliced(batch if columns is None else batch.select(list(columns)))


def _filed(opened: Callable[[], Any], columns: Sequence[str] | None) -> Batches:
    from pyarrow import ipc

    source = opened()
    names = ipc.open_file(source).schema.names
    fields = None if columns is None else [names.index(each) for each in columns]
    with ipc.open_file(source, options=ipc.IpcReadOptions(included_fields=fields)) as file:
        for place in range(file.num_record_batches):
            yield from _sliced(file.get_batch(place))


def _sliced(batch: Any) -> Batches:
    """A batch in pieces that are small enough to be rows of Python."""
    average = batch.nbytes // max(1, batch.num_rows)
    at_once = max(1, min(_MOST, document_limit() // max(1, average)))
    for start in range(0, batch.num_rows, at_once):
        piece = batch.slice(start, at_once)
        yield piece.num_rows, piece


def _types(schema: Any) -> dict[str, str]:
    """The type of each column; how a text is kept is no matter."""
    found = {}
    for field in schema:
        kind = field.type
        kind = getattr(kind, "value_type", kind) if str(kind).startswith("dictionary") else kind
        found[field.name] = "text" if str(kind) in _TEXTS else str(kind)
    return found
