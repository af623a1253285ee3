"""The numbers behind the board of a project: states, times, and who judged what."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from assay.store.annotation.records import (
    BLIND_STATES,
    CLOSED_STATES,
    ItemState,
    Role,
    all_of,
    by_item,
    counted,
    pairs,
)
from assay.store.annotation.tables import items, judgements, people, work


@dataclass(frozen=True, slots=True)
class SpentTime:
    """The active seconds of a finished work."""

    person: int
    stage: str
    seconds: int


@dataclass(frozen=True, slots=True)
class StageCount:
    """The number of works that somebody has in a stage and a state."""

    person: int
    name: str
    role: Role
    stage: str
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An item that is no longer annotated blind, without its texts."""

    id: int
    position: int
    example: str
    source: str
    model: str
    state: ItemState
    batch: int


@dataclass(frozen=True, slots=True)
class SpokenJudgement:
    """A judgement by a person, without what it says."""

    id: int
    item: int
    author: str
    stage: str
    round: int
    is_current: bool


def item_counts(connection: Connection, project: int) -> dict[int, Counter[str]]:
    """The number of items in each state, by batch."""
    query = (
        select(items.c.batch, items.c.state, func.count())
        .where(items.c.project == project, items.c.purpose == "real")
        .group_by(items.c.batch, items.c.state)
    )
    return counted(connection, query)


def annotation_counts(connection: Connection, project: int) -> dict[int, Counter[str]]:
    """The number of annotations in each state, by batch."""
    query = (
        select(items.c.batch, work.c.state, func.count())
        .join(work, work.c.item == items.c.id)
        .where(items.c.project == project, items.c.purpose == "real")
        .where(work.c.stage == "annotate")
        .group_by(items.c.batch, work.c.state)
    )
    return counted(connection, query)


def spent_times(connection: Connection, project: int) -> list[SpentTime]:
    """The time of finished work on items that are no longer annotated blind."""
    query = (
        select(work.c.person, work.c.stage, work.c.seconds)
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, work.c.state.in_(CLOSED_STATES))
        .where(items.c.purpose == "real", items.c.state.not_in(BLIND_STATES))
    )
    return all_of(SpentTime, connection, query)


def stage_counts(connection: Connection, project: int) -> list[StageCount]:
    """The number of works of each person in each stage and state."""
    query = (
        select(people.c.id, people.c.name, people.c.role, work.c.stage, work.c.state, func.count())
        .select_from(work.join(people, people.c.id == work.c.person))
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, items.c.purpose == "real")
        .group_by(people.c.id, people.c.name, people.c.role, work.c.stage, work.c.state)
    )
    return all_of(StageCount, connection, query)


def judgement_version(connection: Connection, project: int) -> tuple[int, int | None]:
    """The count and the last number of a project's judgements, which change with each new one."""
    query = select(func.count(), func.max(judgements.c.id)).where(judgements.c.project == project)
    count, last = connection.execute(query).one()
    return count, last


def open_items(connection: Connection, project: int) -> list[OpenItem]:
    """The items of a project that people no longer annotate blind, by position."""
    columns = (items.c.id, items.c.position, items.c.example, items.c.source, items.c.model)
    query = (
        select(*columns, items.c.state, items.c.batch)
        .where(items.c.project == project, items.c.purpose == "real")
        .where(items.c.state.not_in(BLIND_STATES))
        .order_by(items.c.position)
    )
    return all_of(OpenItem, connection, query)


def spoken_judgements(connection: Connection, project: int) -> dict[int, list[SpokenJudgement]]:
    """The judgements by people of items that are no longer blind, by the items' numbers."""
    own = judgements.c
    query = (
        select(own.id, own.item, own.author, own.stage, own.round, own.is_current)
        .join(items, items.c.id == own.item)
        .where(own.project == project, own.kind == "person")
        .where(items.c.purpose == "real", items.c.state.not_in(BLIND_STATES))
        .order_by(own.round, own.id)
    )
    return by_item(all_of(SpokenJudgement, connection, query))


def judgement_records(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Judgements as they are kept, by their numbers."""
    query = select(judgements.c.id, judgements.c.record).where(judgements.c.id.in_(numbers))
    return pairs(connection, query)
