"""The lines of a project file but its examples: who worked in a project, and how far it is."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace as replace_fields
from sqlalchemy import Connection, Row, select

from assay import __version__
from assay.app.annotation.exchange.project_file import (
    ITEM_SCHEMA,
    SNAPSHOT_SCHEMA,
    CommentRecord,
    FlagRecord,
    ItemRecord,
    PageRecord,
    PersonRecord,
    ProjectRecord,
    SnapshotRecord,
    StageRecord,
    WorkRecord,
)
from assay.app.annotation.settings import read_settings
from assay.core.examples import Annotated
from assay.datasets.conversion import PROJECT_SCHEMA
from assay.store.studio.queues import CLOSED_STATES, WITHDRAWN
from assay.store.studio.tables import (
    comments,
    fetches,
    flags,
    items,
    members,
    people,
    snapshots,
    work,
)


def project_record(connection: Connection, project: Any) -> ProjectRecord:
    """The first line: what a project is, and who worked in it."""
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


def item_record(
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


def cited_pages(
    connection: Connection, item: Row[Any], annotated: Annotated, names: dict[int, str]
) -> list[PageRecord]:
    """The pages from outside that judgements of an item cite, and who read them when."""
    cited = {
        external.digest
        for judgement in annotated.judgements
        for verdict in judgement.verdicts
        for external in verdict.external
    }
    query = (
        select(fetches)
        .where(fetches.c.item == item.id, fetches.c.digest.in_(cited))
        .order_by(fetches.c.at, fetches.c.digest, fetches.c.person)
    )
    return [
        PageRecord(row.digest, names[row.person], row.address, row.at)
        for row in connection.execute(query)
    ]


def snapshot_records(connection: Connection, digests: set[str]) -> Iterator[SnapshotRecord]:
    """The words of some pages."""
    query = select(snapshots).where(snapshots.c.digest.in_(digests)).order_by(snapshots.c.digest)
    for row in connection.execute(query):
        yield SnapshotRecord(
            SNAPSHOT_SCHEMA, row.digest, row.address, row.text, row.title, row.content_type, row.at
        )


def _work_record(row: Row[Any], person: str) -> WorkRecord:
    """Somebody's work; one that is not finished goes without its draft."""
    state: Any = row.state if row.state in CLOSED_STATES else "assigned"
    return WorkRecord(
        person, row.stage, state, row.seconds, row.started_at or "", row.submitted_at or ""
    )


def _hanging(connection: Connection, table: Any, item: int) -> Sequence[Row[Any]]:
    return connection.execute(select(table).where(table.c.item == item).order_by(table.c.id)).all()
