"""Results that are fetched or computed once and kept: pages, and what the network looks at."""

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.store.annotation.records import StoredFetch, StoredItem, StoredSnapshot, values_of
from assay.store.annotation.tables import fetches, items, related, snapshots


def keep_snapshot(connection: Connection, page: StoredSnapshot) -> None:
    """Keeps a page, unless it is there already."""
    _add_once(connection, snapshots, values_of(page))


def snapshot_words(connection: Connection, digest: str) -> tuple[str, str]:
    """The title and the text of a kept page."""
    query = select(snapshots.c.title, snapshots.c.text).where(snapshots.c.digest == digest)
    title, text = connection.execute(query).one()
    return title, text


def note_fetch(connection: Connection, fetch: StoredFetch) -> None:
    """Notes for which item somebody read a page."""
    _add_once(connection, fetches, values_of(fetch))


def fetches_of(connection: Connection, digest: str) -> list[tuple[StoredFetch, StoredItem]]:
    """The times that a page was read, and the items that it was read for."""
    query = (
        select(fetches, items)
        .join(items, items.c.id == fetches.c.item)
        .where(fetches.c.digest == digest)
        .order_by(fetches.c.at)
    )
    return [(StoredFetch(*row[:5]), StoredItem(*row[5:])) for row in connection.execute(query)]


def count_fetches(connection: Connection, person: int, item: int) -> int:
    """The number of pages that somebody read for an item."""
    query = select(func.count()).where(fetches.c.item == item, fetches.c.person == person)
    return int(connection.execute(query).scalar_one())


def keep_looks(connection: Connection, item: int, record: str) -> None:
    """Keeps what the network looks at in an item."""
    _add_once(connection, related, {"item": item, "record": record})


def looks_of(connection: Connection, item: int) -> str | None:
    """The passages that the network attends to in an item, if they are known."""
    query = select(related.c.record).where(related.c.item == item)
    return connection.execute(query).scalar()


def _add_once(connection: Connection, table: Table, values: dict[str, object]) -> None:
    is_server = connection.dialect.name == "postgresql"
    row = postgresql.insert(table) if is_server else sqlite.insert(table)
    connection.execute(row.values(**values).on_conflict_do_nothing())
