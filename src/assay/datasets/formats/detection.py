"""The form of a file or folder, by its shape, and its examples, whatever the form."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Literal

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.core.system.files import is_file
from assay.core.system.lines import TooLong, limited_lines, row_limit
from assay.core.system.notices import warn
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.columnar import refuse_other_names
from assay.datasets.conversion import is_converted, read_converted
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.files import read_file, read_rows
from assay.datasets.formats.ragtruth import RESPONSES, SOURCES, read_ragtruth
from assay.datasets.parts import (
    DataFile,
    DataFiles,
    find_parts,
    has_parts,
    is_in_parts,
    require_same_columns,
)

Form = Literal["assay", "faithbench", "ragtruth", "plain", "parts"]
OTHERS: tuple[Form, ...] = ("faithbench", "ragtruth")  # forms of others

_PACKED = ("", ".gz")
_HEAD = 2**16  # bytes in which a batch names its samples
_OF_RESPONSE = {"id", "source_id", "labels", "response"}
_OF_SOURCE = {"source_id", "source_info", "task_type"}


def read_annotated(
    path: str, columns: Columns | None = None, language: str | None = None
) -> Iterable[Annotated | Problem]:
    """The examples in a file or folder of any form that we know; a folder of no form raises.

    RAGTruth's two files are read together, whichever is named, or their folder. A folder of
    FaithBench's batches is read batch by batch, and any other one part by part. `columns` and
    `language` are for plain files.
    """
    form = form_of(path)
    if form == "ragtruth":
        return read_ragtruth(*_both(path))
    if form == "faithbench":
        from assay.datasets.formats.faithbench import read_faithbench

        return chain.from_iterable(map(read_faithbench, _batches(Path(path))))
    if form == "parts":
        return read_parts(find_parts(path), columns, language)
    if form == "assay":
        return read_converted(path, with_judgements=(columns or Columns()).judgements)
    _warn_of_bare_judgements(path)
    return read_file(path, columns, language)


def read_parts(
    parts: DataFiles, columns: Columns | None = None, language: str | None = None
) -> Iterator[Annotated | Problem]:
    """The examples of several files as one data set; rows without an id are numbered through."""
    require_same_columns(parts)
    _require_same_headers(parts, columns or Columns())
    numbers = count(1)
    first: tuple[str, bool] | None = None
    for part in parts.files:
        is_ours = _is_ours(part.path)
        if is_ours is None:
            continue
        first = first or (part.path, is_ours)
        if is_ours != first[1]:
            one, other = (first[0], part.path) if first[1] else (part.path, first[0])
            raise InputError(
                f"{one} has examples with all that was said of them, and {other} has plain rows: "
                "these are no parts of one data set",
                code="other-forms",
                field="dataset",
            )
        if is_ours:
            rows = read_converted(part.path, with_judgements=(columns or Columns()).judgements)
        else:
            given = dict(part.fields)
            rows = read_file(part.path, columns, language, numbers=numbers, fields=given)
        yield from (_within(each, part) for each in rows) if part.fields else rows


def _require_same_headers(parts: DataFiles, columns: Columns) -> None:
    """Raises where tables of one data set differ in their columns; one without rows has none."""
    first: tuple[str, list[str]] | None = None
    for part in parts.files:
        if not part.path.removesuffix(".gz").lower().endswith((".csv", ".tsv")):
            return
        row = next((row for _, row in read_rows(part.path, columns) if isinstance(row, dict)), None)
        if row is None:
            continue
        first = first or (part.path, list(row))
        refuse_other_names(*first, part.path, row)


def _is_ours(path: str) -> bool | None:
    """True for a part that we wrote, False for one of plain rows, None for an empty one."""
    if is_converted(path):
        return True
    if path.removesuffix(".gz").lower().endswith((".jsonl", ".ndjson")):
        with open_binary(path) as file:  # one that cannot be read is not empty
            return False if file.read(1) else None
    return False


def _within(row: Annotated | Problem, part: DataFile) -> Annotated | Problem:
    """An example with what its folders say of it, where it does not say so itself."""
    if isinstance(row, Problem):
        return row
    example, given = row.example, part.fields
    response = example.response
    if not response.model:
        response = replace(response, model=given.get("model", ""))
    split, task = (example.split or given.get("split", ""), example.task or given.get("task", ""))
    return replace(row, example=replace(example, response=response, split=split, task=task))


def _warn_of_bare_judgements(path: str) -> None:
    """Says why judgements on the lines of a plain file are not read."""
    if not path.removesuffix(".gz").endswith(".jsonl") or not is_file(path):
        return
    fields = _first_fields(path)
    if "judgements" in fields and "schema" not in fields:
        warn(
            f"{path} has a field 'judgements' that is not read: a line with judgements needs "
            f'"schema": "{EXAMPLE_SCHEMA}" as well'
        )


def form_of(path: str) -> Form:
    """The form of a file or folder; `plain` is that of rows with one example each."""
    if Path(path).is_dir():
        return _form_of_folder(Path(path))
    if is_in_parts(path):
        return "parts"
    if not is_file(path):  # a pipe can be read only once; what is missing is told by the reader
        return "plain"
    name = path.removesuffix(".gz")
    if name.endswith(".json"):
        return "faithbench" if _is_batch(path) else "plain"
    if is_converted(path):
        return "assay"
    if name.endswith(".jsonl"):
        fields = _first_fields(path)
        is_half = fields >= _OF_SOURCE or (fields >= _OF_RESPONSE and "source" not in fields)
        return "ragtruth" if is_half else "plain"
    return "plain"


def _form_of_folder(folder: Path) -> Form:
    if _find(folder, RESPONSES) and _find(folder, SOURCES):
        return "ragtruth"
    if list(_batches(folder)):
        return "faithbench"
    is_half = _find(folder, RESPONSES) or _find(folder, SOURCES)
    if not is_half and has_parts(str(folder)):
        return "parts"
    raise InputError(
        f"{folder} is a folder, not a file or the name of a corpus, and holds neither {RESPONSES} "
        f"with {SOURCES} (RAGTruth) nor batches of FaithBench, nor other files of examples",
        code="folder",
        field="dataset",
    )


def _both(path: str) -> tuple[Path, Path]:
    """RAGTruth's responses and sources, of which one or their folder is named."""
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    is_sources = not place.is_dir() and _first_fields(path) >= _OF_SOURCE
    responses = place if place.is_file() and not is_sources else _find(folder, RESPONSES)
    sources = place if is_sources else _find(folder, SOURCES)
    if responses and sources:
        return responses, sources
    there, missing = ("sources", RESPONSES) if is_sources else ("responses", SOURCES)
    raise InputError(
        f"{path} has the {there} of RAGTruth, and {missing} is not beside it", field="dataset"
    )


def _find(folder: Path, name: str) -> Path | None:
    paths = (folder / f"{name}{ending}" for ending in _PACKED)
    return next((path for path in paths if path.is_file()), None)


def _batches(place: Path) -> Iterator[Path]:
    """The batch itself, or those of a folder, 2 before 10."""
    if place.is_file():
        yield place
        return
    files = [each for each in place.glob("*.json*") if each.name.endswith((".json", ".json.gz"))]
    yield from (each for each in sorted(files, key=_rank) if _is_batch(str(each)))


def _rank(path: Path) -> tuple[int, str]:
    number = "".join(filter(str.isdecimal, path.name))[:9]
    return int(number or 0), path.name


def _is_batch(path: str) -> bool:
    """True if a JSON file is an object that begins with its samples, as far as its head shows."""
    try:
        with open_binary(path) as file:
            head = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (InputError, OSError, EOFError):  # whoever reads the file says what is wrong
        return False
    key, colon, value = head[1:].lstrip().removeprefix(b'"samples"').partition(b":")
    return head[:1] == b"{" and not key.strip() and bool(colon) and value.lstrip()[:1] == b"["


def _first_fields(path: str) -> set[str]:
    """The names of the fields on the first line that is not empty."""
    for line in _lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return set()
        return set(row) if isinstance(row, dict) else set()
    return set()


def _lines(path: str) -> Iterator[bytes]:
    try:
        with open_binary(path) as file:
            for line in limited_lines(file, row_limit()):
                if isinstance(line, TooLong):
                    return
                if line.strip():
                    yield line
    except (InputError, OSError, EOFError):  # whoever reads the file says what is wrong
        return
