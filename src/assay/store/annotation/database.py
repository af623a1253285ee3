"""The database of a studio: a SQLite file, or a PostgreSQL server by its URL, with a pool."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection as Connection  # what annotation hands to the store's functions
from sqlalchemy import Engine, Table, create_engine, event, inspect, text
from sqlalchemy.pool import QueuePool

from assay.core.errors import InputError
from assay.store.annotation.tables import HEAD, VERSION_TABLE, metadata
from assay.store.database import failing_as_input, is_url, postgres_engine, shown

_MARK = 0x41535354  # tells our SQLite files from others, and from runs
_PATIENCE = 30  # seconds to wait for another process that writes
_CONNECTIONS = 16


@dataclass(frozen=True)
class StudioDatabase:
    """The database of a studio; messages call it `place`."""

    engine: Engine
    place: str

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection whose reads all see the same state."""
        with failing_as_input(f"the studio {self.place}"), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction; on SQLite nobody else writes meanwhile."""
        with failing_as_input(f"the studio {self.place}"), self.engine.connect() as connection:
            writing = connection.execution_options(studio_writes=True)
            with writing.begin():
                yield writing

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


def lock(connection: Connection, table: Table) -> None:
    """Keeps others from changing a table until the transaction ends, where that takes more than it.

    On SQLite nobody else writes during a transaction that does.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))


def open_database(place: str) -> StudioDatabase:
    """The database at a path or URL, with its tables made or brought up to date."""
    database = _server(place) if is_url(place) else _file(Path(place))
    try:
        with database.write() as connection:
            _prepare(connection, database.place)
    except BaseException:
        database.close()
        raise
    return database


def _server(url: str) -> StudioDatabase:
    engine = postgres_engine(
        url,
        what="keeping a studio in PostgreSQL",
        refusal="a studio is kept in a SQLite file or in PostgreSQL (postgresql://...)",
        field="database",
        poolclass=QueuePool,
        pool_size=_CONNECTIONS,
        pool_pre_ping=True,
    )
    return StudioDatabase(engine, shown(url))


def _file(path: Path) -> StudioDatabase:
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a database", field="database")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} for {path.name}", field="database")
    if path.exists() and path.stat().st_size:
        _require_ours(path)

    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(
            path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        raw.execute("PRAGMA journal_mode = WAL")
        # NORMAL would survive a killed process, but not a loss of power: what people were told is
        # saved is on the disk, for about 4 ms a change (NORMAL: 0.03 ms).
        raw.execute("PRAGMA synchronous = FULL")
        raw.execute("PRAGMA foreign_keys = ON")
        return raw

    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=_CONNECTIONS
    )

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        writes = connection.get_execution_options().get("studio_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return StudioDatabase(engine, str(path))


def _require_ours(path: Path) -> None:
    """Looks at a file before anything could change it."""
    try:
        raw = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            mark = raw.execute("PRAGMA application_id").fetchone()[0]
            is_empty = not raw.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        finally:
            raw.close()
    except sqlite3.Error as error:
        raise InputError(f"{path} is not a studio: {error}", field="database") from None
    if mark != _MARK and not is_empty:  # one without tables may be about to become a studio
        raise InputError(
            f"{path} is not a studio of assay: it is another SQLite file", field="database"
        )


def _prepare(connection: Connection, place: str) -> None:
    """Makes the tables of an empty database, or brings older ones up to date."""
    if connection.dialect.name == "postgresql":  # one at a time
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MARK})
    if not inspect(connection).has_table(VERSION_TABLE):
        metadata.create_all(connection)
        connection.execute(text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES (:head)"), {"head": HEAD})
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA application_id = {_MARK}")
        return
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    if found == HEAD:
        return
    from assay.store.annotation.migrations import LINEAGE
    from assay.store.migrations import is_known, upgrade

    if not is_known(str(found), LINEAGE):
        raise InputError(
            f"{place} was written by a newer version of assay (its form is {found}, and this "
            f"version reads up to {HEAD})",
            code="newer-studio",
            field="database",
        )
    upgrade(connection, lineage=LINEAGE)
