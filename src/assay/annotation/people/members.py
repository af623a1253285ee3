"""The members of a project: who is one, and what happens when somebody comes or goes."""

from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.people.accounts import find_person
from assay.annotation.studio import Person, Role, Studio
from assay.annotation.team.batches import Released, fill, release
from assay.core.errors import InputError
from assay.store.annotation import projects
from assay.store.annotation.database import Connection
from assay.store.annotation.items import lock_project
from assay.store.annotation.records import CLOSED_STATES, OPEN_STATES, StoredMember, StoredPerson


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
    work: Released


def list_members(studio: Studio, who: Person, slug: str) -> tuple[Member, ...]:
    """The members of a project by their names."""
    with studio.read() as connection:
        project = access.require(connection, who, "see-board", slug)
        return _members(connection, project.id)


def add_member(studio: Studio, who: Person, slug: str, name: str) -> tuple[Member, ...]:
    """Makes somebody a member; an annotator gets items of batches that lack one."""
    with studio.write() as connection:
        project = access.require(connection, who, "manage-project", slug)
        lock_project(connection, project.id)
        person = _person(connection, name)
        if not person.is_active:
            raise InputError(f"the account of '{person.name}' is closed", field="name")
        if projects.is_member(connection, project.id, person.id):
            message = f"'{person.name}' is a member already"
            raise InputError(message, field="name", code="member")
        projects.insert_member(connection, StoredMember(project.id, person.id, studio.now()))
        studio.note(connection, who, "member-added", {"name": person.name}, project.id)
        fill(connection, project.id)
        return _members(connection, project.id)


def remove_member(studio: Studio, who: Person, slug: str, name: str) -> Left:
    """Ends a membership; unfinished work goes to others, what was submitted stays."""
    with studio.write() as connection:
        project = access.require(connection, who, "manage-project", slug)
        lock_project(connection, project.id)
        person = _person(connection, name)
        if not projects.is_member(connection, project.id, person.id):
            raise access.NotFoundError(f"'{person.name}' is no member of the project")
        projects.delete_member(connection, project.id, person.id)
        released = release(connection, studio.now(), project.id, person.id)
        studio.note(connection, who, "member-removed", {"name": person.name}, project.id)
        return Left(person.name, released)


def _person(connection: Connection, name: str) -> StoredPerson:
    found = find_person(connection, name)
    if found is None:
        raise InputError(f"there is no account '{name}'", field="name", code="no-account")
    return found


def _members(connection: Connection, project: int) -> tuple[Member, ...]:
    counted = projects.count_work(connection, project)
    return tuple(
        Member(
            person.name,
            person.role,
            person.is_active,
            member.at,
            member.passed_at,
            member.quiz_score,
            member.quiz_attempts,
            sum(counted.get(person.id, {}).get(state, 0) for state in OPEN_STATES),
            sum(counted.get(person.id, {}).get(state, 0) for state in CLOSED_STATES),
        )
        for person, member in projects.members_of(connection, project)
    )
