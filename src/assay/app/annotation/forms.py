"""The forms in which items come into a project and leave it, beside our own lines."""

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.core.wire import SCHEMA
from assay.datasets.fields import Columns
from assay.datasets.formats.faithbench import read_faithbench, write_faithbench
from assay.datasets.formats.flat import write_annotations
from assay.datasets.formats.ragtruth import RESPONSES, SOURCES, read_ragtruth, write_ragtruth
from assay.datasets.opening import open_binary
from assay.datasets.selection import open_examples

Form = Literal["faithbench", "ragtruth", "csv"]
MOST_UNPACKED = 2**30  # bytes of the files in a zip
_CHUNK = 2**16


def read_items_of(
    path: str, columns: Columns, language: str | None = None
) -> Iterator[Annotated | Problem]:
    """The examples in a file of whatever form: RAGTruth's in a zip, a batch of FaithBench, ours."""
    if zipfile.is_zipfile(path):
        with TemporaryDirectory(prefix="assay-import-") as folder:
            yield from read_ragtruth(*_unpacked(path, Path(folder)))
    elif is_batch(path):
        yield from read_faithbench(path)
    else:
        yield from open_examples(path, None, columns, language)


def is_batch(path: str) -> bool:
    """Whether a file is a batch of FaithBench: an object whose first entry is its samples."""
    return _begins(path, '"samples"')


def is_document(path: str) -> bool:
    """Whether a file is a document of judgements, as a run is exported to."""
    return _begins(path, f'"schema": "{SCHEMA.rpartition(":")[0]}:')


def _begins(path: str, entry: str) -> bool:
    """Whether a file is a JSON object that begins with an entry."""
    if not path.endswith(".json"):
        return False
    with open_binary(path) as file:
        begin = file.read(200).decode(errors="replace").lstrip("\ufeff \t\r\n")
    return begin.startswith("{") and begin[1:].lstrip().startswith(entry)


@contextmanager
def written(rows: Iterable[Annotated], form: Form) -> Iterator[Path]:
    """A file with the examples in another form, for as long as it is needed."""
    with TemporaryDirectory(prefix="assay-export-") as name:
        folder = Path(name)
        path = folder / "export"
        if form == "faithbench":
            write_faithbench(rows, path)
        elif form == "csv":
            write_annotations(rows, path)
        else:
            write_ragtruth(rows, folder)
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
                for each in (RESPONSES, SOURCES):
                    packed.write(folder / each, each)
        yield path


def _unpacked(path: str, folder: Path) -> tuple[Path, Path]:
    """RAGTruth's two files out of a zip; whatever else is in it stays there."""
    try:
        with zipfile.ZipFile(path) as packed:
            inside = {Path(each.filename).name: each for each in packed.infolist()}
            for name in (RESPONSES, SOURCES):
                if name not in inside:
                    raise InputError(f"{path} has no {name}; a zip holds RAGTruth's two files")
                _unpack(packed, inside[name], folder / name, path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"cannot unpack {path}: {error}") from None
    return folder / RESPONSES, folder / SOURCES


def _unpack(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, path: str) -> None:
    length = 0
    with packed.open(entry) as file, target.open("wb") as out:
        while piece := file.read(_CHUNK):
            length += len(piece)
            if length > MOST_UNPACKED:
                size = f"{MOST_UNPACKED // 2**20:,} MiB"
                raise InputError(f"{entry.filename} in {path} is larger than {size} unpacked")
            out.write(piece)
