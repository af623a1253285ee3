"""Invitations: links that make one account each, of a role that an administrator chose."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from assay.annotation.access import ROLES, NotFoundError, require, require_role
from assay.annotation.people.accounts import add_person, checked_password, checked_role, hashed
from assay.annotation.people.names import checked_name
from assay.annotation.people.sessions import BrowserSession, begin, digest
from assay.annotation.studio import Person, Role, Studio, written
from assay.core.errors import InputError
from assay.store.annotation import people
from assay.store.annotation.database import Connection
from assay.store.annotation.people import NamedInvitation
from assay.store.annotation.projects import insert_member
from assay.store.annotation.records import StoredInvitation, StoredMember

LIFETIME = timedelta(days=7)
LONGEST_NOTE = 500
State = Literal["open", "used", "expired", "void"]  # void: whoever made it may not any more


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
    state: State
    used_by: str | None


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation with its token, which is shown this once."""

    token: str
    invitation: Invitation


@dataclass(frozen=True, slots=True)
class Welcome:
    """An invitation as the invited person sees it."""

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
        new = StoredInvitation(
            digest(token),
            wanted,
            found.id if found else None,
            note,
            by=who.id,
            at=written(now),
            until=written(now + LIFETIME),
            used_by=None,
        )
        people.insert_invitation(connection, new)
        studio.note(connection, who, "invited", {"role": wanted, "project": project})
        made = _invitation(_open(studio, connection, token), written(now))
    return Invited(token, made)


def list_invitations(studio: Studio, who: Person) -> tuple[Invitation, ...]:
    """All invitations, the newest first."""
    require_role(who, "manage-people")
    with studio.read() as connection:
        found = people.all_invitations(connection)
    return tuple(_invitation(each, studio.now()) for each in found)


def revoke(studio: Studio, who: Person, id: str) -> None:
    """Takes back an invitation that nobody has accepted, by its id or its token."""
    require_role(who, "manage-people")
    with studio.write() as connection:
        if not people.delete_unused(connection, (id, digest(id))):
            raise NotFoundError("there is no such invitation that could be taken back")
        studio.note(connection, who, "invitation-revoked", {"id": id[:8]})


def welcome(studio: Studio, token: str) -> Welcome:
    """The invitation of a token, for whoever has it."""
    with studio.read() as connection:
        found = _open(studio, connection, token)
    return Welcome(found.role, found.project_name, found.by_name, found.until)


def accept(
    studio: Studio, token: str, name: str, password: str, *, instead: str = ""
) -> BrowserSession:
    """The account that an invitation promised, signed in; the invitation is used up."""
    with studio.read() as connection:  # before any work is done for a stranger
        _open(studio, connection, token)
    name = checked_name(name)
    kept = hashed(checked_password(password, name))
    with studio.write() as connection:
        people.lock_people(connection)
        found = _open(studio, connection, token)
        person = add_person(studio, connection, name, found.role, kept)
        people.use_invitation(connection, found.digest, person.id)
        if found.project is not None:
            insert_member(connection, StoredMember(found.project, person.id, studio.now()))
        studio.note(connection, person, "invitation-accepted", {"role": person.role})
        return begin(studio, connection, person, instead=instead)


def _open(studio: Studio, connection: Connection, token: str) -> NamedInvitation:
    """The invitation of a token that can still be accepted."""
    found = people.invitation_by_digest(connection, digest(token))
    if found is None or _state(found, studio.now()) != "open":
        raise NotFoundError("this invitation has been used, taken back, or is too old")
    return found


def _state(found: NamedInvitation, now: str) -> State:
    if found.used_by is not None:
        return "used"
    if found.until <= now:
        return "expired"
    return "open" if found.by_active and found.by_role in ROLES["manage-people"] else "void"


def _invitation(found: NamedInvitation, now: str) -> Invitation:
    return Invitation(
        id=found.digest,
        role=found.role,
        project=found.slug,
        note=found.note,
        by=found.by_name,
        at=found.at,
        until=found.until,
        state=_state(found, now),
        used_by=found.user_name,
    )
