"""Rows of a Parquet file, in batches that stay within the limits whatever the file holds."""

from collections.abc import Iterator
from typing import Any

from assay.core.errors import InputError, MissingExtraError
from assay.core.lines import document_limit, row_limit, too_long
from assay.core.problems import Problem

_BATCH = 64


def count_parquet(path: str) -> int:
    """How many rows a Parquet file says it has."""
    return int(_open(path).metadata.num_rows)


def parquet_rows(path: str) -> Iterator[tuple[str, dict[str, Any] | Problem]]:
    """The rows of a Parquet file, each with its place."""
    file = _open(path)
    limit, number = row_limit(), 0
    for group in range(file.num_row_groups):
        about = file.metadata.row_group(group)
        if about.num_rows and about.total_byte_size / about.num_rows > limit:
            rows: Iterator[dict[str, Any] | None] = iter([None] * about.num_rows)
        else:
            rows = _group(file, group, about.total_byte_size, limit)
        for row in rows:
            number += 1
            where = f"{path} row {number}"
            yield where, Problem(where, too_long(limit)) if row is None else row


def _group(file: Any, group: int, size: int, limit: int) -> Iterator[dict[str, Any] | None]:
    """The rows of a group; None for one over the limit.

    One value may be written once and stand in every row, so that a batch can have as many times
    the size of the group as it has rows.
    """
    at_once = max(1, min(_BATCH, document_limit() // max(1, size)))
    for batch in file.iter_batches(at_once, row_groups=[group]):
        if batch.nbytes <= limit:
            yield from batch.to_pylist()
            continue
        for place in range(batch.num_rows):
            row = batch.slice(place, 1)
            yield row.to_pylist()[0] if row.nbytes <= limit else None


def _open(path: str) -> Any:
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
