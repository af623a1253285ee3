"""What is worked out or fetched once and kept: pages from outside, and where the network looks."""

from typing import Any

from sqlalchemy import Connection, Row, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.store.studio.tables import fetches, items, related, snapshots


def keep_snapshot(connection: Connection, **values: object) -> None:
    """Keeps a page, unless it is there already."""
    _add_once(connection, snapshots, values)


def note_fetch(connection: Connection, **values: object) -> None:
    """Notes for which item somebody read a page."""
    _add_once(connection, fetches, values)


def fetches_of(connection: Connection, digest: str) -> list[Row[Any]]:
    """Who read a page, for which items."""
    query = (
        select(fetches.c.address, fetches.c.at, fetches.c.person, items)
        .join(items, items.c.id == fetches.c.item)
        .where(fetches.c.digest == digest)
        .order_by(fetches.c.at)
    )
    return list(connection.execute(query))


def count_fetches(connection: Connection, person: int, item: int) -> int:
    """How many pages somebody read for an item."""
    query = select(func.count()).where(fetches.c.item == item, fetches.c.person == person)
    return int(connection.execute(query).scalar_one())


def keep_looks(connection: Connection, item: int, record: str) -> None:
    """Keeps where the network looks in an item."""
    _add_once(connection, related, {"item": item, "record": record})


def looks_of(connection: Connection, item: int) -> str | None:
    """Where the network looks in an item, if that is known."""
    query = select(related.c.record).where(related.c.item == item)
    return connection.execute(query).scalar()


def _add_once(connection: Connection, table: Table, values: dict[str, object]) -> None:
    is_server = connection.dialect.name == "postgresql"
    row = postgresql.insert(table) if is_server else sqlite.insert(table)
    connection.execute(row.values(**values).on_conflict_do_nothing())
