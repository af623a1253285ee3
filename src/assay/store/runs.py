"""Places of runs: a folder with one SQLite file for each, or a PostgreSQL database.

One process at a time works on a run: it holds a lock, on a file beside that of the run or in the
server.
"""

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, delete, select, text
from sqlalchemy.exc import SQLAlchemyError

from assay.core.codec import write_manifest
from assay.core.errors import InputError, UnknownNameError
from assay.core.judgements import Judgement, Judgements, Manifest
from assay.core.stages import read_stages
from assay.core.system.files import replacing, require_writable
from assay.core.system.locks import hold, open_lock
from assay.store import tables
from assay.store.database import (
    created_file,
    failing_as_input,
    is_url,
    open_file,
    server_engine,
    shown,
)
from assay.store.journal import Journal
from assay.store.rows import insert_run

T = TypeVar("T")
PATIENCE = 1.0  # seconds for those who only ask whether a run is held, and so keep it for a moment
SUFFIX = ".sqlite"
LONGEST_NAME = 120
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.+]+")
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._+-]{{0,{LONGEST_NAME - 1}}}")


class RunStore(Protocol):
    """Runs by name."""

    @property
    def place(self) -> str:
        """Folder or database, as the user may know it."""
        ...

    def names(self) -> list[str]:
        """The runs that there are."""
        ...

    def has(self, name: str) -> bool:
        """True if there is a run of that name; a name that none can have raises."""
        ...

    def create(self, name: str, manifest: Manifest) -> Journal:
        """A new run."""
        ...

    def open(self, name: str, *, to_write: bool = False) -> Journal:
        """The run of that name; an unknown one raises and names those that there are."""
        ...

    def remove(self, name: str) -> None:
        """Removes a run that the caller has locked."""
        ...

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Keeps other processes from a run; raises at once where one has it."""
        ...

    def is_locked(self, name: str) -> bool:
        """True if a process has the run now."""
        ...


def make_name(*parts: str) -> str:
    """The name of a run that is made from parts, of which empty ones are left out.

    >>> make_name("a b", "", "openai/gpt-4o")
    'a-b--openai-gpt-4o'
    """
    words = (_NOT_IN_NAMES.sub("-", part).strip("-.+") for part in parts)
    return "--".join(filter(None, words))[:LONGEST_NAME]


def open_store(place: str | None = None) -> RunStore:
    """The runs at a folder or URL: as given, at ASSAY_RUNS, or at `./assay-runs`."""
    where = place or os.environ.get("ASSAY_RUNS") or "assay-runs"
    return ServerRuns(where) if is_url(where) else FolderRuns(where)


def open_run_judgements(name: str, runs: str | None = None) -> Judgements:
    """A run as a set of judgements, and what it took."""
    store = open_store(runs)
    with store.open(name) as journal:
        manifest, usage = journal.manifest, journal.fact("usage", {})
    if not manifest.taxonomy:
        raise InputError(
            f"the run '{name}' holds what a model answered for {manifest.detector}, and no "
            "judgements",
            code="no-judgements",
        )

    def read() -> Iterator[Judgement]:
        with store.open(name) as journal:
            yield from journal.read()

    return Judgements(
        reference=f"run:{name}",
        manifest=manifest,
        read=read,
        seconds=usage.get("seconds"),
        cost=usage.get("cost") if manifest.model else None,
        stages=read_stages(usage.get("stages", ())),
    )


def delete_run(store: RunStore, name: str) -> None:
    """Removes a run, unless a process has it."""
    _require(store, name)
    with store.lock(name):
        store.remove(name)


class FolderRuns:
    """One SQLite file for each run, named after it."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @property
    def place(self) -> str:
        return str(self.folder)

    def names(self) -> list[str]:
        found = (path.stem for path in self.folder.glob(f"*{SUFFIX}"))
        return sorted(name for name in found if _NAME.fullmatch(name))

    def path(self, name: str) -> Path:
        """The file of a run, which need not exist."""
        _require_name(name)
        return self.folder / f"{name}{SUFFIX}"

    def has(self, name: str) -> bool:
        return os.path.lexists(self.path(name))  # a link to nowhere is in the way of a new one

    def create(self, name: str, manifest: Manifest) -> Journal:
        """A new run; its file appears with its manifest in it."""
        path = self.path(name)
        self._make()
        require_writable(path)
        with replacing(path) as part, created_file(part) as connection:
            insert_run(connection, name, write_manifest(manifest).decode())
        return self.open(name, to_write=True)

    def open(self, name: str, *, to_write: bool = False) -> Journal:
        _require(self, name)
        path = self.path(name)
        return Journal(open_file(path, to_write=to_write), name, str(path), to_write=to_write)

    def remove(self, name: str) -> None:
        """Removes the files of a run; that of its lock stays, as it must."""
        path = self.path(name)
        for suffix in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).unlink()

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Holds a lock beside the file."""
        self._make()
        return locked(self.path(name))

    def is_locked(self, name: str) -> bool:
        return is_locked(self.path(name))

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot make the folder {self.folder}: {error.strerror}", field="runs"
            ) from None


class ServerRuns:
    """All runs in one PostgreSQL database."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._held: dict[str, Connection] = {}  # that hold the locks of runs

    @cached_property
    def engine(self) -> Engine:
        """The database, its tables made ready."""
        return server_engine(self._url)

    @property
    def place(self) -> str:
        """The database, without its password."""
        return shown(self._url)

    def names(self) -> list[str]:
        with self._connect() as connection:
            return sorted(connection.execute(select(tables.runs.c.name)).scalars())

    def has(self, name: str) -> bool:
        _require_name(name)
        with self._connect() as connection:
            query = select(tables.runs.c.id).where(tables.runs.c.name == name)
            return connection.execute(query).first() is not None

    def create(self, name: str, manifest: Manifest) -> Journal:
        _require_name(name)
        with self._connect() as connection:
            insert_run(connection, name, write_manifest(manifest).decode())
        return self.open(name, to_write=True)

    def open(self, name: str, *, to_write: bool = False) -> Journal:
        _require(self, name)
        return Journal(
            self.engine,
            name,
            f"'{name}' in {self.place}",
            to_write=to_write,
            connection=self._held.get(name) if to_write else None,
        )

    def remove(self, name: str) -> None:
        """Removes a run with all that belongs to it."""
        with self._connect() as connection:
            connection.execute(delete(tables.runs).where(tables.runs.c.name == name))

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Holds an advisory lock, which the server lets go when the connection ends."""
        with failing_as_input(f"the database {self.place}"):
            connection = self.engine.connect()
        with connection:
            self._take(connection, name)
            self._held[name] = connection
            try:
                yield
            finally:  # a connection that is only closed is noticed by the server a little later
                del self._held[name]
                with suppress(SQLAlchemyError):
                    _scalar(connection, "SELECT pg_advisory_unlock(:key)", key=_lock_key(name))

    def _take(self, connection: Connection, name: str) -> None:
        with failing_as_input(f"the database {self.place}"):
            self._require_session(connection)
            if not _scalar(connection, "SELECT pg_try_advisory_lock(:key)", key=_lock_key(name)):
                raise taken(name)
            connection.execute(_LASTING)
            connection.commit()

    def _require_session(self, connection: Connection) -> None:
        """Raises where a pooler hands a connection on while we hold it between transactions."""
        backend = _scalar(connection, "SELECT pg_backend_pid()")
        driver: Any = connection.connection.driver_connection
        if driver.info.backend_pid == backend:  # nothing lies between the server and us
            return
        with self.engine.connect() as other:
            is_shared = _scalar(other, "SELECT pg_backend_pid()") == backend
        if is_shared:
            raise InputError(
                f"the database {self.place} is behind a pooler that pools transactions, between "
                "which no lock of a run lasts: have it pool sessions, or name the server itself",
                field="runs",
            )

    def is_locked(self, name: str) -> bool:
        """True if a connection holds the lock; asking does not take it."""
        key = _lock_key(name)
        halves = {"first": key >> 32 & 0xFFFFFFFF, "second": key & 0xFFFFFFFF}
        with self._connect() as connection:
            return connection.execute(_HOLDERS, halves).first() is not None

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with failing_as_input(f"the database {self.place}"), self.engine.begin() as connection:
            yield connection


# A machine that is lost says no goodbye: after a minute the server lets its lock go. One that only
# waits for a model keeps it for as long as that takes.
_LASTING = text(
    "SELECT set_config(known.name, ours.wanted, false) FROM pg_settings AS known JOIN (VALUES"
    " ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'),"
    " ('tcp_keepalives_count', '3'), ('idle_session_timeout', '0')) AS ours (name, wanted)"
    " ON ours.name = known.name"
)
# Advisory locks of one 64-bit key are listed by its halves, with a 1 beside them.
_HOLDERS = text(
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND classid = CAST(:first AS bigint) AND objid = CAST(:second AS bigint)"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def _scalar(connection: Connection, query: str, **values: int) -> object:
    """The one value that a transaction of its own finds."""
    found = connection.execute(text(query), values).scalar()
    connection.commit()
    return found


def _lock_key(name: str) -> int:
    return int.from_bytes(blake2b(f"run {name}".encode(), digest_size=8).digest(), signed=True)


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        wanted = f"up to {LONGEST_NAME} letters, digits and . _ + - (not . at the beginning)"
        raise InputError(f"a run cannot be named '{name}'; a name has {wanted}", field="name")


def _require(store: RunStore, name: str) -> None:
    if _NAME.fullmatch(name) and store.has(name):
        return
    names = store.names()
    if not names:
        raise InputError(f"there are no runs at {store.place}", field="runs", code="no-runs")
    raise UnknownNameError("run", name, names)


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Keeps other processes from the run; if one has it, raises at once.

    The lock is on a file of its own, so the run itself stays readable for everyone.
    """
    end = time.monotonic() + PATIENCE
    while (connection := _connect(run, hold)) is None:
        if is_locked(run) or time.monotonic() > end:
            raise taken(run.stem)
        time.sleep(0.01)
    try:
        yield
    finally:
        connection.close()


def is_locked(run: Path) -> bool:
    """True if a process has the run now; several may ask this at the same time."""
    if not lock_path(run).exists():
        return False
    try:
        connection = _connect(run, open_lock)
    except InputError:  # not ours to open, so nobody can say
        return False
    try:
        connection.execute("PRAGMA schema_version")  # a read, which the holder does not allow
    except sqlite3.Error as error:
        return "locked" in str(error)
    finally:
        connection.close()
    return False


def taken(name: str) -> InputError:
    """The error for a run that another process has."""
    return InputError(f"the run '{name}' is being run by another process", code="run-locked")


def lock_path(run: Path) -> Path:
    """The file of the lock; it stays, since a file that comes and goes would lock nothing."""
    return run.with_name(f".{run.stem}.lock")


def _connect(run: Path, connect: Callable[[Path], T]) -> T:
    """A connection to the lock of a run."""
    try:
        return connect(lock_path(run))
    except sqlite3.Error as error:
        raise InputError(f"cannot lock the run {run}: {error}") from None
