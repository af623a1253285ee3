"""A database opened: a SQLite file, or a PostgreSQL server by its URL."""

import logging
import secrets
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from assay.core.errors import InputError, MissingExtraError
from assay.core.system.urls import is_url as is_url
from assay.core.system.urls import shown as shown
from assay.store.lineages import Lineage, is_old, make, prepare, upgrade
from assay.store.tables import HEAD, metadata

RUNS = Lineage("run", metadata, HEAD, 0x41535359, Path(__file__).parent / "migrations")
_ROOM = "room"  # a key that no reply has
_PATIENCE = 30  # seconds to wait for another process that writes
_WATCHED = {  # so that a server whose machine or network has gone is noticed in a minute
    "connect_timeout": 30,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_ADVICE = {  # by what a server calls an error
    "55P03": "another process is bringing the tables up to date, or keeps them in a transaction "
    "that it does not end; begin again when that is over",
    "42501": "ask whoever runs the server for the right to it",
    "25006": "this server only copies another one: name that one",
}
_NO_MORE = ("too many clients", "too many connections", "connection slots", "no more connections")


def server_engine(url: str) -> Engine:
    """The engine of a PostgreSQL server; its tables are made or brought up to date."""
    place = shown(url)
    with failing_as_input(f"the database {place}"):
        engine = postgres_engine(
            url,
            what="keeping runs in PostgreSQL",
            refusal="runs are kept in a folder or in PostgreSQL (postgresql://...)",
            field="runs",
            poolclass=NullPool,
            paramstyle="format",
            autocommit=True,
        )
        with engine.begin() as connection:
            prepare(connection, RUNS, place)
    return engine


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def postgres_engine(
    url: str, *, what: str, refusal: str, field: str, autocommit: bool = False, **options: Any
) -> Engine:
    """The engine of a PostgreSQL server; `refusal` says where to keep what another URL names.

    With `autocommit`, what goes past SQLAlchemy to the driver leaves no transaction open.
    """
    if not url.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        raise InputError(f"{refusal}, not at {shown(url)}", field=field)
    address = "postgresql+psycopg://" + url.partition("://")[2]
    for name in ("psycopg", "sqlalchemy"):  # what they log of a server that has gone is raised too
        if not (library := logging.getLogger(name)).handlers:
            library.addHandler(logging.NullHandler())
    try:
        stated = make_url(address).query
        watched = {name: value for name, value in _WATCHED.items() if name not in stated}
        engine = create_engine(
            address, connect_args={"autocommit": autocommit, **watched}, **options
        )
    except ModuleNotFoundError:
        raise MissingExtraError(what, "postgres") from None
    except (ValueError, ArgumentError):
        raise InputError(f"{shown(url)} is not the URL of a database", field=field) from None
    if autocommit:
        event.listen(engine, "begin", _begin)
    return engine


def file_engine(path: Path, mode: str) -> Engine:
    """The engine of a SQLite file, opened to read (`ro`), to write (`rw`) or to create (`rwc`)."""

    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,  # transactions begin where we say
            check_same_thread=False,  # the calls are made in a thread of their own
        )
        if mode == "rw":  # readers see whole judgements while more are written
            raw.execute("PRAGMA journal_mode = WAL")
            raw.execute("PRAGMA synchronous = NORMAL")
        return raw

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if mode == "ro" else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def created_file(path: Path) -> Iterator[Connection]:
    """A new SQLite file with all tables of this version, to be filled before it is used."""
    engine = file_engine(path, "rwc")
    with failing_as_input(f"the run {path}"), engine.begin() as connection:
        make(connection, RUNS)
        yield connection
    engine.dispose()


def open_file(path: Path, *, to_write: bool) -> Engine:
    """The engine of a file that holds a run; anything else raises and says what it is instead.

    It is looked at before anything could change it.
    """
    if not path.is_file():
        what = "a folder" if path.is_dir() else "a link to nothing" if path.is_symlink() else ""
        raise InputError(f"{path} is not a run of assay: it is {what or 'no file'}")
    with failing_as_input(f"the run {path}"):
        with file_engine(path, "ro").connect() as connection:
            is_outdated = _is_old_run(connection, path)
        if is_outdated:
            with file_engine(path, "rw").begin() as connection:
                upgrade(connection, RUNS)
    return file_engine(path, "rw" if to_write else "ro")


def require_form(engine: Engine, place: str) -> None:
    """Raises where a newer version of assay has changed the tables that this one opened."""
    found = RUNS.head
    with suppress(SQLAlchemyError), engine.connect() as connection:
        query = text(f"SELECT version_num FROM {RUNS.version_table}")
        found = str(connection.execute(query).scalar())
    if found != RUNS.head:
        raise InputError(
            f"a newer version of assay has changed the tables of the run {place} while this one "
            "used them; what was written is kept, and that version goes on with it",
            code=RUNS.newer,
        )


def fold_in(connection: Connection) -> None:
    """Takes what SQLite wrote into files beside its own into that; somebody who reads prevents it.

    A file of its own can be copied, and read where nothing can be written.
    """
    if connection.dialect.name == "sqlite":
        with suppress(sqlite3.Error):
            _driver(connection).execute("PRAGMA journal_mode = DELETE")


@contextmanager
def failing_as_input(what: str, field: str = "") -> Iterator[None]:
    """Errors of a database as one line for the user; `field` names the option that chose it."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise unusable(what, cause or error, field) from None
    except _driver_errors() as error:  # of what goes past SQLAlchemy
        raise unusable(what, error, field) from None
    except UnicodeDecodeError as error:  # SQLite's own message about a damaged file
        raise unusable(what, error, field) from None


def _driver_errors() -> tuple[type[Exception], ...]:
    """The errors of the drivers, of which that of a server need not be installed."""
    psycopg = sys.modules.get("psycopg")
    return (sqlite3.Error, psycopg.Error) if psycopg else (sqlite3.Error,)


def unusable(what: str, cause: BaseException, field: str = "") -> InputError:
    """The error for something that a database refuses, with the first line of its reason."""
    reason = str(cause).strip().splitlines()
    message = f"cannot use {what}: {reason[0] if reason else type(cause).__name__}"
    if _is_full(cause):
        return InputError(f"{message}; make room, and then it goes on", code="disk-full")
    if advice := _advice(cause):
        message = f"{message}; {advice}"
    return InputError(message, code="store-gone" if _is_gone(cause) else "store", field=field)


def _advice(cause: BaseException) -> str:
    """The way out of some errors of a server; those of connecting tell only by their words."""
    if advice := _ADVICE.get(getattr(cause, "sqlstate", None) or ""):
        return advice
    if _is_gone(cause) and any(words in str(cause) for words in _NO_MORE):
        return "let other work end, or raise the server's limit: a run takes one connection"
    return ""


def require_room(connection: Connection, run: int, size: int) -> None:
    """Commits so many bytes to the file of a run and takes them out again; raises if it is full.

    The file keeps the room, and so does the one beside it that SQLite writes to first: once that
    has been copied into the file, it is written again from its beginning. A server looks after its
    own disk, where we cannot keep any.
    """
    if connection.dialect.name != "sqlite":
        return
    written = (run, _ROOM, secrets.token_hex(size // 2))
    with connection.begin():
        connection.exec_driver_sql("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", written)
    with connection.begin():
        connection.exec_driver_sql("DELETE FROM replies WHERE key = ?", (_ROOM,))
    _driver(connection).execute("PRAGMA wal_checkpoint(PASSIVE)")


def _driver(connection: Connection) -> Any:
    """The connection below SQLAlchemy, which would begin a transaction first."""
    return connection.connection.dbapi_connection


def _is_full(cause: BaseException) -> bool:
    """True if there is no room on the disk, as SQLite or PostgreSQL tells."""
    if getattr(cause, "sqlstate", None) == "53100":
        return True
    code = getattr(cause, "sqlite_errorcode", None)
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)


def _is_gone(cause: BaseException) -> bool:
    """True if the connection to a server broke, or there is none to be had."""
    if not hasattr(cause, "sqlstate") or type(cause).__module__.partition(".")[0] != "psycopg":
        return False
    # Errors of the connection itself have no state; the others are a server's last words.
    return cause.sqlstate is None or cause.sqlstate.startswith(("08", "57P"))


def _is_old_run(connection: Connection, path: Path) -> bool:
    """True if the tables of a run are of an older form; what is not a run raises."""
    mark = connection.exec_driver_sql("PRAGMA application_id").scalar()
    if mark != RUNS.mark:
        what = "another SQLite file" if path.stat().st_size else "empty"
        raise InputError(f"{path} is not a run of assay: it is {what}")
    if connection.exec_driver_sql("PRAGMA user_version").scalar():
        raise InputError(
            f"{path} is a run of assay 0.1, whose form this version does not read: judge the data "
            "again, or read it with that version",
            code="old-run",
        )
    return is_old(connection, RUNS, str(path))
