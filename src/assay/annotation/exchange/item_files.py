"""Files with items, in every form that the other commands read.

Whatever has several files is in a zip: RAGTruth, and several batches of FaithBench.
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.core.wire import SCHEMA
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.formats.detection import read_annotated

MOST_UNPACKED = 2**30  # bytes of the files in a zip
MOST_FILES = 1_000
_CHUNK = 2**16
_PACKED = (".json", ".jsonl")


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
    """The problem, with the names that the files have in the zip."""
    where, message = (text.replace(f"{folder}/", "") for text in (problem.where, problem.message))
    return Problem(where, message, problem.field)


def is_document(path: str) -> bool:
    """True if a file is a document of judgements, as runs are exported to."""
    if not path.endswith(".json"):
        return False
    with open_binary(path) as file:
        begin = file.read(200).decode(errors="replace").lstrip("\ufeff \t\r\n")
    schema = f'"schema": "{SCHEMA.rpartition(":")[0]}:'
    return begin.startswith("{") and begin[1:].lstrip().startswith(schema)


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
