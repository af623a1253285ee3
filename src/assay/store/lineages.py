"""Tables that change together: made in an empty database, or brought up to date in an older one.

Runs, the studio and jobs each have a lineage of their own, so that they can share a server and none
waits for the changes of another.
"""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, MetaData, inspect, text

from assay.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Lineage:
    """The tables as they are now, `head` that says which form this is, and what led there.

    `noun` is the user's word for what the tables hold, and `mark` tells a SQLite file with it from
    others.
    """

    noun: str
    metadata: MetaData
    head: str
    mark: int
    folder: Path  # of the migrations
    version_table: str = "alembic_version"
    newer: str = "newer-run"  # code of the error for a form of a later version
    field: str = ""


def prepare(connection: Connection, lineage: Lineage, place: str) -> None:
    """Makes the tables of an empty database, or brings older ones up to date."""
    if connection.dialect.name == "postgresql":  # one at a time
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lineage.mark})
    if not inspect(connection).has_table(lineage.version_table):
        make(connection, lineage)
    elif is_old(connection, lineage, place):
        upgrade(connection, lineage)


def make(connection: Connection, lineage: Lineage) -> None:
    """All tables in their present form."""
    table = lineage.version_table
    lineage.metadata.create_all(connection)
    connection.execute(text(f"CREATE TABLE {table} (version_num VARCHAR(32) NOT NULL)"))
    connection.execute(text(f"INSERT INTO {table} VALUES (:head)"), {"head": lineage.head})
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {lineage.mark}")


def is_old(connection: Connection, lineage: Lineage, place: str) -> bool:
    """True if the tables have an older form; one of a later version of ours raises."""
    query = text(f"SELECT version_num FROM {lineage.version_table}")
    found = connection.execute(query).scalar()
    if found == lineage.head:
        return False
    if not found:
        raise InputError(f"{place} is damaged: it does not say its form", code="damaged")
    from assay.store.migrations import is_known

    if not is_known(str(found), lineage):
        raise InputError(
            f"{place} was written by a newer version of assay (its form is {found}, and this "
            f"version reads up to {lineage.head})",
            code=lineage.newer,
            field=lineage.field,
        )
    return True


def upgrade(connection: Connection, lineage: Lineage) -> None:
    """Runs the migrations that a database lacks, within the caller's transaction."""
    from assay.store import migrations

    migrations.upgrade(connection, lineage)
