"""Accounts, the sessions of browsers, attempts to sign in, and invitations."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from assay.store.annotation.database import lock
from assay.store.annotation.records import (
    Role,
    StoredInvitation,
    StoredPerson,
    all_of,
    first_of,
    grouped,
    pairs,
    values_of,
)
from assay.store.annotation.tables import (
    attempts,
    invitations,
    members,
    people,
    projects,
    secrets,
    sessions,
)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session, by the digest of its token, with the account that it is of."""

    csrf: str
    until: str
    id: int
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class StoredAttempts:
    """Attempts that failed under one key, and the time before which there may be no other."""

    key: str
    count: int
    until: str


@dataclass(frozen=True, slots=True)
class NamedInvitation(StoredInvitation):
    """An invitation with the names behind its numbers; `slug` is the address of its project."""

    by_name: str
    by_role: Role
    by_active: bool
    user_name: str | None
    slug: str | None
    project_name: str | None


_BY, _USER = people.alias("by_whom"), people.alias("user_of")
_INVITATIONS = (
    select(
        invitations,
        _BY.c.name,
        _BY.c.role,
        _BY.c.is_active,
        _USER.c.name,
        projects.c.slug,
        projects.c.name,
    )
    .join(_BY, _BY.c.id == invitations.c.by)
    .outerjoin(_USER, _USER.c.id == invitations.c.used_by)
    .outerjoin(projects, projects.c.id == invitations.c.project)
)


def lock_people(connection: Connection) -> None:
    """Keeps others from changing accounts until the transaction ends."""
    lock(connection, people)


def all_people(connection: Connection) -> list[StoredPerson]:
    """All accounts by name."""
    return all_of(StoredPerson, connection, select(people).order_by(people.c.folded))


def person_by_id(connection: Connection, person: int) -> StoredPerson | None:
    """The account with that number."""
    return first_of(StoredPerson, connection, select(people).where(people.c.id == person))


def person_by_name(connection: Connection, folded: str) -> StoredPerson | None:
    """The account of a name, as names are compared."""
    return first_of(StoredPerson, connection, select(people).where(people.c.folded == folded))


def folded_names(connection: Connection) -> list[str]:
    """All names as they are compared."""
    return list(connection.execute(select(people.c.folded)).scalars())


def names_by_id(connection: Connection) -> dict[int, str]:
    """The names of all accounts, by their numbers."""
    return pairs(connection, select(people.c.id, people.c.name))


def slugs_by_person(connection: Connection) -> dict[int, list[str]]:
    """The projects that people are members of, by the numbers of their accounts."""
    query = (
        select(members.c.person, projects.c.slug)
        .join(projects, projects.c.id == members.c.project)
        .order_by(projects.c.slug)
    )
    return grouped(connection, query)


def count_administrators(connection: Connection, *, with_password: bool) -> int:
    """The number of administrators whose account is open."""
    query = select(func.count()).where(people.c.role == "administrator", people.c.is_active)
    found = connection.execute(query.where(people.c.password != "") if with_password else query)
    return int(found.scalar() or 0)


def insert_person(connection: Connection, person: StoredPerson) -> int:
    """Adds an account; its number."""
    row = insert(people).values(values_of(person))
    return int(connection.execute(row.returning(people.c.id)).scalar_one())


def update_person(connection: Connection, person: int, **values: str | bool) -> None:
    """Sets some columns of an account."""
    connection.execute(update(people).where(people.c.id == person).values(**values))


def replace_password(connection: Connection, person: int, before: str, after: str) -> None:
    """Replaces the hash of a password, unless the password was changed meanwhile."""
    same = update(people).where(people.c.id == person, people.c.password == before)
    connection.execute(same.values(password=after))


def find_secret(connection: Connection, name: str) -> str | None:
    """A secret of the studio."""
    return connection.execute(select(secrets.c.value).where(secrets.c.name == name)).scalar()


def insert_secret(connection: Connection, name: str, value: str) -> None:
    """Keeps a new secret of the studio."""
    connection.execute(insert(secrets).values(name=name, value=value))


def insert_session(
    connection: Connection, digest: str, person: int, *, csrf: str, at: str, until: str
) -> None:
    """Adds a session, and deletes those that have expired."""
    connection.execute(delete(sessions).where(sessions.c.until < at))
    row = insert(sessions).values(digest=digest, person=person, csrf=csrf, at=at, until=until)
    connection.execute(row)


def session_by_digest(connection: Connection, digest: str) -> StoredSession | None:
    """The session of a token, if the account is open."""
    query = (
        select(sessions.c.csrf, sessions.c.until, people.c.id, people.c.name, people.c.role)
        .join(people, people.c.id == sessions.c.person)
        .where(sessions.c.digest == digest, people.c.is_active)
    )
    return first_of(StoredSession, connection, query)


def extend_session(connection: Connection, digest: str, until: str) -> None:
    """Lets a session last longer."""
    connection.execute(update(sessions).where(sessions.c.digest == digest).values(until=until))


def delete_session(connection: Connection, digest: str) -> None:
    """Ends a session, if there is one."""
    connection.execute(delete(sessions).where(sessions.c.digest == digest))


def delete_sessions(connection: Connection, person: int, *, but: str = "") -> None:
    """Ends all sessions of a person but the one of a digest."""
    ended = delete(sessions).where(sessions.c.person == person, sessions.c.digest != but)
    connection.execute(ended)


def lock_attempts(connection: Connection) -> None:
    """Keeps others from counting attempts until the transaction ends."""
    lock(connection, attempts)


def attempts_by_key(connection: Connection, keys: Iterable[str]) -> dict[str, StoredAttempts]:
    """The attempts under some keys."""
    query = select(attempts).where(attempts.c.key.in_(list(keys)))
    return {each.key: each for each in all_of(StoredAttempts, connection, query)}


def put_attempts(connection: Connection, key: str, count: int, until: str) -> None:
    """Keeps the number of attempts under a key in place of what was there."""
    delete_attempts(connection, key)
    connection.execute(insert(attempts).values(key=key, count=count, until=until))


def take_back_attempt(connection: Connection, key: str, now: str) -> None:
    """Counts one attempt less under a key, which needs no more waiting."""
    less = update(attempts).where(attempts.c.key == key, attempts.c.count > 0)
    connection.execute(less.values(count=attempts.c.count - 1, until=now))


def delete_attempts(connection: Connection, key: str) -> None:
    """Forgets the attempts under a key."""
    connection.execute(delete(attempts).where(attempts.c.key == key))


def delete_old_attempts(connection: Connection, before: str) -> None:
    """Forgets attempts that have long been allowed again."""
    connection.execute(delete(attempts).where(attempts.c.until < before))


def all_invitations(connection: Connection) -> list[NamedInvitation]:
    """All invitations, the newest first."""
    query = _INVITATIONS.order_by(invitations.c.at.desc(), invitations.c.digest)
    return all_of(NamedInvitation, connection, query)


def invitation_by_digest(connection: Connection, digest: str) -> NamedInvitation | None:
    """The invitation of a token."""
    query = _INVITATIONS.where(invitations.c.digest == digest)
    return first_of(NamedInvitation, connection, query)


def insert_invitation(connection: Connection, new: StoredInvitation) -> None:
    """Adds an invitation."""
    connection.execute(insert(invitations).values(values_of(new)))


def use_invitation(connection: Connection, digest: str, person: int) -> None:
    """Notes who accepted an invitation."""
    unused = update(invitations).where(
        invitations.c.digest == digest, invitations.c.used_by.is_(None)
    )
    connection.execute(unused.values(used_by=person))


def delete_unused(connection: Connection, digests: Iterable[str]) -> bool:
    """Deletes an invitation that nobody accepted; False if there is none."""
    unused = delete(invitations).where(
        invitations.c.digest.in_(list(digests)), invitations.c.used_by.is_(None)
    )
    return bool(connection.execute(unused).rowcount)
