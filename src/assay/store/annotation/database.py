"""The database of a studio: a SQLite file, or a PostgreSQL server by its URL, with a pool."""

from pathlib import Path

from sqlalchemy import Connection as Connection  # what annotation hands to the store's functions
from sqlalchemy import Table, text

from assay.store.annotation.tables import HEAD, VERSION_TABLE, metadata
from assay.store.lineages import Lineage
from assay.store.pooled import PooledDatabase as StudioDatabase
from assay.store.pooled import open_pooled

STUDIO = Lineage(
    noun="studio",
    metadata=metadata,
    head=HEAD,
    mark=0x41535354,
    folder=Path(__file__).parent / "migrations",
    version_table=VERSION_TABLE,
    newer="newer-studio",
    field="database",
)

__all__ = ["Connection", "StudioDatabase", "lock", "open_database"]


def lock(connection: Connection, table: Table) -> None:
    """Keeps others from changing a table until the transaction ends, where that takes more than it.

    On SQLite nobody else writes during a transaction that does.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))


def open_database(place: str) -> StudioDatabase:
    """The database at a path or URL, with its tables made or brought up to date."""
    return open_pooled(
        place,
        STUDIO,
        what="keeping a studio in PostgreSQL",
        refusal="a studio is kept in a SQLite file or in PostgreSQL (postgresql://...)",
    )
