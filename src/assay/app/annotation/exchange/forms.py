"""The forms in which items come into a project and leave it, beside our own lines.

Whatever has several files is in a zip: RAGTruth, and several batches of FaithBench.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Literal

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.core.wire import SCHEMA
from assay.datasets.fields import Columns
from assay.datasets.formats.detecting import read_annotated
from assay.datasets.formats.faithbench import batch_name, write_faithbench
from assay.datasets.formats.flat import write_annotations
from assay.datasets.formats.ragtruth import write_ragtruth
from assay.datasets.opening import open_binary

Form = Literal["faithbench", "faithbench-zip", "ragtruth", "csv"]
MOST_UNPACKED = 2**30  # bytes of the files in a zip
MOST_FILES = 1_000
_CHUNK = 2**16
_PACKED = (".json", ".jsonl")
_ODD = re.compile(r"[^\w-]")


def read_items_of(
    path: str, columns: Columns, language: str | None = None
) -> Iterator[Annotated | Problem]:
    """The examples in a file of whatever form, or in the files of a zip."""
    if not zipfile.is_zipfile(path):
        if path.lower().endswith(".zip"):
            message = f"{path} is no zip, or a damaged one; pack the files again"
            raise InputError(message, code="no-zip")
        yield from read_annotated(path, columns, language)
        return
    with TemporaryDirectory(prefix="assay-import-") as folder:
        _unpack(path, Path(folder))
        try:
            for row in read_annotated(folder):
                yield _inside(row, folder) if isinstance(row, Problem) else row
        except InputError as error:
            if error.code == "folder":
                raise InputError(
                    f"{path} holds neither the two files of RAGTruth nor batches of FaithBench",
                    code="no-examples",
                ) from None
            raise InputError(error.message.replace(f"{folder}/", ""), code=error.code) from None


def _inside(problem: Problem, folder: str) -> Problem:
    """The same problem, with the names that the files have in the zip."""
    where, message = (text.replace(f"{folder}/", "") for text in (problem.where, problem.message))
    return Problem(where, message, problem.field)


def is_document(path: str) -> bool:
    """Whether a file is a document of judgements, as a run is exported to."""
    if not path.endswith(".json"):
        return False
    with open_binary(path) as file:
        begin = file.read(200).decode(errors="replace").lstrip("\ufeff \t\r\n")
    schema = f'"schema": "{SCHEMA.rpartition(":")[0]}:'
    return begin.startswith("{") and begin[1:].lstrip().startswith(schema)


def file_of(id: str, split: str, original: str) -> str:
    """The name, without its ending, of the batch that an example is written to; empty if any."""
    return batch_name(id, split, original) or _ODD.sub("_", split)[:100]


@contextmanager
def written(rows: Iterable[Annotated], form: Form) -> Iterator[Path]:
    """A file with the examples in another form, for as long as it is needed."""
    with TemporaryDirectory(prefix="assay-export-") as name:
        folder, path = Path(name) / "files", Path(name) / "export"
        folder.mkdir()
        if form == "faithbench":
            write_faithbench(rows, path)
        elif form == "csv":
            write_annotations(rows, path)
        else:
            write = write_ragtruth if form == "ragtruth" else _write_batches
            write(rows, folder)
            _pack(folder, path)
        yield path


def _write_batches(rows: Iterable[Annotated], folder: Path) -> None:
    batches: dict[str, list[Annotated]] = {}
    for each in rows:
        batches.setdefault(_batch_file(each.example), []).append(each)
    for name, some in batches.items():
        write_faithbench(some, folder / f"{name}.json")


def _batch_file(example: Example) -> str:
    return file_of(example.id, example.split, example.original) or "others"


def _pack(folder: Path, target: Path) -> None:
    """All files of a folder in a zip; equal files make an equal zip."""
    with zipfile.ZipFile(target, "w") as packed:
        for each in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(each.name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with each.open("rb") as file, packed.open(entry, "w") as out:
                copyfileobj(file, out, _CHUNK)


def _unpack(path: str, folder: Path) -> None:
    """The JSON files of a zip, without their folders; whatever else is in it stays there."""
    left = MOST_UNPACKED
    try:
        with zipfile.ZipFile(path) as packed:
            for entry in packed.infolist()[:MOST_FILES]:
                name = Path(entry.filename).name
                if entry.is_dir() or name.startswith(".") or not name.endswith(_PACKED):
                    continue
                if (folder / name).exists():
                    raise InputError(f"{path} has two files named {name}")
                with packed.open(entry) as file, (folder / name).open("wb") as out:
                    while piece := file.read(_CHUNK):
                        left -= len(piece)
                        if left < 0:
                            size = f"{MOST_UNPACKED // 2**20:,} MiB"
                            raise InputError(f"{path} is larger than {size} unpacked")
                        out.write(piece)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"cannot unpack {path}: {error}") from None
