"""Attempts to show a password: after some failures each has to wait longer for the next."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from assay.app.annotation.people.sessions import digest
from assay.app.annotation.studio import Studio
from assay.core.errors import AssayError
from assay.store.studio.database import lock
from assay.store.studio.tables import attempts

_FORGOTTEN_AFTER = timedelta(days=1)
_KNOWN_FOR = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Patience:
    """So many failures are free; from then on each doubles the wait, up to a longest one."""

    free: int
    longest: int  # seconds

    def wait(self, failures: int) -> timedelta:
        """How long after so many failures the next attempt may be made."""
        beyond = failures - self.free
        return timedelta(seconds=0 if beyond < 0 else min(self.longest, 2 ** min(beyond, 20)))


BY_NAME = Patience(free=5, longest=300)  # from one address
BY_NAME_ANYWHERE = Patience(free=50, longest=300)  # from addresses that the person never used
BY_ADDRESS = Patience(free=20, longest=900)  # a team may share one


class ThrottledError(AssayError):
    """Too many attempts; `retry_after` seconds from now is the time for another."""

    code = "throttled"

    def __init__(self, seconds: int) -> None:
        when = f"{seconds} seconds" if seconds > 1 else "a second"
        super().__init__(f"too many attempts; try again in {when}")
        self.retry_after = seconds


def count_attempt(studio: Studio, keys: Mapping[str, Patience]) -> None:
    """Counts an attempt before it is made; raises where it comes too early, which does not count.

    Many attempts at once do not help either, since each is counted first.
    """
    with studio.write() as connection:
        _count(connection, studio.clock(), keys)


def forgive(connection: Connection, key: str, now: str, *, is_all: bool) -> None:
    """Takes back an attempt that succeeded, or all of its key."""
    if is_all:
        connection.execute(delete(attempts).where(attempts.c.key == key))
    else:
        less = update(attempts).where(attempts.c.key == key, attempts.c.count > 0)
        connection.execute(less.values(count=attempts.c.count - 1, until=now))


def key_of(kind: str, *values: str) -> str:
    """The key under which the attempts of a name, an address or both are counted."""
    return f"{kind} {digest(chr(0).join(values))}"


def keys_of(studio: Studio, name: str, address: str) -> dict[str, Patience]:
    """What an attempt to sign in counts for.

    Strangers who fail for a name from many addresses make it wait there, but not at an address
    from which the person has signed in before.
    """
    keys = {
        key_of("name-address", name, address): BY_NAME,
        key_of("address", address): BY_ADDRESS,
    }
    known = select(attempts.c.until).where(attempts.c.key == key_of("known", name, address))
    with studio.read() as connection:
        until = connection.execute(known).scalar()
    if until is None or until <= studio.now():
        keys[key_of("name", name)] = BY_NAME_ANYWHERE
    return keys


def succeeded(
    studio: Studio, connection: Connection, keys: Iterable[str], name: str, address: str
) -> None:
    """Takes back what a success counted for, and remembers the address as one of the person's.

    Failures from other addresses stay: they are those of others.
    """
    lock(connection, attempts)
    here = key_of("name-address", name, address)
    for key in keys:
        forgive(connection, key, studio.now(), is_all=key == here)
    known = key_of("known", name, address)
    connection.execute(delete(attempts).where(attempts.c.key == known))
    until = _written(studio.clock() + _KNOWN_FOR)
    connection.execute(insert(attempts).values(key=known, count=0, until=until))


def _count(connection: Connection, now: datetime, keys: Mapping[str, Patience]) -> None:
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


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
