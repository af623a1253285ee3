"""Tables that change together: made in an empty database, or brought up to date in an older one.

Runs, the studio and jobs each have a lineage of their own, so that they can share a server and none
waits for the changes of another.
"""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, MetaData, inspect, text

from assay.core.errors import InputError

PATIENCE = 30  # seconds to wait for others who use the tables that are to change


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
    """Makes the tables of an empty database, or brings older ones up to date.

    On a server one process at a time does so; the others wait, or give up after a while. Who finds
    tables of the present form waits for nobody.
    """
    if connection.dialect.name == "postgresql":
        if _has_tables(connection, lineage) and not is_old(connection, lineage, place):
            return
        connection.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}s'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lineage.mark})
    if not _has_tables(connection, lineage):
        _require_unused(connection, lineage, place)
        make(connection, lineage)
    elif is_old(connection, lineage, place):
        upgrade(connection, lineage)


def _has_tables(connection: Connection, lineage: Lineage) -> bool:
    return inspect(connection).has_table(lineage.version_table)


def _require_unused(connection: Connection, lineage: Lineage, place: str) -> None:
    """Raises where the name of a table is taken by something that is not ours."""
    others = set(inspect(connection).get_table_names()) & set(lineage.metadata.tables)
    if others:
        raise InputError(
            f"{place} is not a {lineage.noun} of assay: it has another table "
            f"'{min(others)}'; name another database",
            field=lineage.field,
        )


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
    """Runs the migrations that a database lacks, within the caller's transaction.

    On a server nobody uses the tables meanwhile. They are locked all at once and in the order in
    which a run writes them, so that the migration and a run never wait for each other.
    """
    from assay.store import migrations

    if connection.dialect.name == "postgresql":
        there = set(inspect(connection).get_table_names())
        names = [each.name for each in lineage.metadata.sorted_tables if each.name in there]
        connection.execute(text(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE"))
    migrations.upgrade(connection, lineage)
