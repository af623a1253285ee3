"""Signing in, and the growing waits of whoever fails to."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from assay.app.annotation.accounts import find_person, fold, local_administrator
from assay.app.annotation.passwords import hashed, is_outdated, matches
from assay.app.annotation.sessions import Session, SignedOutError, begin, digest
from assay.app.annotation.studio import Person, Studio
from assay.core.errors import AssayError
from assay.store.studio.database import lock
from assay.store.studio.tables import attempts, people

_FORGOTTEN_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Patience:
    """So many failures are free; from then on each doubles the wait, up to a longest one."""

    free: int
    longest: int  # seconds

    def wait(self, failures: int) -> timedelta:
        """How long after so many failures the next attempt may be made."""
        beyond = failures - self.free
        return timedelta(seconds=0 if beyond < 0 else min(self.longest, 2 ** min(beyond, 20)))


BY_NAME = Patience(free=5, longest=300)
BY_ADDRESS = Patience(free=20, longest=900)  # a team may share one


class ThrottledError(AssayError):
    """Too many attempts; `retry_after` seconds from now is the time for another."""

    code = "throttled"

    def __init__(self, seconds: int) -> None:
        when = f"{seconds} seconds" if seconds > 1 else "a second"
        super().__init__(f"too many attempts to sign in; try again in {when}")
        self.retry_after = seconds


def sign_in(
    studio: Studio, name: str, password: str, *, address: str, instead: str = ""
) -> Session:
    """A session for whoever knows the password; `instead` is the browser's earlier session.

    An attempt counts before it is made, so that many at once do not help either. A name that does
    not exist, one without a password and a wrong password are answered alike.
    """
    keys = {_key("name", fold(name)): BY_NAME, _key("address", address): BY_ADDRESS}
    with studio.write() as connection:
        _count(connection, studio.clock(), keys)
    with studio.read() as connection:
        row = find_person(connection, name)
    kept = row.password if row is not None and row.is_active else ""
    if not matches(kept, password) or row is None:
        raise SignedOutError("the name or the password is wrong", code="wrong-password")
    renewed = hashed(password) if is_outdated(kept) else kept
    with studio.write() as connection:
        for key in keys:
            _forgive(connection, key, studio.now(), is_all=key.startswith("name"))
        if renewed != kept:
            connection.execute(
                update(people)
                .where(people.c.id == row.id, people.c.password == kept)
                .values(password=renewed)
            )
        person = Person(row.id, row.name, row.role)
        return begin(studio, connection, person, instead=instead)


def sign_in_locally(studio: Studio, *, instead: str = "") -> Session:
    """A session for whoever runs a studio on their own computer and has shown its key."""
    person = local_administrator(studio)
    with studio.write() as connection:
        return begin(studio, connection, person, instead=instead)


def _count(connection: Connection, now: datetime, keys: dict[str, Patience]) -> None:
    """Counts an attempt; raises where it comes too early, which does not count."""
    lock(connection, attempts)
    old = _written(now - _FORGOTTEN_AFTER)
    connection.execute(delete(attempts).where(attempts.c.until < old))
    rows = connection.execute(select(attempts).where(attempts.c.key.in_(keys)))
    found: dict[str, Row[Any]] = {row.key: row for row in rows}
    early = [datetime.fromisoformat(row.until) - now for row in found.values()]
    wait = max(early, default=timedelta(0)).total_seconds()
    if wait > 0:
        raise ThrottledError(math.ceil(wait))
    for key, patience in keys.items():
        count = 1 + (found[key]._mapping["count"] if key in found else 0)
        values = {"count": count, "until": _written(now + patience.wait(count))}
        if key in found:
            connection.execute(update(attempts).where(attempts.c.key == key).values(**values))
        else:
            connection.execute(insert(attempts).values(key=key, **values))


def _forgive(connection: Connection, key: str, now: str, *, is_all: bool) -> None:
    """Takes back an attempt that succeeded; those by name with all before it."""
    if is_all:
        connection.execute(delete(attempts).where(attempts.c.key == key))
    else:
        less = update(attempts).where(attempts.c.key == key, attempts.c.count > 0)
        connection.execute(less.values(count=attempts.c.count - 1, until=now))


def _key(kind: str, value: str) -> str:
    return f"{kind} {digest(value)}"


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
