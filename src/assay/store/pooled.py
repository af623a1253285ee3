"""A database that serves many threads: a SQLite file or a PostgreSQL server, with a pool.

What is written is on the disk when its transaction ends, since people are told that it is saved.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from assay.core.errors import InputError
from assay.store.database import failing_as_input, is_url, postgres_engine, shown
from assay.store.lineages import Lineage, prepare

_PATIENCE = 30  # seconds to wait for another process that writes
_CONNECTIONS = 16


@dataclass(frozen=True)
class PooledDatabase:
    """A database of `noun`; messages call it `place`."""

    engine: Engine
    place: str
    noun: str

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection whose reads all see the same state."""
        with failing_as_input(f"the {self.noun} {self.place}"), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction; on SQLite nobody else writes meanwhile."""
        with failing_as_input(f"the {self.noun} {self.place}"), self.engine.connect() as connection:
            writing = connection.execution_options(pooled_writes=True)
            with writing.begin():
                yield writing

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


def open_pooled(place: str, lineage: Lineage, *, what: str, refusal: str) -> PooledDatabase:
    """The database at a path or URL, with its tables made or brought up to date.

    `what` names the use of a server for which a package is missing, and `refusal` says where to
    keep what another URL names.
    """
    if is_url(place):
        engine = postgres_engine(
            place,
            what=what,
            refusal=refusal,
            field=lineage.field,
            poolclass=QueuePool,
            pool_size=_CONNECTIONS,
            pool_pre_ping=True,
        )
        database = PooledDatabase(engine, shown(place), lineage.noun)
    else:
        database = PooledDatabase(_file_engine(Path(place), lineage), place, lineage.noun)
    try:
        with database.write() as connection:
            prepare(connection, lineage, database.place)
    except BaseException:
        database.close()
        raise
    return database


def _file_engine(path: Path, lineage: Lineage) -> Engine:
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a database", field=lineage.field)
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} for {path.name}", field=lineage.field)
    if path.exists() and path.stat().st_size:
        _require_ours(path, lineage)

    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(
            path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        _write_ahead(raw)
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
        writes = connection.get_execution_options().get("pooled_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _write_ahead(raw: sqlite3.Connection) -> None:
    """Has changes go to a log first; SQLite itself does not wait while another process does so."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            raw.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _require_ours(path: Path, lineage: Lineage) -> None:
    """Looks at a file before anything could change it."""
    try:
        raw = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            raw.execute("BEGIN")  # both are of one state: another process may just make the tables
            mark = raw.execute("PRAGMA application_id").fetchone()[0]
            is_empty = not raw.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        finally:
            raw.close()
    except sqlite3.Error as error:
        problem = f"{path} is not a {lineage.noun}: {error}"
        raise InputError(problem, field=lineage.field) from None
    if mark != lineage.mark and not is_empty:  # one without tables may be about to become one
        raise InputError(
            f"{path} is not a {lineage.noun} of assay: it is another SQLite file",
            field=lineage.field,
        )
