"""Invitations to a studio."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from assay.store.annotation.records import Role, StoredInvitation, all_of, first_of, values_of
from assay.store.annotation.tables import invitations, people, projects


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
