"""Attempts to show a password: after some failures each has to wait longer for the next."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.annotation.people.sessions import digest
from assay.annotation.studio import Studio, written
from assay.core.errors import AssayError
from assay.store.annotation import people
from assay.store.annotation.database import Connection

_FORGOTTEN_AFTER = timedelta(days=1)
_KNOWN_FOR = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Patience:
    """A number of failures without a wait; each further one doubles it, up to the longest."""

    free: int
    longest: int  # seconds

    def wait(self, failures: int) -> timedelta:
        """The time to wait after so many failures."""
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
    """Counts an attempt before it is made; raises if it comes too early, and does not count it.

    Since each is counted first, many attempts at once do not help.
    """
    with studio.write() as connection:
        _count(connection, studio.clock(), keys)


def forgive(connection: Connection, key: str, now: str, *, is_all: bool) -> None:
    """Takes back an attempt that succeeded, or all of its key."""
    if is_all:
        people.delete_attempts(connection, key)
    else:
        people.take_back_attempt(connection, key, now)


def key_of(kind: str, *values: str) -> str:
    """The key under which the attempts of a name, an address or both are counted."""
    return f"{kind} {digest(chr(0).join(values))}"


def keys_of(studio: Studio, name: str, address: str) -> dict[str, Patience]:
    """The keys that an attempt to sign in is counted under.

    Strangers who fail for a name from many addresses make it wait there, but not at an address
    from which the person has signed in before.
    """
    keys = {
        key_of("name-address", name, address): BY_NAME,
        key_of("address", address): BY_ADDRESS,
    }
    known = key_of("known", name, address)
    with studio.read() as connection:
        found = people.attempts_by_key(connection, [known]).get(known)
    if found is None or found.until <= studio.now():
        keys[key_of("name", name)] = BY_NAME_ANYWHERE
    return keys


def succeeded(
    studio: Studio, connection: Connection, keys: Iterable[str], name: str, address: str
) -> None:
    """Takes back what a success counted for, and remembers the address as one of the person's.

    Failures from other addresses stay: they are those of others.
    """
    people.lock_attempts(connection)
    here = key_of("name-address", name, address)
    for key in keys:
        forgive(connection, key, studio.now(), is_all=key == here)
    until = written(studio.clock() + _KNOWN_FOR)
    people.put_attempts(connection, key_of("known", name, address), 0, until)


def _count(connection: Connection, now: datetime, keys: Mapping[str, Patience]) -> None:
    people.lock_attempts(connection)
    people.delete_old_attempts(connection, written(now - _FORGOTTEN_AFTER))
    found = people.attempts_by_key(connection, keys)
    early = [datetime.fromisoformat(each.until) - now for each in found.values()]
    wait = max(early, default=timedelta(0)).total_seconds()
    if wait > 0:
        raise ThrottledError(math.ceil(wait))
    for key, patience in keys.items():
        count = 1 + (found[key].count if key in found else 0)
        people.put_attempts(connection, key, count, written(now + patience.wait(count)))
