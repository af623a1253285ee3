"""Items and what was said of them, brought into a project from a file.

Every form that the other commands read can be imported, and a file that a project was exported to.
Rows that cannot be used are told with their place and the others are taken, 500 in a transaction:
an import that was cut off goes on when the same file is imported again, and one that was not adds
nothing.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, insert, select, update

from assay.app.annotation.access import NotFoundError, require, require_role
from assay.app.annotation.exchange.attaching import attach
from assay.app.annotation.exchange.forms import is_document, read_items_of
from assay.app.annotation.exchange.import_rows import Keeping, NewItem, find_people, prepare
from assay.app.annotation.exchange.import_table import import_table
from assay.app.annotation.exchange.imported import Imported, ImportOptions, Refused
from assay.app.annotation.exchange.project_file import (
    ItemRecord,
    ProjectRecord,
    SnapshotRecord,
    read_items,
    read_project,
)
from assay.app.annotation.exchange.projects import add_project, required_name, slug_of
from assay.app.annotation.settings import ProjectSettings, read_settings, write_settings
from assay.app.annotation.studio import Person, Studio
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets.formats.flat import is_table
from assay.evaluation.references import open_judgements
from assay.store.studio.items import count_items, lock_project
from assay.store.studio.kept import keep_snapshot
from assay.store.studio.queues import note_event
from assay.store.studio.tables import (
    comments,
    events,
    fetches,
    flags,
    items,
    judgements,
    projects,
    snapshots,
    work,
)

ROWS_AT_ONCE = 500
_IMPORTED = "imported"

Progress = Callable[[int], None]
Row = tuple[Annotated, ItemRecord | None]
T = TypeVar("T")
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
    keeping = Keeping(project.id, read_settings(project.settings), options.purpose, options.again)
    if is_document(path):
        given = _called(lambda: open_judgements(path), path, called)
        laid = attach(studio, who, slug, replace(given, reference=called))
        return Imported(slug, judgements=laid.added, known=laid.known, refused=laid.others)
    if is_table(path):
        told = _called(lambda: import_table(studio, slug, keeping, path), path, called)
        told = replace(told, problems=tuple(_named(each, path, called) for each in told.problems))
        _note(studio, who, project.id, called, told)
        return told
    header = _called(lambda: read_project(path), path, called)
    with studio.write() as connection:
        people = _begin(connection, studio.now(), project, header, called)
    keeping = replace(keeping, people=people)
    rows = _rows(path, options, is_project=header is not None)
    seen: set[tuple[str, str]] = set()
    result = Imported(slug)
    while batch := _called(lambda: list(islice(rows, ROWS_AT_ONCE)), path, called):
        named = [_renamed(each, path, called) for each in batch]
        with studio.write() as connection:
            result = _add(connection, keeping, named, seen, result)
        progress(result.rows)
    if not result.rows:
        raise InputError(f"{called} has no examples", field="file", code="no-examples")
    _note(studio, who, project.id, called, result)
    return result


def require_importer(studio: Studio, who: Person, slug: str) -> Any:
    """The row of a project that somebody may import files into; raises for everybody else."""
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
        found = connection.execute(select(projects.c.id).where(projects.c.slug == slug)).first()
        if found is not None:
            require(connection, who, "manage-project", slug)
            return slug
        require_role(who, "create-project")
        made = header.settings if header else settings or ProjectSettings()
        add_project(connection, studio.now(), who, (name, ""), made)
    return slug


def was_imported(studio: Studio, who: Person, slug: str, path: str) -> bool:
    """Whether a file of that name was imported to its end."""
    with studio.read() as connection:
        project: Any = require(connection, who, "manage-project", slug)
        query = select(events.c.detail).where(
            events.c.project == project.id, events.c.kind == _IMPORTED
        )
        details = [json.loads(row.detail) for row in connection.execute(query)]
    return Path(path).name in {each["file"] for each in details}


def _begin(
    connection: Connection, now: str, project: Any, header: ProjectRecord | None, called: str
) -> dict[str, int]:
    """Takes over what a file says of its project if ours is empty; the people in it, by name."""
    if count_items(connection, project.id) == 0:
        values = {"dataset": header.dataset if header else called}
        if header:
            values["settings"] = write_settings(header.settings)
        connection.execute(update(projects).where(projects.c.id == project.id).values(**values))
    return find_people(connection, now, project.id, header.people) if header else {}


def _rows(path: str, options: ImportOptions, *, is_project: bool) -> Iterator[Line]:
    if is_project:
        yield from read_items(path)
        return
    for row in read_items_of(path, options.columns, options.language):
        yield row if isinstance(row, Problem) else (row, None)


def _add(
    connection: Connection,
    keeping: Keeping,
    batch: Sequence[Line],
    seen: set[tuple[str, str]],
    result: Imported,
) -> Imported:
    """Adds those of some rows that are new, and says what became of the others."""
    lock_project(connection, keeping.project)
    query = select(projects.c.settings).where(projects.c.id == keeping.project)
    settings = connection.execute(query).scalar()
    if settings is None:
        raise NotFoundError("the project was deleted meanwhile")
    keeping = replace(keeping, settings=read_settings(settings))
    found: list[NewItem] = []
    for row in batch:
        if isinstance(row, Problem):
            result = result.without(row)
            continue
        if isinstance(row, SnapshotRecord):
            fields = (name for name in row.__struct_fields__ if name != "schema")
            keep_snapshot(connection, **{name: getattr(row, name) for name in fields})
            continue
        try:
            new = prepare(keeping, *row)
            if new.key in seen:
                raise InputError("an item of that id came before in the file")
        except InputError as error:
            result = result.without(Problem(f"the example '{row[0].id}'", str(error)))
            continue
        seen.add(new.key)
        found.append(new)
    kept = _known(connection, keeping.project, found)
    added = [new for new in found if new.key not in kept]
    for new in found:
        if kept.get(new.key, new.values["record"]) != new.values["record"]:
            other = "the project has another item of that id"
            result = result.without(Problem(f"the example '{new.values['example']}'", other))
        elif new.key in kept:
            result = replace(result, known=result.known + 1)
    _insert(connection, keeping.project, added)
    said = sum(len(new.judgements) for new in added)
    return replace(result, added=result.added + len(added), judgements=result.judgements + said)


def _known(
    connection: Connection, project: int, found: Sequence[NewItem]
) -> dict[tuple[str, str], str]:
    """The records of those items that a project has already."""
    ids = [new.values["example"] for new in found]
    query = select(items.c.purpose, items.c.example, items.c.record).where(
        items.c.project == project, items.c.example.in_(ids)
    )
    rows = connection.execute(query)
    return {(purpose, example): record for purpose, example, record in rows}


def _insert(connection: Connection, project: int, added: Sequence[NewItem]) -> None:
    """Writes new items, each at the next position of its purpose, and what hangs on them."""
    last: dict[str, int] = {}
    values = []
    for new in added:
        purpose = new.values["purpose"]
        if purpose not in last:
            last[purpose] = count_items(connection, project, purpose)
        last[purpose] += 1
        values.append({**new.values, "position": last[purpose]})
    if not values:
        return
    statement = insert(items).returning(items.c.id, sort_by_parameter_order=True)
    numbers = list(connection.execute(statement, values).scalars())
    for table, rows in (
        (judgements, [new.judgements for new in added]),
        (work, [new.work for new in added]),
        (comments, [new.comments for new in added]),
        (flags, [new.flags for new in added]),
        (fetches, _citing(connection, added)),
    ):
        hanging = [
            {**row, "item": number}
            for number, some in zip(numbers, rows, strict=True)
            for row in some
        ]
        if hanging:
            connection.execute(insert(table), hanging)


def _citing(connection: Connection, added: Sequence[NewItem]) -> list[list[dict[str, Any]]]:
    """Who read which pages for some items, as far as their words came with them."""
    named = {each["digest"] for new in added for each in new.fetches}
    query = select(snapshots.c.digest).where(snapshots.c.digest.in_(named))
    there = set(connection.execute(query).scalars()) if named else set()
    return [[each for each in new.fetches if each["digest"] in there] for new in added]


def _called(read: Callable[[], T], path: str, called: str) -> T:
    """What reading gives; an error names the file as its user does."""
    try:
        return read()
    except InputError as error:
        raise InputError(
            str(error).replace(path, called), code=error.code, field=error.field or "file"
        ) from None


def _renamed(row: Line, path: str, called: str) -> Line:
    if not isinstance(row, Problem):
        return row
    message = row.message.replace(path, called)
    return Problem(row.where.replace(path, called), message, row.field)


def _named(refused: Refused, path: str, called: str) -> Refused:
    where, message = (text.replace(path, called) for text in (refused.where, refused.message))
    return replace(refused, where=where, message=message)


def _note(studio: Studio, who: Person, project: int, called: str, result: Imported) -> None:
    detail = {"file": called, "added": result.added, "refused": result.refused}
    with studio.write() as connection:
        note_event(
            connection,
            studio.now(),
            _IMPORTED,
            json.dumps(detail, ensure_ascii=False),
            project=project,
            person=who.account,
        )
