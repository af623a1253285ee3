"""Invitations: links that make one account each, of a role that an administrator chose."""

import json
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, insert, select, update

from assay.app.annotation.access import ROLES, NotFoundError, require, require_role
from assay.app.annotation.people.accounts import add_person, checked_role
from assay.app.annotation.people.names import checked_name
from assay.app.annotation.people.passwords import checked_password, hashed
from assay.app.annotation.people.sessions import Session, begin, digest
from assay.app.annotation.studio import Person, Role, Studio
from assay.core.errors import InputError
from assay.store.studio.database import lock
from assay.store.studio.queues import note_event
from assay.store.studio.tables import invitations, members, people, projects

LIFETIME = timedelta(days=7)
LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as administrators see it; `id` takes it back, and cannot be used to accept."""

    id: str
    role: Role
    project: str | None
    note: str
    by: str
    at: str
    until: str
    state: Literal["open", "used", "expired", "void"]  # void: whoever made it may not any more
    used_by: str | None


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation with its token, which is shown this once."""

    token: str
    invitation: Invitation


@dataclass(frozen=True, slots=True)
class Welcome:
    """What whoever is invited sees."""

    role: Role
    project: str | None  # its name, not its address
    by: str
    until: str


def invite(
    studio: Studio, who: Person, role: str, *, project: str | None = None, note: str = ""
) -> Invited:
    """A new invitation, to a project or to none; it can be accepted once, within a week."""
    require_role(who, "manage-people")
    wanted = checked_role(role)
    if len(note) > LONGEST_NOTE:
        message = f"a note has at most {LONGEST_NOTE} characters, not {len(note)}"
        raise InputError(message, field="note")
    token, now = secrets.token_urlsafe(32), studio.clock()
    with studio.write() as connection:
        found = require(connection, who, "manage-project", project) if project else None
        connection.execute(
            insert(invitations).values(
                digest=digest(token),
                role=wanted,
                project=found.id if found else None,
                note=note,
                by=who.id,
                at=studio.now(),
                until=(now + LIFETIME).isoformat(timespec="milliseconds"),
            )
        )
        _note(studio, connection, who, "invited", role=wanted, project=project)
        made = _select(connection, studio.now(), digest(token))[0]
    return Invited(token, made)


def list_invitations(studio: Studio, who: Person) -> tuple[Invitation, ...]:
    """All invitations, the newest first."""
    require_role(who, "manage-people")
    with studio.read() as connection:
        return _select(connection, studio.now())


def revoke(studio: Studio, who: Person, id: str) -> None:
    """Takes back an invitation that nobody has accepted, by its id or its token."""
    require_role(who, "manage-people")
    with studio.write() as connection:
        unused = delete(invitations).where(
            invitations.c.digest.in_((id, digest(id))), invitations.c.used_by.is_(None)
        )
        if not connection.execute(unused).rowcount:
            raise NotFoundError("there is no such invitation that could be taken back")
        _note(studio, connection, who, "invitation-revoked", id=id[:8])


def welcome(studio: Studio, token: str) -> Welcome:
    """What an invitation offers to whoever has its token."""
    with studio.read() as connection:
        row = _open(studio, connection, token)
    return Welcome(row.role, row.project_name, row.by_name, row.until)


def accept(studio: Studio, token: str, name: str, password: str, *, instead: str = "") -> Session:
    """The account that an invitation promised, signed in; the invitation is used up."""
    with studio.read() as connection:  # before any work is done for a stranger
        _open(studio, connection, token)
    name = checked_name(name)
    kept = hashed(checked_password(password, name))
    with studio.write() as connection:
        lock(connection, people)
        row = _open(studio, connection, token)
        person = add_person(studio, connection, name, row.role, kept)
        used = update(invitations).where(
            invitations.c.digest == row.digest, invitations.c.used_by.is_(None)
        )
        connection.execute(used.values(used_by=person.id))
        if row.project is not None:
            joined = insert(members).values(
                project=row.project, person=person.id, at=studio.now(), passed_at=""
            )
            connection.execute(joined)
        _note(studio, connection, person, "invitation-accepted", role=person.role)
        return begin(studio, connection, person, instead=instead)


def _open(studio: Studio, connection: Connection, token: str) -> Row[Any]:
    """The invitation of a token that can still be accepted."""
    query = (
        select(invitations, people.c.name.label("by_name"), projects.c.name.label("project_name"))
        .join(people, people.c.id == invitations.c.by)
        .outerjoin(projects, projects.c.id == invitations.c.project)
        .where(
            invitations.c.digest == digest(token),
            invitations.c.used_by.is_(None),
            invitations.c.until > studio.now(),
            people.c.is_active,
            people.c.role.in_(ROLES["manage-people"]),
        )
    )
    row = connection.execute(query).first()
    if row is None:
        raise NotFoundError("this invitation has been used, taken back, or is too old")
    return row


def _select(connection: Connection, now: str, wanted: str = "") -> tuple[Invitation, ...]:
    by, user = people.alias("by_whom"), people.alias("user_of")
    query = (
        select(
            invitations,
            by.c.name.label("by_name"),
            by.c.role.label("by_role"),
            by.c.is_active.label("by_active"),
            user.c.name.label("user_name"),
            projects.c.slug.label("slug"),
        )
        .join(by, by.c.id == invitations.c.by)
        .outerjoin(user, user.c.id == invitations.c.used_by)
        .outerjoin(projects, projects.c.id == invitations.c.project)
        .order_by(invitations.c.at.desc(), invitations.c.digest)
    )
    if wanted:
        query = query.where(invitations.c.digest == wanted)
    return tuple(_invitation(row, now) for row in connection.execute(query))


def _invitation(row: Row[Any], now: str) -> Invitation:
    state: Literal["open", "used", "expired", "void"] = "open"
    if row.used_by is not None:
        state = "used"
    elif row.until <= now:
        state = "expired"
    elif not row.by_active or row.by_role not in ROLES["manage-people"]:
        state = "void"
    return Invitation(
        id=row.digest,
        role=row.role,
        project=row.slug,
        note=row.note,
        by=row.by_name,
        at=row.at,
        until=row.until,
        state=state,
        used_by=row.user_name,
    )


def _note(studio: Studio, connection: Connection, who: Person, kind: str, **detail: object) -> None:
    told = json.dumps(detail, ensure_ascii=False)
    note_event(connection, studio.now(), kind, told, person=who.id)
