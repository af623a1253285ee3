"""A studio, opened: its database, and the people who act in it."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from assay.store.annotation.database import Connection, StudioDatabase, open_database
from assay.store.annotation.events import note_event
from assay.store.annotation.judgement_sets import require_studio, studio_place
from assay.store.annotation.records import ITEM_STATES as ITEM_STATES
from assay.store.annotation.records import ItemState as ItemState
from assay.store.annotation.records import Purpose as Purpose
from assay.store.annotation.records import Role as Role
from assay.store.annotation.records import Stage as Stage


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of items by their state, in the order in which an item goes through them."""
    return {state: counts[state] for state in ITEM_STATES if counts.get(state)}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account, who acts."""

    id: int
    name: str
    role: Role

    @property
    def account(self) -> int | None:
        """The number by which events name the person; None for the keeper, who has no account."""
        return self.id or None


# Whoever has the database itself: nobody could keep them from anything, and no request acts so.
KEEPER = Person(0, "", "administrator")


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def written(time: datetime) -> str:
    """A time in ISO 8601, to the millisecond, as the database keeps and compares it."""
    return time.isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class Studio:
    """A database of projects; `clock` tells the time, and a test may set it."""

    database: StudioDatabase
    clock: Callable[[], datetime] = field(default=utc_now)

    def read(self) -> AbstractContextManager[Connection]:
        """A view of the database that does not change meanwhile."""
        return self.database.read()

    def write(self) -> AbstractContextManager[Connection]:
        """A transaction: all of it is on disk when this ends, or nothing where it raises."""
        return self.database.write()

    def now(self) -> str:
        """The time in ISO 8601, to the millisecond."""
        return written(self.clock())

    def note(
        self,
        connection: Connection,
        who: Person | None,
        kind: str,
        detail: Mapping[str, object],
        project: int | None = None,
    ) -> None:
        """Writes down what somebody did, in the caller's transaction."""
        told = json.dumps(detail, ensure_ascii=False)
        person = who.account if who else None
        note_event(connection, self.now(), kind, told, project=project, person=person)

    def close(self) -> None:
        """Lets go of the database."""
        self.database.close()


def open_studio(place: str) -> Studio:
    """The studio in a SQLite file, which is made if need be, or at the URL of a PostgreSQL."""
    return Studio(open_database(place))


def find_studio(place: str | None = None, *, must_exist: bool = False) -> Studio:
    """The studio at a place, or where the environment says, or in a file of this folder.

    One that `must_exist` is not made.
    """
    found = studio_place(place)
    if must_exist:
        require_studio(found)
    return open_studio(found)
