"""Items and what was said of them, brought into a project from a file.

Every form that the other commands read can be imported, and a file that a project was exported to.
Rows that cannot be used are told with their place and the others are taken, 500 in a transaction:
an import that was cut off goes on when the same file is imported again, and one that was not adds
nothing. Whatever has several files is in a zip: RAGTruth, and several batches of FaithBench.
"""

import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from assay.annotation.access import NotFoundError, require, require_role
from assay.annotation.exchange.attachments import attach
from assay.annotation.exchange.import_table import import_table
from assay.annotation.exchange.new_items import (
    Imported,
    ImportOptions,
    ImportTarget,
    Refused,
    find_people,
    prepare,
)
from assay.annotation.exchange.project_file import (
    ItemRecord,
    ProjectRecord,
    SnapshotRecord,
    read_items,
    read_project,
)
from assay.annotation.projects import add_project, required_name, slug_of
from assay.annotation.settings import ProjectSettings, read_settings, write_settings
from assay.annotation.studio import Person, Studio
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.core.wire import SCHEMA
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.formats.detection import read_annotated
from assay.datasets.formats.flat import is_table
from assay.evaluation.references import open_judgements
from assay.store.annotation import exchange
from assay.store.annotation.database import Connection
from assay.store.annotation.events import event_details
from assay.store.annotation.exchange import NewItem
from assay.store.annotation.items import count_items, lock_project
from assay.store.annotation.kept import keep_snapshot
from assay.store.annotation.projects import project_by_id, project_by_slug, update_project
from assay.store.annotation.records import StoredProject, StoredSnapshot

MOST_UNPACKED = 2**30  # bytes of the files in a zip
MOST_FILES = 1_000
_CHUNK = 2**16
_PACKED = (".json", ".jsonl")
ROWS_AT_ONCE = 500
_IMPORTED = "imported"
Progress = Callable[[int], None]
Row = tuple[Annotated, ItemRecord | None]
T = TypeVar("T")
Fault = TypeVar("Fault", Problem, Refused)
Line = Row | SnapshotRecord | Problem


def import_file(
    studio: Studio,
    who: Person,
    slug: str,
    path: str,
    options: ImportOptions | None = None,
    progress: Progress = lambda rows: None,
) -> Imported:
    """Adds the examples of a file to a project, in the order of the file.

    What has no texts is about the items that are there: a document of judgements by a detector is
    laid beside them, and a table of annotations adds what people and detectors said of them.
    """
    options = options or ImportOptions()
    called = options.name or Path(path).name
    project = require_importer(studio, who, slug)  # before anything is opened
    target = ImportTarget(
        project.id, read_settings(project.settings), options.purpose, options.again
    )
    if is_document(path):
        given = _called(lambda: open_judgements(path), path, called)
        laid = attach(studio, who, slug, replace(given, reference=called))
        return Imported(slug, judgements=laid.added, known=laid.known, refused=laid.others)
    if is_table(path):
        told = _called(lambda: import_table(studio, slug, target, path), path, called)
        told = replace(told, problems=tuple(_renamed(each, path, called) for each in told.problems))
        _note(studio, who, project.id, called, told)
        return told
    header = _called(lambda: read_project(path), path, called)
    with studio.write() as connection:
        people = _begin(connection, studio.now(), project, header, called)
    target = replace(target, people=people)
    rows = _rows(path, options, is_project=header is not None)
    seen: set[tuple[str, str]] = set()
    result = Imported(slug)
    while batch := _called(lambda: list(islice(rows, ROWS_AT_ONCE)), path, called):
        named = [
            _renamed(each, path, called) if isinstance(each, Problem) else each for each in batch
        ]
        with studio.write() as connection:
            result = _add(connection, target, named, seen, result)
        progress(result.rows)
    if not result.rows:
        raise InputError(f"{called} has no examples", field="file", code="no-examples")
    _note(studio, who, project.id, called, result)
    return result


def require_importer(studio: Studio, who: Person, slug: str) -> StoredProject:
    """The project that somebody may import files into; raises for everybody else."""
    with studio.read() as connection:
        return require(connection, who, "manage-project", slug)


def project_for_file(
    studio: Studio, who: Person, path: str, name: str = "", settings: ProjectSettings | None = None
) -> str:
    """The address of the project for a file; it is made if there is none of that name.

    Without a name it is that of the file, or of the project that was exported to it, whose
    settings it has as well.
    """
    header = read_project(path)
    name = required_name(name or (header.name if header else Path(path).name.partition(".")[0]))
    slug = slug_of(name)
    with studio.write() as connection:
        if project_by_slug(connection, slug) is not None:
            require(connection, who, "manage-project", slug)
            return slug
        require_role(who, "create-project")
        made = header.settings if header else settings or ProjectSettings()
        add_project(studio, connection, who, name, made)
    return slug


def was_imported(studio: Studio, who: Person, slug: str, path: str) -> bool:
    """Tells whether a file of that name was imported to its end."""
    with studio.read() as connection:
        project = require(connection, who, "manage-project", slug)
        details = event_details(connection, project.id, _IMPORTED)
    return Path(path).name in {json.loads(each)["file"] for each in details}


def _begin(
    connection: Connection,
    now: str,
    project: StoredProject,
    header: ProjectRecord | None,
    called: str,
) -> dict[str, int]:
    """Takes over a file's dataset and settings if the project is empty; its people, by name."""
    if count_items(connection, project.id) == 0:
        values = {"dataset": header.dataset if header else called}
        if header:
            values["settings"] = write_settings(header.settings)
        update_project(connection, project.id, **values)
    return find_people(connection, now, project.id, header.people) if header else {}


def _rows(path: str, options: ImportOptions, *, is_project: bool) -> Iterator[Line]:
    if is_project:
        yield from read_items(path)
        return
    for row in read_items_of(path, options.columns, options.language):
        yield row if isinstance(row, Problem) else (row, None)


def _add(
    connection: Connection,
    target: ImportTarget,
    batch: Sequence[Line],
    seen: set[tuple[str, str]],
    result: Imported,
) -> Imported:
    """Adds the new ones of some rows, and counts the others."""
    lock_project(connection, target.project)
    project = project_by_id(connection, target.project)
    if project is None:
        raise NotFoundError("the project was deleted meanwhile")
    target = replace(target, settings=read_settings(project.settings))
    found: list[NewItem] = []
    for row in batch:
        if isinstance(row, Problem):
            result = result.without(row)
            continue
        if isinstance(row, SnapshotRecord):
            fields = (name for name in row.__struct_fields__ if name != "schema")
            told = {name: getattr(row, name) for name in fields}
            keep_snapshot(connection, StoredSnapshot(content=None, **told))
            continue
        try:
            new = prepare(target, *row)
            if new.key in seen:
                raise InputError("an item of that id came before in the file")
        except InputError as error:
            result = result.without(Problem(f"the example '{row[0].id}'", str(error)))
            continue
        seen.add(new.key)
        found.append(new)
    kept = exchange.known_records(connection, project.id, [new.item.example for new in found])
    added = [new for new in found if new.key not in kept]
    for new in found:
        if kept.get(new.key, new.item.record) != new.item.record:
            other = "the project has another item of that id"
            result = result.without(Problem(f"the example '{new.item.example}'", other))
        elif new.key in kept:
            result = replace(result, known=result.known + 1)
    exchange.insert_items(connection, project.id, added)
    said = sum(len(new.judgements) for new in added)
    return replace(result, added=result.added + len(added), judgements=result.judgements + said)


def _called(read: Callable[[], T], path: str, called: str) -> T:
    """The result of reading; errors call the file by the name that its user knows."""
    try:
        return read()
    except InputError as error:
        raise InputError(
            str(error).replace(path, called), code=error.code, field=error.field or "file"
        ) from None


def _renamed(problem: Fault, path: str, called: str) -> Fault:
    """A problem that calls a file by the name that its user knows."""
    where, message = (text.replace(path, called) for text in (problem.where, problem.message))
    return replace(problem, where=where, message=message)


def _note(studio: Studio, who: Person, project: int, called: str, result: Imported) -> None:
    detail = {"file": called, "added": result.added, "refused": result.refused}
    with studio.write() as connection:
        studio.note(connection, who, _IMPORTED, detail, project)


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
                yield _renamed(row, f"{folder}/", "") if isinstance(row, Problem) else row
        except InputError as error:
            if error.code == "folder":
                raise InputError(
                    f"{path} holds neither the two files of RAGTruth nor batches of FaithBench, "
                    "nor other files of examples",
                    code="no-examples",
                ) from None
            raise InputError(error.message.replace(f"{folder}/", ""), code=error.code) from None


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
