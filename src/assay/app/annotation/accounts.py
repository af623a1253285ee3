"""Accounts: the names of people, their passwords and roles."""

import unicodedata

from sqlalchemy import Connection, insert

from assay.app.annotation.studio import Person, Role, Studio
from assay.core.errors import InputError
from assay.store.studio.tables import people

LONGEST_NAME = 80
_TAKEN = frozenset({"final"})  # what a reference to a project's judgements calls the settled ones


def fold(name: str) -> str:
    """A name as it is compared: two that differ in case only are the same."""
    return unicodedata.normalize("NFKC", name).casefold()[:240]


def checked_name(name: str) -> str:
    """A name as it is kept; one that cannot be used raises."""
    kept = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(kept) <= LONGEST_NAME:
        message = f"a name has 1 to {LONGEST_NAME} characters, not {len(kept)}"
        raise InputError(message, field="name")
    if not kept.isprintable() or "/" in kept or kept in (".", ".."):
        message = "a name has no slash and no characters that cannot be seen"
        raise InputError(message, field="name")
    if fold(kept) in _TAKEN:
        raise InputError(f"'{kept}' has a meaning of its own; use another name", field="name")
    return kept


def add_person(
    studio: Studio, connection: Connection, name: str, role: Role, hashed: str
) -> Person:
    """A new account, within the caller's transaction; its name is free and its password hashed."""
    row = insert(people).values(
        name=name,
        folded=fold(name),
        password=hashed,
        role=role,
        is_active=True,
        at=studio.now(),
    )
    key = connection.execute(row).inserted_primary_key
    return Person(int(key[0]) if key else 0, name, role)
