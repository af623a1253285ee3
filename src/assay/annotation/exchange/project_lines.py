"""The lines of a project file but its examples: the people of a project, and how far it is."""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec.structs import replace as replace_fields

from assay import __version__
from assay.annotation.exchange.project_file import (
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
from assay.annotation.settings import read_settings
from assay.core.examples import Annotated
from assay.datasets.conversion import PROJECT_SCHEMA
from assay.store.annotation import exchange
from assay.store.annotation.database import Connection
from assay.store.annotation.records import StoredItem, StoredJudgement, StoredProject, StoredWork


def project_record(connection: Connection, project: StoredProject) -> ProjectRecord:
    """The first line: what a project is, and who worked in it."""
    return ProjectRecord(
        schema=PROJECT_SCHEMA,
        assay=__version__,
        name=project.name,
        settings=read_settings(project.settings),
        dataset=project.dataset,
        people=[
            PersonRecord(
                each.name,
                each.role,
                is_member=each.member is not None,
                passed_at=each.passed_at or "",
                quiz_score=each.quiz_score,
                quiz_near=each.quiz_near,
                quiz_attempts=each.quiz_attempts or 0,
            )
            for each in exchange.project_people(connection, project.id)
        ],
    )


def item_record(
    connection: Connection,
    item: StoredItem,
    annotated: Annotated,
    said: Sequence[StoredJudgement],
    names: dict[int, str],
) -> ItemRecord:
    """The state of an item; one that is still annotated is written as if nobody had it yet."""
    record = ItemRecord(ITEM_SCHEMA, item.example, item.purpose, item.state, item.batch, item.k)
    if item.purpose != "real":
        return record
    if item.state in ("new", "open"):
        return replace_fields(record, state="new", batch=0)
    work = [
        _work_record(each, names[each.person])
        for each in exchange.work_of_item(connection, item.id)
        if each.state != "withdrawn"
    ]
    return replace_fields(
        record,
        stages=[
            StageRecord(each.author, each.round, each.stage)
            for each in said
            if each.stage != "imported"
        ],
        work=work,
        comments=[
            CommentRecord(names[each.person], each.text, each.unit, each.at)
            for each in exchange.comments_of_item(connection, item.id)
        ],
        flags=[
            FlagRecord(
                each.unit,
                each.severity,
                each.reasons,
                each.decision,
                each.label,
                each.note,
                names[each.person] if each.person else "",
                each.at,
            )
            for each in exchange.flags_of_item(connection, item.id)
        ],
        pages=_cited_pages(connection, item, annotated, names) if work else [],
    )


def _cited_pages(
    connection: Connection, item: StoredItem, annotated: Annotated, names: dict[int, str]
) -> list[PageRecord]:
    """The pages from outside that judgements of an item cite, and who read them when."""
    cited = {
        external.digest
        for judgement in annotated.judgements
        for verdict in judgement.verdicts
        for external in verdict.external
    }
    return [
        PageRecord(each.digest, names[each.person], each.address, each.at)
        for each in exchange.pages_of_item(connection, item.id, cited)
    ]


def snapshot_records(connection: Connection, digests: set[str]) -> Iterator[SnapshotRecord]:
    """The words of some pages."""
    for each in exchange.snapshots_of(connection, digests):
        yield SnapshotRecord(
            SNAPSHOT_SCHEMA,
            each.digest,
            each.address,
            each.text,
            each.title,
            each.content_type,
            each.at,
        )


def _work_record(work: StoredWork, person: str) -> WorkRecord:
    """Somebody's work; unfinished work is written without its draft."""
    state: Literal["assigned", "submitted", "held"] = "assigned"
    if work.state == "submitted" or work.state == "held":
        state = work.state
    return WorkRecord(person, work.stage, state, work.seconds, work.started_at, work.submitted_at)
