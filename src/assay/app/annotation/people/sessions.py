"""Who is signed in: sessions that only their browser can name, and attempts that have to wait."""

import hashlib
import secrets as random
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from assay.app.annotation.studio import Person, Studio
from assay.core.errors import AssayError
from assay.store.studio.tables import people, secrets, sessions

LIFETIME = timedelta(days=14)
_RENEWED_AFTER = timedelta(days=1)  # writing at each request would be too often


class SignedOutError(AssayError):
    """Nobody is signed in, or no longer."""

    code = "signed-out"


@dataclass(frozen=True, slots=True)
class Session:
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
    """What is kept of a token: it cannot be used in the token's place."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def secret(studio: Studio, name: str = "cookies") -> str:
    """A secret of the studio, made when it is first asked for."""
    wanted = select(secrets.c.value).where(secrets.c.name == name)
    with studio.write() as connection:
        found = connection.execute(wanted).scalar()
        if found is None:
            found = random.token_urlsafe(32)
            connection.execute(insert(secrets).values(name=name, value=found))
    return str(found)


def begin(studio: Studio, connection: Connection, person: Person, *, instead: str = "") -> Session:
    """A new session; the browser's earlier one, if it had one, ends."""
    end(connection, instead)
    now = studio.clock()
    connection.execute(delete(sessions).where(sessions.c.until < _written(now)))
    made = Session(
        person, random.token_urlsafe(32), random.token_urlsafe(32), _written(now + LIFETIME)
    )
    connection.execute(
        insert(sessions).values(
            digest=digest(made.token),
            person=person.id,
            csrf=made.csrf,
            at=_written(now),
            until=made.until,
        )
    )
    return made


def find(studio: Studio, token: str) -> Session:
    """The session of a token, which lasts longer for being used."""
    kept = digest(token)
    query = (
        select(sessions.c.csrf, sessions.c.until, people.c.id, people.c.name, people.c.role)
        .join(people, people.c.id == sessions.c.person)
        .where(sessions.c.digest == kept, people.c.is_active)
    )
    with studio.read() as connection:
        row = connection.execute(query).first()
    now = studio.clock()
    if row is None or row.until <= _written(now):
        raise SignedOutError("you are not signed in")
    person, until = Person(row.id, row.name, row.role), _written(now + LIFETIME)
    if row.until > _written(now + LIFETIME - _RENEWED_AFTER):
        return Session(person, token, row.csrf, row.until)
    with studio.write() as connection:
        connection.execute(update(sessions).where(sessions.c.digest == kept).values(until=until))
    return Session(person, token, row.csrf, until, is_renewed=True)


def sign_out(studio: Studio, token: str) -> None:
    """Ends a session."""
    with studio.write() as connection:
        end(connection, token)


def end(connection: Connection, token: str) -> None:
    """Ends the session of a token, if there is one."""
    if token:
        connection.execute(delete(sessions).where(sessions.c.digest == digest(token)))


def end_all(connection: Connection, person: int, *, but: str = "") -> None:
    """Ends all sessions of a person but, where given, that of one token."""
    ended = delete(sessions).where(sessions.c.person == person)
    connection.execute(ended.where(sessions.c.digest != digest(but)) if but else ended)


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
