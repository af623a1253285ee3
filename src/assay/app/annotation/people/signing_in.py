"""Signing in: by a name and a password, or by the key of one's own studio."""

from sqlalchemy import update

from assay.app.annotation.people.accounts import find_person, local_administrator
from assay.app.annotation.people.attempts import count_attempt, keys_of, succeeded
from assay.app.annotation.people.names import fold
from assay.app.annotation.people.passwords import hashed, is_outdated, matches
from assay.app.annotation.people.sessions import Session, SignedOutError, begin
from assay.app.annotation.studio import Person, Studio
from assay.store.studio.tables import people


def sign_in(
    studio: Studio, name: str, password: str, *, address: str, instead: str = ""
) -> Session:
    """A session for whoever knows the password; `instead` is the browser's earlier session.

    A name that does not exist, one without a password and a wrong password are answered alike.
    """
    folded = fold(name)
    keys = keys_of(studio, folded, address)
    count_attempt(studio, keys)
    with studio.read() as connection:
        row = find_person(connection, name)
    kept = row.password if row is not None and row.is_active else ""
    if not matches(kept, password) or row is None:
        raise SignedOutError("the name or the password is wrong", code="wrong-password")
    renewed = hashed(password) if is_outdated(kept) else kept
    with studio.write() as connection:
        succeeded(studio, connection, keys, folded, address)
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
