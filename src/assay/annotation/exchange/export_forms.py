"""The forms that a project can be exported to; each is declared here, and nowhere else.

Those who list them need no writer: these are imported where they write.
"""

import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Literal

from assay.core.examples import Annotated, Example

_CHUNK = 2**16
_ODD = re.compile(r"[^\w-]")
Writer = Callable[[Iterable[Annotated], Path], None]


@dataclass(frozen=True, slots=True)
class ExportForm:
    """A form of a project's file; without a function that writes it, our own lines.

    `about` is what else the command line says of it. `only_judged` leaves out items that nobody
    has judged, since the form reads an item without marks as faithful; `only_settled` leaves of
    each item the judgement that settles it, since the form names no authors.
    """

    title: str
    ending: str
    media_type: str
    about: str = ""
    write: Writer | None = None
    only_judged: bool = False
    only_settled: bool = False


def file_of(id: str, split: str, original: str) -> str:
    """The name, without its ending, of the batch that an example is written to; empty if any."""
    from assay.datasets.formats.faithbench import batch_name

    return batch_name(id, split, original) or _ODD.sub("_", split)[:100]


def _batch_file(example: Example) -> str:
    return file_of(example.id, example.split, example.original) or "others"


def _write_faithbench(rows: Iterable[Annotated], path: Path) -> None:
    from assay.datasets.formats.faithbench import write_faithbench

    write_faithbench(rows, path)


def write_batches(rows: Iterable[Annotated], path: Path) -> None:
    """Writes a zip with a file for each batch of FaithBench."""
    batches: dict[str, list[Annotated]] = {}
    for each in rows:
        batches.setdefault(_batch_file(each.example), []).append(each)
    with TemporaryDirectory(prefix="assay-export-") as name:
        for batch, some in batches.items():
            _write_faithbench(some, Path(name) / f"{batch}.json")
        _pack(Path(name), path)


def _write_ragtruth(rows: Iterable[Annotated], path: Path) -> None:
    from assay.datasets.formats.ragtruth import write_ragtruth

    with TemporaryDirectory(prefix="assay-export-") as name:
        write_ragtruth(rows, Path(name))
        _pack(Path(name), path)


def _write_table(rows: Iterable[Annotated], path: Path) -> None:
    from assay.datasets.formats.flat import write_annotations

    write_annotations(rows, path)


def _pack(folder: Path, target: Path) -> None:
    """Puts all files of a folder into a zip; equal files make an equal zip."""
    with zipfile.ZipFile(target, "w") as packed:
        for each in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(each.name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with each.open("rb") as file, packed.open(entry, "w") as out:
                copyfileobj(file, out, _CHUNK)


ZIP = "application/zip"
Form = Literal["jsonl", "faithbench", "ragtruth", "csv"]
EXPORT_FORMS: dict[Form, ExportForm] = {
    "jsonl": ExportForm("Assay", ".jsonl", "application/x-ndjson", "all of it"),
    "faithbench": ExportForm(
        "FaithBench",
        ".faithbench.json",
        "application/json",
        "a zip for several batches",
        _write_faithbench,
        only_judged=True,
    ),
    "ragtruth": ExportForm(
        "RAGTruth",
        ".ragtruth.zip",
        ZIP,
        write=_write_ragtruth,
        only_judged=True,
        only_settled=True,
    ),
    "csv": ExportForm("CSV", ".csv", "text/csv", write=_write_table),
}
