"""Batches of items, and what the annotators of a project have of them."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from assay.store.annotation.records import (
    WITHDRAWN,
    ItemState,
    StoredPerson,
    all_of,
    grouped,
    pairs,
)
from assay.store.annotation.tables import items, members, people, work


@dataclass(frozen=True, slots=True)
class BatchItem:
    """An item of a batch."""

    id: int
    batch: int
    k: int
    state: ItemState
    source: str


@dataclass(frozen=True, slots=True)
class BatchCount:
    """The number of items of a batch that somebody has in a state of work."""

    batch: int
    name: str
    state: str
    count: int


def team(connection: Connection, project: int) -> list[StoredPerson]:
    """The members of a project whose accounts are open."""
    query = (
        select(people)
        .join(members, members.c.person == people.c.id)
        .where(members.c.project == project, people.c.is_active)
        .order_by(people.c.id)
    )
    return all_of(StoredPerson, connection, query)


def loads(connection: Connection, project: int) -> dict[int, int]:
    """The number of items that each person was given to annotate."""
    query = (
        select(work.c.person, func.count())
        .where(work.c.project == project, work.c.stage == "annotate", work.c.state != WITHDRAWN)
        .group_by(work.c.person)
    )
    return pairs(connection, query)


def lacking(connection: Connection, project: int) -> dict[int, int]:
    """The items of batches that have fewer annotators than they want, and how many they lack."""
    given = func.count(work.c.id)
    has = (work.c.item == items.c.id) & (work.c.stage == "annotate") & (work.c.state != WITHDRAWN)
    query = (
        select(items.c.id, items.c.k - given)
        .outerjoin(work, has)
        .where(items.c.project == project, items.c.batch > 0, items.c.state == "open")
        .group_by(items.c.id, items.c.k)
        .having(given < items.c.k)
    )
    return pairs(connection, query)


def free_items(connection: Connection, project: int) -> dict[int, str]:
    """The items that nobody has, with their sources."""
    query = select(items.c.id, items.c.source).where(
        items.c.project == project,
        items.c.purpose == "real",
        items.c.state == "new",
        items.c.batch == 0,
    )
    return pairs(connection, query)


def batched_sources(connection: Connection, project: int) -> dict[str, int]:
    """The sources of items in batches, with their batches."""
    query = select(items.c.source, items.c.batch).where(
        items.c.project == project, items.c.purpose == "real", items.c.batch > 0
    )
    return pairs(connection, query.distinct())


def people_of_batches(connection: Connection, project: int) -> dict[int, set[int]]:
    """The people who have items of each batch."""
    query = (
        select(items.c.batch, work.c.person)
        .join(work, work.c.item == items.c.id)
        .where(items.c.project == project, items.c.batch > 0, work.c.stage == "annotate")
        .where(work.c.state != WITHDRAWN)
    )
    return {batch: set(some) for batch, some in grouped(connection, query).items()}


def batch_items(connection: Connection, project: int) -> list[BatchItem]:
    """The items of all batches, batch after batch."""
    query = (
        select(items.c.id, items.c.batch, items.c.k, items.c.state, items.c.source)
        .where(items.c.project == project, items.c.batch > 0, items.c.purpose == "real")
        .order_by(items.c.batch, items.c.position)
    )
    return all_of(BatchItem, connection, query)


def batch_counts(connection: Connection, project: int) -> list[BatchCount]:
    """The number of items of each batch that each annotator has in each state."""
    query = (
        select(items.c.batch, people.c.name, work.c.state, func.count())
        .join(work, work.c.item == items.c.id)
        .join(people, people.c.id == work.c.person)
        .where(items.c.project == project, items.c.batch > 0, work.c.stage == "annotate")
        .where(work.c.state != WITHDRAWN)
        .group_by(items.c.batch, people.c.name, work.c.state)
    )
    return all_of(BatchCount, connection, query)
