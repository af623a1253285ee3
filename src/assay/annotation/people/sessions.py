"""Signing in: sessions, each known by a token that only its browser has, and failed attempts.

After some failures each attempt to show a password has to wait longer for the next.
"""

import hashlib
import math
import secrets as random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.annotation.studio import Person, Studio, written
from assay.core.errors import AssayError
from assay.store.annotation import people
from assay.store.annotation.database import Connection

_FORGOTTEN_AFTER = timedelta(days=1)
_KNOWN_FOR = timedelta(days=60)
LIFETIME = timedelta(days=14)
_RENEWED_AFTER = timedelta(days=1)  # writing at each request would be too often


class SignedOutError(AssayError):
    """Nobody is signed in, or no longer."""

    code = "signed-out"


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """Somebody who is signed in.

    `token` is the secret of the browser, `csrf` that of its pages. `is_renewed` where the browser
    should be told that the session lasts longer now.
    """

    person: Person
    token: str
    csrf: str
    until: str
    is_renewed: bool = False


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


def digest(token: str) -> str:
    """The digest of a token that is kept; it cannot be used in the token's place."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def secret(studio: Studio, name: str = "cookies") -> str:
    """A secret of the studio, made when it is first asked for."""
    with studio.write() as connection:
        found = people.find_secret(connection, name)
        if found is None:
            found = random.token_urlsafe(32)
            people.insert_secret(connection, name, found)
    return found


def begin(
    studio: Studio, connection: Connection, person: Person, *, instead: str = ""
) -> BrowserSession:
    """A new session; the browser's earlier one, if it had one, ends."""
    end(connection, instead)
    now = studio.clock()
    token, csrf, until = random.token_urlsafe(32), random.token_urlsafe(32), written(now + LIFETIME)
    people.insert_session(
        connection, digest(token), person.id, csrf=csrf, at=written(now), until=until
    )
    return BrowserSession(person, token, csrf, until)


def find(studio: Studio, token: str) -> BrowserSession:
    """The session of a token, which lasts longer for being used."""
    kept = digest(token)
    with studio.read() as connection:
        found = people.session_by_digest(connection, kept)
    now = studio.clock()
    if found is None or found.until <= written(now):
        raise SignedOutError("you are not signed in")
    person, until = Person(found.id, found.name, found.role), written(now + LIFETIME)
    if found.until > written(now + LIFETIME - _RENEWED_AFTER):
        return BrowserSession(person, token, found.csrf, found.until)
    with studio.write() as connection:
        people.extend_session(connection, kept, until)
    return BrowserSession(person, token, found.csrf, until, is_renewed=True)


def sign_out(studio: Studio, token: str) -> None:
    """Ends a session."""
    with studio.write() as connection:
        end(connection, token)


def end(connection: Connection, token: str) -> None:
    """Ends the session of a token, if there is one."""
    if token:
        people.delete_session(connection, digest(token))


def end_all(connection: Connection, person: int, *, but: str = "") -> None:
    """Ends all sessions of a person but, where given, that of one token."""
    people.delete_sessions(connection, person, but=digest(but) if but else "")


def count_attempt(studio: Studio, keys: Mapping[str, Patience]) -> None:
    """Counts an attempt before it is made; raises if it comes too early, and does not count it.

    Since each is counted first, many attempts at once do not help.
    """
    with studio.write() as connection:
        now = studio.clock()
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
    people.delete_attempts(connection, here)
    for key in keys:
        people.take_back_attempt(connection, key, studio.now())
    until = written(studio.clock() + _KNOWN_FOR)
    people.put_attempts(connection, key_of("known", name, address), 0, until)
