"""Tables that a corpus is saved in: CSV, JSON lines or Parquet, whichever is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.datasets.corpora.building import FAITHFUL, UNFAITHFUL, some
from assay.datasets.corpora.reading import need, read_csv, read_json_lines
from assay.datasets.files import Problem, parquet_rows

SUFFIXES = (".csv", ".jsonl", ".parquet")

# A label of 1 or 0 as tables write it.
ONE_IS_FAITHFUL = {1: FAITHFUL, 0: UNFAITHFUL, "1": FAITHFUL, "0": UNFAITHFUL}


def find_tables(folder: Path, suffixes: tuple[str, ...] = SUFFIXES) -> list[Path]:
    """The tables in a folder and below it, by name; none at all raises."""
    packed = tuple(f"{suffix}.gz" for suffix in suffixes if suffix != ".parquet")
    found = sorted(path for path in folder.rglob("*") if path.name.endswith((*suffixes, *packed)))
    if not found:
        raise InputError(f"{folder} has no table: a file that ends in {', '.join(suffixes)}")
    return found


def read_table(path: Path, fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of a table, each with these fields."""
    for row in some(_rows(path), path):
        yield need(row, fields, path)


def _rows(path: Path) -> Iterator[Any]:
    name = path.name.removesuffix(".gz")
    if name.endswith(".csv"):
        yield from read_csv(path)
    elif name.endswith(".jsonl"):
        yield from read_json_lines(path)
    else:
        for _, row in parquet_rows(str(path)):
            if isinstance(row, Problem):
                raise InputError(str(row))
            yield row
