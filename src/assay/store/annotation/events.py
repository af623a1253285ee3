"""The history of projects: events, and the changes of drafts."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, insert, select

from assay.store.annotation.records import (
    BLIND_STATES,
    StoredChange,
    StoredEvent,
    StoredItem,
    all_of,
)
from assay.store.annotation.tables import changes, events, items, people, work
from assay.store.annotation.work import BEGIN, pending


@dataclass(frozen=True, slots=True)
class NamedChange(StoredChange):
    """A change of a draft with the stage of the work, its person and its item."""

    stage: str
    name: str
    position: int


@dataclass(frozen=True, slots=True)
class NamedEvent(StoredEvent):
    """An event with the item and the person that it is about, where it is about one."""

    position: int | None
    name: str | None


@dataclass(frozen=True, slots=True)
class ChangeTime:
    """When a change of a draft was made."""

    at: str
    work: int
    version: int


_EVENTS = (
    select(events, items.c.position, people.c.name)
    .outerjoin(items, items.c.id == events.c.item)
    .outerjoin(people, people.c.id == events.c.person)
)
_CHANGES = (
    select(changes, work.c.stage, people.c.name, items.c.position)
    .join(work, work.c.id == changes.c.work)
    .join(people, people.c.id == work.c.person)
    .join(items, items.c.id == work.c.item)
    .order_by(changes.c.work, changes.c.version)
)


def note_event(
    connection: Connection, now: str, kind: str, detail: str, **about: int | None
) -> None:
    """Writes down what happened to a project, an item or a person, whichever are named."""
    connection.execute(insert(events).values(kind=kind, detail=detail, at=now, **about))


def note_events(
    connection: Connection, now: str, kind: str, detail: str, project: int, about: Sequence[int]
) -> None:
    """Writes down that the same happened to some items of a project."""
    if about:
        new = insert(events).values(kind=kind, detail=detail, at=now)
        connection.execute(new, [{"project": project, "item": item} for item in about])


def event_details(connection: Connection, project: int, kind: str) -> list[str]:
    """The details of all events of a kind in a project, in order."""
    query = select(events.c.detail).where(events.c.project == project, events.c.kind == kind)
    return list(connection.execute(query.order_by(events.c.id)).scalars())


def changes_of_works(connection: Connection, works: Sequence[int]) -> list[NamedChange]:
    """The changes of some works, each work's in order."""
    return all_of(NamedChange, connection, _CHANGES.where(work.c.id.in_(works)))


def changes_of_item(
    connection: Connection, item: int, person: int | None = None
) -> list[NamedChange]:
    """The changes of the works on an item, of everybody or of one person, each work's in order."""
    query = _CHANGES.where(work.c.item == item)
    if person is not None:
        query = query.where(work.c.person == person)
    return all_of(NamedChange, connection, query)


def events_of_item(
    connection: Connection, item: int, person: int | None = None
) -> list[NamedEvent]:
    """The events of an item, of everybody or of one person, in order."""
    query = _EVENTS.where(events.c.item == item)
    if person is not None:
        query = query.where(events.c.person == person)
    return all_of(NamedEvent, connection, query.order_by(events.c.id))


def latest_changes(
    connection: Connection, project: int, person: int, most: int
) -> list[ChangeTime]:
    """The last changes in a project that somebody may know of, latest first."""
    query = (
        select(changes.c.at, changes.c.work, changes.c.version)
        .join(work, work.c.id == changes.c.work)
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, ~_is_blind(project, person), changes.c.kind != BEGIN)
        .order_by(changes.c.at.desc(), changes.c.work, changes.c.version.desc())
    )
    return all_of(ChangeTime, connection, query.limit(most))


def latest_events(connection: Connection, project: int, person: int, most: int) -> list[NamedEvent]:
    """The last events in a project that somebody may know of, latest first."""
    is_open = events.c.item.is_(None) | ~_is_blind(project, person)
    query = _EVENTS.where(events.c.project == project, is_open)
    query = query.order_by(events.c.at.desc(), events.c.id.desc())
    return all_of(NamedEvent, connection, query.limit(most))


def _is_blind(project: int, person: int) -> ColumnElement[bool]:
    """The items whose annotation is not over, or that the person is yet to annotate."""
    theirs = pending(person).where(work.c.project == project)
    return items.c.state.in_(BLIND_STATES) | items.c.id.in_(theirs)


def item_of_work(connection: Connection, work_id: int) -> tuple[int, StoredItem] | None:
    """The person who has a work, by their number, and its item."""
    query = (
        select(work.c.person, items)
        .join(items, items.c.id == work.c.item)
        .where(work.c.id == work_id)
    )
    row = connection.execute(query).first()
    return (row[0], StoredItem(*row[1:])) if row else None
