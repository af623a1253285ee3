"""Sessions: people who are signed in, each known by a token that only their browser has."""

import hashlib
import secrets as random
from dataclasses import dataclass
from datetime import timedelta

from assay.annotation.studio import Person, Studio, written
from assay.core.errors import AssayError
from assay.store.annotation import people
from assay.store.annotation.database import Connection

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
