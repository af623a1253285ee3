"""Writing data sets in parts: each file appears when it is whole, and the manifest last."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.system.files import require_writable, writing
from assay.core.system.object_stores import is_remote
from assay.core.wire import DocumentRecord
from assay.datasets.columnar import PARQUET
from assay.datasets.example_columns import Labelling
from assay.datasets.example_files import (
    EXAMPLE_FILES,
    either,
    require_example_file,
    write_example_file,
    write_example_stream,
)
from assay.datasets.parts import (
    PARTS_SCHEMA,
    PartRecord,
    PartsRecord,
    require_new_folder,
    write_manifest,
)

ROWS_PER_PART = 100_000
_USUAL = PARQUET[0]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PartsTarget:
    """A folder that parts are written to, `DIR/`, and the ending of their names."""

    folder: str
    ending: str


def is_parts_target(target: str) -> bool:
    """True if a name is of a folder or a pattern to write to, and not of one file."""
    return target.endswith("/") or "*" in target


def rows_of_parts(target: str, rows: int | None) -> int:
    """The rows of each part, as wished or as usual; a wish for a target without parts raises."""
    if rows is not None and not is_parts_target(target):
        raise InputError(
            f"{target} is one file and has no parts; write to DIR/", field="rows_per_part"
        )
    return ROWS_PER_PART if rows is None else rows


def parts_target(target: str) -> PartsTarget:
    """The folder behind `DIR/`, whose parts are Parquet, or behind `DIR/*.jsonl.gz`."""
    folder, _, pattern = target.rpartition("/")
    ending = pattern.removeprefix("*") if pattern else _USUAL
    if "*" in folder or (pattern and not pattern.startswith("*")) or ending not in EXAMPLE_FILES:
        raise InputError(
            f"cannot tell what the parts of {target} should be: write DIR/ for Parquet, or DIR/* "
            f"with {either(EXAMPLE_FILES)}",
            field="to",
        )
    return PartsTarget(f"{folder}/", ending)


def write_example_set(
    examples: Iterable[Annotated], target: str, labelling: Labelling, *, rows: int = ROWS_PER_PART
) -> int:
    """Writes examples to a file, or to a folder in parts; gives how many there were."""
    if is_parts_target(target):
        return write_parts(
            examples, target, lambda some, path: write_example_file(some, path, labelling), rows
        )
    return write_example_file(examples, target, labelling)


def write_example_sets(
    sets: Mapping[str, Callable[[], Iterable[Annotated]]], labelling: Labelling
) -> None:
    """Writes several sets by their targets: no file appears before all of them are written.

    Folders are written last, since what is in them is seen as it comes.
    """
    with ExitStack() as stack:
        for target in sorted(sets, key=is_parts_target):
            if is_parts_target(target):
                write_example_set(sets[target](), target, labelling)
            else:
                stream = stack.enter_context(writing(target))
                write_example_stream(sets[target](), stream, target, labelling)


def require_example_target(target: str, field: str) -> None:
    """Raises for a name that does not say how examples are to be written, or where."""
    if is_parts_target(target):
        folder = parts_target(target).folder
        require_new_folder(folder)
        if is_remote(folder):  # one here is made when it is written to
            require_writable(folder)
    else:
        require_example_file(target, field)


def write_parts(
    items: Iterable[T],
    target: str,
    write: Callable[[Iterable[T], str], int],
    rows: int = ROWS_PER_PART,
    *,
    document: Callable[[], DocumentRecord] | None = None,
) -> int:
    """Writes items to a new folder, so many to a part; gives how many there were.

    `write` writes one file, to its end. The `document` of a set of judgements is asked for when
    all are written. A folder that is not written to its end says so to whoever reads it.
    """
    if rows < 1:
        raise InputError(f"a part has 1 row or more, not {rows}", field="rows_per_part")
    place = parts_target(target)
    require_new_folder(place.folder)
    _make(place.folder)
    write_manifest(place.folder, PartsRecord(PARTS_SCHEMA, "writing"))
    parts: list[PartRecord] = []
    remaining = iter(items)
    for first in remaining:
        name = f"part-{len(parts):05}{place.ending}"
        some = chain([first], islice(remaining, rows - 1))
        parts.append(PartRecord(name, write(some, place.folder + name)))
    head = document() if document else None
    write_manifest(place.folder, PartsRecord(PARTS_SCHEMA, "complete", parts, head))
    return sum(each.rows for each in parts)


def _make(folder: str) -> None:
    if is_remote(folder):
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror}", field="to") from None
