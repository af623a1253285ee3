"""The members of a project: who is one, and what happens when somebody comes or goes."""

import json
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from assay.app.annotation import access
from assay.app.annotation.people.names import fold
from assay.app.annotation.studio import Person, Role, Studio
from assay.app.annotation.team import handover
from assay.core.errors import InputError
from assay.store.studio.items import lock_project
from assay.store.studio.queues import CLOSED_STATES, OPEN_STATES, AnyRow, note_event
from assay.store.studio.tables import items, members, people, work


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a project, with how much real work they have and have done."""

    name: str
    role: Role
    is_active: bool
    at: str
    passed_at: str  # the quiz; empty where it was not passed
    quiz_score: float | None
    quiz_attempts: int
    waiting: int
    submitted: int


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody who left, and what became of their unfinished work."""

    name: str
    work: handover.Released


def list_members(studio: Studio, who: Person, slug: str) -> tuple[Member, ...]:
    """The members of a project by their names."""
    with studio.read() as connection:
        project = access.require(connection, who, "see-board", slug)
        return _members(connection, project.id)


def add_member(studio: Studio, who: Person, slug: str, name: str) -> tuple[Member, ...]:
    """Makes somebody a member; an annotator gets items of batches that lack one."""
    with studio.write() as connection:
        project: AnyRow = access.require(connection, who, "manage-project", slug)
        lock_project(connection, project.id)
        person = _person(connection, name)
        if not person.is_active:
            raise InputError(f"the account of '{person.name}' is closed", field="name")
        if _is_member(connection, project.id, person.id):
            message = f"'{person.name}' is a member already"
            raise InputError(message, field="name", code="member")
        now = studio.now()
        row = insert(members).values(project=project.id, person=person.id, at=now, passed_at="")
        connection.execute(row)
        _note(connection, now, "member-added", project.id, who, person.name)
        handover.fill(connection, project.id)
        return _members(connection, project.id)


def remove_member(studio: Studio, who: Person, slug: str, name: str) -> Left:
    """Ends a membership; unfinished work goes to others, what was submitted stays."""
    with studio.write() as connection:
        project: AnyRow = access.require(connection, who, "manage-project", slug)
        lock_project(connection, project.id)
        person = _person(connection, name)
        if not _is_member(connection, project.id, person.id):
            raise access.NotFoundError(f"'{person.name}' is no member of the project")
        gone = (members.c.project == project.id, members.c.person == person.id)
        connection.execute(delete(members).where(*gone))
        now = studio.now()
        released = handover.release(connection, now, project.id, person.id)
        _note(connection, now, "member-removed", project.id, who, person.name)
        return Left(person.name, released)


def _person(connection: Connection, name: str) -> AnyRow:
    row = connection.execute(select(people).where(people.c.folded == fold(name))).first()
    if row is None:
        raise InputError(f"there is no account '{name}'", field="name", code="no-account")
    return row


def _is_member(connection: Connection, project: int, person: int) -> bool:
    query = select(members.c.person).where(members.c.project == project, members.c.person == person)
    return connection.execute(query).first() is not None


def _note(
    connection: Connection, now: str, kind: str, project: int, who: Person, name: str
) -> None:
    detail = json.dumps({"name": name}, ensure_ascii=False)
    note_event(connection, now, kind, detail, project=project, person=who.account)


def _members(connection: Connection, project: int) -> tuple[Member, ...]:
    counted: dict[int, dict[str, int]] = {}
    count = (
        select(work.c.person, work.c.state, func.count())
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, items.c.purpose == "real")
        .group_by(work.c.person, work.c.state)
    )
    for person, state, number in connection.execute(count):
        counted.setdefault(person, {})[state] = number
    rows = connection.execute(
        select(members, people.c.name, people.c.role, people.c.is_active)
        .join(people, people.c.id == members.c.person)
        .where(members.c.project == project)
        .order_by(people.c.folded)
    )
    return tuple(
        Member(
            row.name,
            row.role,
            row.is_active,
            row.at,
            row.passed_at,
            row.quiz_score,
            row.quiz_attempts,
            sum(counted.get(row.person, {}).get(state, 0) for state in OPEN_STATES),
            sum(counted.get(row.person, {}).get(state, 0) for state in CLOSED_STATES),
        )
        for row in rows
    )
