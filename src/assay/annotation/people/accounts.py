"""Accounts: the names of people, their passwords and roles, and signing in."""

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import get_args

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from assay.annotation.access import NotFoundError, require_role
from assay.annotation.people.names import checked_name, fold, skeleton
from assay.annotation.people.sessions import (
    BY_NAME,
    BrowserSession,
    SignedOutError,
    begin,
    count_attempt,
    end_all,
    key_of,
    keys_of,
    succeeded,
)
from assay.annotation.studio import Person, Role, Studio
from assay.annotation.team.batches import release_everywhere, release_role
from assay.core.errors import InputError, UnknownNameError
from assay.store.annotation import people
from assay.store.annotation.database import Connection
from assay.store.annotation.judgements import is_detector
from assay.store.annotation.records import StoredPerson

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1000
_hasher = PasswordHasher()
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
    """The role of that name; raises if there is none."""
    for each in ROLES:
        if role == each:
            return each
    raise UnknownNameError("role", role, ROLES, field="role")


def create_first(studio: Studio, name: str, password: str, role: str = "administrator") -> Person:
    """An account made by whoever has the database itself; the first is an administrator's."""
    name, kept = checked_name(name), checked_password(password, name)
    wanted, digest = checked_role(role), hashed(kept)
    with studio.write() as connection:
        people.lock_people(connection)
        has_one = people.count_administrators(connection, with_password=True) > 0
        if wanted != "administrator" and not has_one:
            message = "the first account is an administrator's, who can then invite the others"
            raise InputError(message, field="role")
        person = add_person(studio, connection, name, wanted, digest)
        studio.note(connection, None, "account-made", {"about": person.id, "role": wanted})
    return person


def has_accounts(studio: Studio) -> bool:
    """True if an administrator can sign in with a password."""
    with studio.read() as connection:
        return people.count_administrators(connection, with_password=True) > 0


def local_administrator(studio: Studio) -> Person:
    """The account of somebody who runs a studio for themselves; made when first needed."""
    with studio.write() as connection:
        people.lock_people(connection)
        found = find_person(connection, LOCAL)
        if found is None:
            person = add_person(studio, connection, LOCAL, "administrator", "")
            detail = {"about": person.id, "role": person.role}
            studio.note(connection, None, "account-made", detail)
            return person
        people.update_person(connection, found.id, role="administrator", is_active=True)
        return Person(found.id, found.name, "administrator")


def list_people(studio: Studio, who: Person) -> tuple[Account, ...]:
    """All accounts by name."""
    require_role(who, "manage-people")
    with studio.read() as connection:
        slugs = people.slugs_by_person(connection)
        found = people.all_people(connection)
    return tuple(
        Account(
            each.name,
            each.role,
            each.is_active,
            bool(each.password),
            each.at,
            tuple(slugs.get(each.id, ())),
        )
        for each in found
    )


def change_person(
    studio: Studio,
    who: Person,
    name: str,
    *,
    role: str | None = None,
    is_active: bool | None = None,
    password: str | None = None,
) -> Account:
    """Changes the role or password of an account, closes it or opens it again.

    A closed account and one with a new password are signed out everywhere. Unfinished work that
    the account or the role no longer allows goes to others.
    """
    require_role(who, "manage-people")
    values: dict[str, str | bool] = {}
    if role is not None:
        values["role"] = checked_role(role)
    if is_active is not None:
        values["is_active"] = is_active
    if password is not None:
        values["password"] = hashed(checked_password(password, name))
    with studio.write() as connection:
        people.lock_people(connection)
        found = find_person(connection, name)
        if found is None:
            raise NotFoundError(f"there is nobody named '{name}'")
        if values:
            people.update_person(connection, found.id, **values)
        if is_active is False:
            release_everywhere(connection, studio.now(), found.id)
        if role is not None and role != found.role:
            release_role(connection, studio.now(), found.id, role)
        _require_administrator(connection, found)
        if is_active is False or password is not None:
            end_all(connection, found.id)
        told = {"about": found.id, **values}
        if password is not None:
            told["password"] = "new"
        studio.note(connection, who, "account-changed", told)
    return next(each for each in list_people(studio, who) if fold(each.name) == fold(name))


def change_password(
    studio: Studio, who: Person, current: str, password: str, *, token: str = ""
) -> None:
    """Changes one's own password; all one's sessions end but that of the token.

    Attempts are counted, so that nobody can guess the password at a browser left open.
    """
    with studio.read() as connection:
        found = people.person_by_id(connection, who.id)
    if found is not None and found.password:
        key = key_of("password", str(who.id))
        count_attempt(studio, {key: BY_NAME})
        if not matches(found.password, current):
            raise InputError("this is not your password", field="current")
        with studio.write() as connection:
            people.delete_attempts(connection, key)
    digest = hashed(checked_password(password, who.name))
    with studio.write() as connection:
        people.update_person(connection, who.id, password=digest)
        end_all(connection, who.id, but=token)
        studio.note(connection, who, "password-changed", {"about": who.id})


def sign_in(
    studio: Studio, name: str, password: str, *, address: str, instead: str = ""
) -> BrowserSession:
    """A session for whoever knows the password; `instead` is the browser's earlier session.

    A name that does not exist, one without a password and a wrong password are answered alike.
    """
    folded = fold(name)
    keys = keys_of(studio, folded, address)
    count_attempt(studio, keys)
    with studio.read() as connection:
        found = find_person(connection, name)
    kept = found.password if found is not None and found.is_active else ""
    if not matches(kept, password) or found is None:
        raise SignedOutError("the name or the password is wrong", code="wrong-password")
    renewed = hashed(password) if is_outdated(kept) else kept
    with studio.write() as connection:
        succeeded(studio, connection, keys, folded, address)
        if renewed != kept:
            people.replace_password(connection, found.id, kept, renewed)
        person = Person(found.id, found.name, found.role)
        return begin(studio, connection, person, instead=instead)


def sign_in_locally(studio: Studio, *, instead: str = "") -> BrowserSession:
    """A session for whoever runs a studio on their own computer and has shown its key."""
    person = local_administrator(studio)
    with studio.write() as connection:
        return begin(studio, connection, person, instead=instead)


def add_person(
    studio: Studio, connection: Connection, name: str, role: Role, digest: str
) -> Person:
    """A new account, within the caller's transaction; its name is checked, its password hashed."""
    if _is_taken(connection, name):
        raise InputError(f"the name '{name}' is taken", code="name-taken", field="name")
    new = StoredPerson(0, name, fold(name), digest, role, is_active=True, at=studio.now())
    return Person(people.insert_person(connection, new), name, role)


def find_person(connection: Connection, name: str) -> StoredPerson | None:
    """The account of that name, in whatever case it is written."""
    if not name.isprintable():  # nobody has such a name, and not every database can be asked
        return None
    return people.person_by_name(connection, fold(name))


def _is_taken(connection: Connection, name: str) -> bool:
    """Tells whether an account has a name that looks like this one, or a detector this one."""
    names = people.folded_names(connection)
    return skeleton(name) in map(skeleton, names) or is_detector(connection, name)


def _require_administrator(connection: Connection, changed: StoredPerson) -> None:
    """Raises if a change leaves no administrator who could undo it."""
    was_one = changed.role == "administrator" and changed.is_active
    with_password = bool(changed.password)
    if was_one and not people.count_administrators(connection, with_password=with_password):
        message = f"'{changed.name}' is the only administrator who can sign in; there has to be one"
        raise InputError(message, code="last-administrator", field="name")


def checked_password(password: str, name: str) -> str:
    """A password that may be used for an account of that name; raises otherwise."""
    kept = _composed(password)
    if not SHORTEST_PASSWORD <= len(kept) <= LONGEST_PASSWORD:
        message = (
            f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters, not {len(kept)}"
        )
        raise InputError(message, field="password")
    if _folded(kept) == _folded(name) or len(set(kept)) == 1:
        raise InputError("a password is not the name, nor one character again", field="password")
    return kept


def hashed(password: str) -> str:
    """The hash of a password (argon2id, with its parameters)."""
    return _hasher.hash(_composed(password).encode(errors="surrogatepass"))


def matches(kept: str, password: str) -> bool:
    """True if a password fits the hash.

    Without a hash the same work is done for a password that nobody has: the time of an answer
    does not tell who has an account.
    """
    given = _composed(password[: LONGEST_PASSWORD + 1]).encode(errors="surrogatepass")
    try:
        _hasher.verify(kept or _nobodys(), given)
    except (VerificationError, InvalidHashError):
        return False
    return bool(kept)


def is_outdated(kept: str) -> bool:
    """True if a hash was made with other parameters than are used now."""
    return _hasher.check_needs_rehash(kept)


@cache
def _nobodys() -> str:
    return hashed("a password that nobody has")


def _composed(password: str) -> str:
    """The same characters however the keyboard makes them."""
    return unicodedata.normalize("NFC", password)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
