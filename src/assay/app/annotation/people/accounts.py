"""Accounts: the names of people, their passwords and roles."""

import json
from dataclasses import dataclass
from typing import Any, get_args

from sqlalchemy import Connection, Row, func, insert, select, update

from assay.app.annotation.access import NotFoundError, require_role
from assay.app.annotation.people.attempts import BY_NAME, count_attempt, forgive, key_of
from assay.app.annotation.people.names import checked_name, fold, skeleton
from assay.app.annotation.people.passwords import checked_password, hashed, matches
from assay.app.annotation.people.sessions import end_all
from assay.app.annotation.studio import Person, Role, Studio
from assay.app.annotation.team.handover import release_everywhere, release_role
from assay.core.errors import InputError, UnknownNameError
from assay.store.studio.database import lock
from assay.store.studio.judgements import is_detector
from assay.store.studio.queues import note_event
from assay.store.studio.tables import members, people, projects

ROLES: tuple[Role, ...] = get_args(Role)
LOCAL = "local"  # whoever runs a studio for themselves


@dataclass(frozen=True, slots=True)
class Account:
    """An account as administrators see it; without a password nobody can sign in to it."""

    name: str
    role: Role
    is_active: bool
    has_password: bool
    at: str
    projects: tuple[str, ...]


def checked_role(role: str) -> Role:
    """A role that there is."""
    for each in ROLES:
        if role == each:
            return each
    raise UnknownNameError("role", role, ROLES, field="role")


def create_first(studio: Studio, name: str, password: str, role: str = "administrator") -> Person:
    """An account made by whoever has the database itself; the first is an administrator's."""
    name, kept = checked_name(name), checked_password(password, name)
    wanted, digest = checked_role(role), hashed(kept)
    with studio.write() as connection:
        lock(connection, people)
        if wanted != "administrator" and not _administrators(connection, with_password=True):
            message = "the first account is an administrator's, who can then invite the others"
            raise InputError(message, field="role")
        person = add_person(studio, connection, name, wanted, digest)
        _note(studio, connection, None, "account-made", person.id, role=wanted)
    return person


def has_accounts(studio: Studio) -> bool:
    """Whether an administrator can sign in with a password."""
    with studio.read() as connection:
        return _administrators(connection, with_password=True) > 0


def local_administrator(studio: Studio) -> Person:
    """Whoever runs a studio without accounts on their own computer; made when first needed."""
    with studio.write() as connection:
        lock(connection, people)
        row = find_person(connection, LOCAL)
        if row is None:
            person = add_person(studio, connection, LOCAL, "administrator", "")
            _note(studio, connection, None, "account-made", person.id, role=person.role)
            return person
        values = {"role": "administrator", "is_active": True}
        connection.execute(update(people).where(people.c.id == row.id).values(**values))
        return Person(row.id, row.name, "administrator")


def list_people(studio: Studio, who: Person) -> tuple[Account, ...]:
    """All accounts by name."""
    require_role(who, "manage-people")
    slugs: dict[int, list[str]] = {}
    belonging = (
        select(members.c.person, projects.c.slug)
        .join(projects, projects.c.id == members.c.project)
        .order_by(projects.c.slug)
    )
    with studio.read() as connection:
        for person, slug in connection.execute(belonging).all():
            slugs.setdefault(person, []).append(slug)
        rows = connection.execute(select(people).order_by(people.c.folded)).all()
    return tuple(_account(row, slugs.get(row.id, ())) for row in rows)


def change_person(
    studio: Studio,
    who: Person,
    name: str,
    *,
    role: str | None = None,
    is_active: bool | None = None,
    password: str | None = None,
) -> Account:
    """Another role for somebody, an end or a new beginning of their account, or a new password.

    Whoever is deactivated or gets a password is signed out everywhere. Unfinished work that an
    account or a role no longer allows goes to others.
    """
    require_role(who, "manage-people")
    values: dict[str, Any] = {}
    if role is not None:
        values["role"] = checked_role(role)
    if is_active is not None:
        values["is_active"] = is_active
    if password is not None:
        values["password"] = hashed(checked_password(password, name))
    with studio.write() as connection:
        lock(connection, people)
        row = find_person(connection, name)
        if row is None:
            raise NotFoundError(f"there is nobody named '{name}'")
        if values:
            connection.execute(update(people).where(people.c.id == row.id).values(**values))
        if is_active is False:
            release_everywhere(connection, studio.now(), row.id)
        if role is not None and role != row.role:
            release_role(connection, studio.now(), row.id, role)
        _require_administrator(connection, row)
        if is_active is False or password is not None:
            end_all(connection, row.id)
        told = {key: value for key, value in values.items() if key != "password"}
        told |= {"password": "new"} if password is not None else {}
        _note(studio, connection, who, "account-changed", row.id, **told)
    return next(each for each in list_people(studio, who) if fold(each.name) == fold(name))


def change_password(
    studio: Studio, who: Person, current: str, password: str, *, token: str = ""
) -> None:
    """One's own new password; all one's sessions but that of the token end.

    Whoever finds a browser open cannot guess the present password at leisure.
    """
    with studio.read() as connection:
        kept = connection.execute(select(people.c.password).where(people.c.id == who.id)).scalar()
    if kept:
        key = key_of("password", str(who.id))
        count_attempt(studio, {key: BY_NAME})
        if not matches(kept, current):
            raise InputError("this is not your password", field="current")
        with studio.write() as connection:
            forgive(connection, key, studio.now(), is_all=True)
    digest = hashed(checked_password(password, who.name))
    with studio.write() as connection:
        connection.execute(update(people).where(people.c.id == who.id).values(password=digest))
        end_all(connection, who.id, but=token)
        _note(studio, connection, who, "password-changed", who.id)


def add_person(
    studio: Studio, connection: Connection, name: str, role: Role, digest: str
) -> Person:
    """A new account, within the caller's transaction; its name is checked, its password hashed."""
    if _is_taken(connection, name):
        raise InputError(f"the name '{name}' is taken", code="name-taken", field="name")
    row = insert(people).values(
        name=name, folded=fold(name), password=digest, role=role, is_active=True, at=studio.now()
    )
    key = connection.execute(row).inserted_primary_key
    return Person(int(key[0]) if key else 0, name, role)


def find_person(connection: Connection, name: str) -> Row[Any] | None:
    """The account of that name, in whatever case it is written."""
    if not name.isprintable():  # nobody has such a name, and not every database can be asked
        return None
    return connection.execute(select(people).where(people.c.folded == fold(name))).first()


def _is_taken(connection: Connection, name: str) -> bool:
    """Whether an account has a name that looks like this one, or a detector has this one."""
    names = connection.execute(select(people.c.folded)).scalars()
    return skeleton(name) in map(skeleton, names) or is_detector(connection, name)


def _require_administrator(connection: Connection, changed: Row[Any]) -> None:
    """Raises where a change leaves nobody who could undo it."""
    was_one = changed.role == "administrator" and changed.is_active
    if was_one and not _administrators(connection, with_password=bool(changed.password)):
        message = f"'{changed.name}' is the only administrator who can sign in; there has to be one"
        raise InputError(message, code="last-administrator", field="name")


def _administrators(connection: Connection, *, with_password: bool) -> int:
    query = select(func.count()).where(people.c.role == "administrator", people.c.is_active)
    found = connection.execute(query.where(people.c.password != "") if with_password else query)
    return int(found.scalar() or 0)


def _account(row: Row[Any], slugs: list[str] | tuple[str, ...]) -> Account:
    return Account(
        row.name, row.role, bool(row.is_active), bool(row.password), row.at, tuple(slugs)
    )


def _note(
    studio: Studio,
    connection: Connection,
    who: Person | None,
    kind: str,
    about: int,
    **detail: object,
) -> None:
    told = json.dumps({"about": about, **detail}, ensure_ascii=False)
    note_event(connection, studio.now(), kind, told, person=who.id if who else None)
