"""A project as a file: our own JSON lines, FaithBench's batch, RAGTruth's files, or a table.

Drafts never leave the studio, and what people said of an item only when its annotation is over.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from msgspec.structs import replace as replace_fields
from sqlalchemy import Connection, Row, case, select

from assay import __version__
from assay.app.annotation.access import require
from assay.app.annotation.forms import Form as OtherForm
from assay.app.annotation.forms import written
from assay.app.annotation.project_file import (
    ITEM_SCHEMA,
    CommentRecord,
    FlagRecord,
    ItemRecord,
    PersonRecord,
    ProjectRecord,
    StageRecord,
    WorkRecord,
)
from assay.app.annotation.settings import read_settings
from assay.app.annotation.studio import Person, Studio
from assay.core.codec import encode, read_example, read_judgement, write_example
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement
from assay.datasets.conversion import PROJECT_SCHEMA
from assay.store.studio.queues import CLOSED_STATES, WITHDRAWN, note_event
from assay.store.studio.reading import is_public, judgements_of
from assay.store.studio.settling import origin_of, settled, settling
from assay.store.studio.tables import comments, flags, items, members, people, work

Form = Literal["jsonl", "faithbench", "ragtruth", "csv"]
FORMS: tuple[Form, ...] = get_args(Form)
_AT_ONCE = 200
_CHUNK = 2**16
_ENDINGS: dict[Form, tuple[str, str]] = {
    "jsonl": (".jsonl", "application/x-ndjson"),
    "faithbench": (".faithbench.json", "application/json"),
    "ragtruth": (".ragtruth.zip", "application/zip"),
    "csv": (".csv", "text/csv"),
}
MEDIA_TYPES = tuple(media_type for _, media_type in _ENDINGS.values())


@dataclass(frozen=True, slots=True)
class Export:
    """A file to be sent: its name, its type, and its content piece by piece."""

    name: str
    media_type: str
    content: Callable[[], Iterator[bytes]]


def export_project(studio: Studio, who: Person, slug: str, form: Form = "jsonl") -> Export:
    """The file of a project in a form; whether somebody may have it is decided at once."""
    with studio.write() as connection:
        project: Any = require(connection, who, "export", slug)
        detail = encode({"form": form}).decode()
        now = studio.now()
        note_event(connection, now, "exported", detail, project=project.id, person=who.account)
    ending, media_type = _ENDINGS[form]
    if form == "jsonl":
        return Export(slug + ending, media_type, lambda: _lines(studio, project))
    other: OtherForm = form
    return Export(slug + ending, media_type, lambda: _converted(studio, project, other))


def _lines(studio: Studio, project: Any) -> Iterator[bytes]:
    """Our own lines, in one view of the database however long they take."""
    with studio.read() as connection:
        rows = connection.execute(select(people.c.id, people.c.name))
        names = {row.id: row.name for row in rows}
        yield encode(_header(connection, project)) + b"\n"
        for item, annotated, said in _items(connection, project.id):
            gold = _settled(item, said)
            record = _item_record(connection, item, said, names)
            if gold is not None and GOLD.name not in {each.author for each in said}:
                annotated = annotated.with_judgements(replace(gold, author=GOLD, supersedes=""))
                record = replace_fields(record, is_settled=True)
            yield write_example(annotated) + b"\n"
            yield encode(record) + b"\n"


def annotated_items(studio: Studio, project: int, *, settled: bool = False) -> Iterator[Annotated]:
    """The items of a project with what may be told of them.

    `settled` leaves only the judgement that settles an item, where there is one.
    """
    with studio.read() as connection:
        for item, annotated, said in _items(connection, project):
            gold = _settled(item, said) if settled else None
            if item.purpose == "real":
                yield Annotated(annotated.example, (gold,)) if gold else annotated


def _converted(studio: Studio, project: Any, form: OtherForm) -> Iterator[bytes]:
    """Another form, which is written to a file first: its writer wants to see all of it."""
    rows = annotated_items(studio, project.id, settled=form == "ragtruth")  # it names no authors
    with written(rows, form) as path, path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece


def _items(
    connection: Connection, project: int
) -> Iterator[tuple[Row[Any], Annotated, Sequence[Row[Any]]]]:
    """The items in order, training first, each with what may be told of it."""
    order = case({"training": 0, "quiz": 1}, value=items.c.purpose, else_=2)
    query = select(items).where(items.c.project == project).order_by(order, items.c.position)
    numbers = connection.execute(query.with_only_columns(items.c.id)).scalars().all()
    for begin in range(0, len(numbers), _AT_ONCE):
        some = numbers[begin : begin + _AT_ONCE]
        rows = connection.execute(query.where(items.c.id.in_(some))).all()
        by_item = judgements_of(connection, some)
        for item in rows:
            said = [each for each in by_item.get(item.id, []) if is_public(item, each)]
            origin = f"item {item.position}"
            example = read_example(item.record, origin).example
            told = tuple(read_judgement(each.record, origin) for each in said)
            yield item, Annotated(example, told), said


def _settled(item: Row[Any], said: Sequence[Row[Any]]) -> Judgement | None:
    """The judgement that settles an item."""
    chosen = settling(said) if item.purpose == "real" and item.state == "done" else []
    given = [read_judgement(row.record, f"item {item.position}") for row in chosen]
    return settled(given, origin_of(chosen)) if given else None


def _header(connection: Connection, project: Any) -> ProjectRecord:
    worked = select(work.c.person).where(work.c.project == project.id)
    spoke = select(comments.c.person).join(items).where(items.c.project == project.id)
    audited = select(flags.c.person).where(flags.c.project == project.id)
    query = (
        select(people, members)
        .outerjoin(members, (members.c.person == people.c.id) & (members.c.project == project.id))
        .where(
            people.c.id.in_(worked)
            | people.c.id.in_(spoke)
            | people.c.id.in_(audited)
            | members.c.person.is_not(None)
        )
        .order_by(people.c.folded)
    )
    return ProjectRecord(
        schema=PROJECT_SCHEMA,
        assay=__version__,
        name=project.name,
        settings=read_settings(project.settings),
        dataset=project.dataset,
        people=[_person_record(row) for row in connection.execute(query)],
    )


def _person_record(row: Row[Any]) -> PersonRecord:
    return PersonRecord(
        row.name,
        row.role,
        is_member=row.person is not None,
        passed_at=row.passed_at or "",
        quiz_score=row.quiz_score,
        quiz_near=row.quiz_near,
        quiz_attempts=row.quiz_attempts or 0,
    )


def _item_record(
    connection: Connection, item: Row[Any], said: Sequence[Row[Any]], names: dict[int, str]
) -> ItemRecord:
    """How far an item is; one that is still annotated goes as if nobody had it yet."""
    record = ItemRecord(ITEM_SCHEMA, item.example, item.purpose, item.state, item.batch, item.k)
    if item.purpose != "real":
        return record
    if item.state in ("new", "open"):
        return replace_fields(record, state="new", batch=0)
    return replace_fields(
        record,
        stages=[
            StageRecord(each.author, each.round, each.stage)
            for each in said
            if each.stage != "imported"
        ],
        work=[
            _work_record(each, names[each.person])
            for each in _hanging(connection, work, item.id)
            if each.state != WITHDRAWN
        ],
        comments=[
            CommentRecord(names[each.person], each.text, each.unit, each.at)
            for each in _hanging(connection, comments, item.id)
        ],
        flags=[
            FlagRecord(
                each.unit,
                each.severity,
                each.reasons,
                each.decision,
                each.label,
                each.note,
                names.get(each.person, ""),
                each.at,
            )
            for each in _hanging(connection, flags, item.id)
        ],
    )


def _work_record(row: Row[Any], person: str) -> WorkRecord:
    """Somebody's work; one that is not finished goes without its draft."""
    state: Any = row.state if row.state in CLOSED_STATES else "assigned"
    return WorkRecord(
        person, row.stage, state, row.seconds, row.started_at or "", row.submitted_at or ""
    )


def _hanging(connection: Connection, table: Any, item: int) -> Sequence[Row[Any]]:
    return connection.execute(select(table).where(table.c.item == item).order_by(table.c.id)).all()
