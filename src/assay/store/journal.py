"""One run in one SQLite file: what it is, its outcomes as they come, and what it has used.

A statement is on disk when it has been executed, or with others when they are committed. A process
that is killed loses nothing of that, and whoever reads meanwhile sees whole outcomes only.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from assay.core.errors import InputError
from assay.core.runs import Run, read_run
from assay.core.writing import replacing, require_writable

FORMAT = 1
_MARK = 0x41535359  # tells a run from other SQLite files
_TABLES = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE outcomes (position INTEGER PRIMARY KEY, example TEXT NOT NULL UNIQUE,"
    " failures INTEGER NOT NULL, retryable INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " record TEXT NOT NULL)",
    "CREATE INDEX failed ON outcomes (failures) WHERE failures > 0",
    "CREATE INDEX to_retry ON outcomes (position) WHERE retryable > 0",
    f"PRAGMA application_id = {_MARK}",
    f"PRAGMA user_version = {FORMAT}",
)
_INSERT = "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)"
_encode = json.JSONEncoder(ensure_ascii=False).encode
_FACT = "INSERT OR REPLACE INTO facts VALUES (?, ?)"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is written of one example; of its `failures`, so many could be asked for again."""

    position: int
    example: str
    failures: int
    retryable: int
    attempt: int
    record: Any


class Journal:
    """The file of a run, opened. `connection` may hold other tables beside, such as replies."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, to_write: bool) -> None:
        self.path = path
        self.connection = connection
        self._to_write = to_write

    @property
    def run(self) -> Run:
        """What the run is."""
        return read_run(self.fact("run", {}))

    def fact(self, name: str, default: Any = None) -> Any:
        """What was kept under a name."""
        found = self._one("SELECT value FROM facts WHERE name = ?", name)
        return default if found is None else json.loads(found)

    def keep(self, name: str, value: Any) -> None:
        """Keeps a JSON value under a name."""
        try:
            self.connection.execute(_FACT, (name, json.dumps(value)))
        except sqlite3.Error as error:
            raise InputError(f"cannot write the run {self.path}: {error}") from None

    def begin(self) -> None:
        """What is written from here on is kept at once, by `commit`, or not at all."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise InputError(f"cannot write the run {self.path}: {error}") from None

    def commit(self) -> None:
        """Keeps what was written since `begin`; where that cannot be, nothing of it is kept."""
        try:
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.roll_back()
            raise InputError(f"cannot write the run {self.path}: {error}") from None

    def roll_back(self) -> None:
        """Drops what was written since `begin`."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def add(self, entry: Entry) -> None:
        """Writes an outcome; one of the same example is replaced."""
        counts = (entry.failures, entry.retryable, entry.attempt)
        values = (entry.position, entry.example, *counts)
        try:
            self.connection.execute(_INSERT, (*values, _encode(entry.record)))
        except UnicodeEncodeError:  # half a character in a reply, which JSON can only escape
            self.connection.execute(_INSERT, (*values, json.dumps(entry.record)))
        except sqlite3.Error as error:
            raise InputError(f"cannot write the run {self.path}: {error}") from None

    def attempt_at(self, position: int) -> int | None:
        """In which attempt an example was last judged; None if it was not."""
        found = self._one("SELECT attempt FROM outcomes WHERE position = ?", position)
        return None if found is None else int(found)

    def failed_before(self, position: int, attempt: int) -> Any:
        """The record of an example to ask for again, unless this attempt has been made; or None."""
        query = "SELECT record FROM outcomes WHERE position = ? AND retryable > 0 AND attempt < ?"
        found = self._one(query, position, attempt)
        return None if found is None else json.loads(found)

    def count(self) -> int:
        """How many examples have an outcome."""
        return int(self._one("SELECT count(*) FROM outcomes"))

    def count_to_retry(self, attempt: int) -> int:
        """How many examples have failures that this attempt has still to ask for again."""
        query = "SELECT count(*) FROM outcomes WHERE retryable > 0 AND attempt < ?"
        return int(self._one(query, attempt))

    def failures(self) -> int:
        """How many units have no verdict."""
        return int(self._one("SELECT total(failures) FROM outcomes WHERE failures > 0"))

    def lines(self) -> Iterator[str]:
        """The records as they were written, in the order of the data."""
        for (record,) in self.select("SELECT record FROM outcomes ORDER BY position"):
            yield record

    def select(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows that a query finds; a damaged file raises."""
        try:
            yield from self.connection.execute(query, values)
        except sqlite3.Error as error:
            raise InputError(f"cannot read the run {self.path}: {error}") from None

    def _one(self, query: str, *values: object) -> Any:
        """The first value that a query finds, or None."""
        return next(self.select(query, *values), (None,))[0]

    def close(self) -> None:
        """Closes the file; what was written into files beside it is taken into it."""
        if self._to_write:
            with suppress(sqlite3.Error):  # somebody reads just now; then it stays as it is
                self.connection.execute("PRAGMA journal_mode = DELETE")
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def create_journal(path: Path, run: Run) -> Journal:
    """A new run; its file appears with its description in it."""
    require_writable(path)
    with replacing(path) as part:
        connection = _connect(part, "rwc")
        try:
            for statement in ("BEGIN", *_TABLES):
                connection.execute(statement)
            connection.execute(_FACT, ("run", json.dumps(run.to_dict())))
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise InputError(f"cannot write the run {path}: {error}") from None
        finally:
            connection.close()
    return open_journal(path, to_write=True)


def open_journal(path: Path, *, to_write: bool = False) -> Journal:
    """The run in a file; anything else raises and says what it is instead."""
    connection = _connect(path, "rw" if to_write else "ro")
    try:
        _require_run(path, connection)
        if to_write:  # readers see whole outcomes while more are written
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error as error:
        connection.close()
        raise InputError(f"{path} is not a run of assay: {error}") from None
    except InputError:
        connection.close()
        raise
    return Journal(path, connection, to_write=to_write)


def _require_run(path: Path, connection: sqlite3.Connection) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    form = connection.execute("PRAGMA user_version").fetchone()[0]
    if mark != _MARK:
        raise InputError(f"{path} is not a run of assay: it is another SQLite file")
    if form > FORMAT:
        newer = f"its format is {form}, and this version reads up to {FORMAT}"
        raise InputError(f"{path} is a run of a newer version of assay: {newer}")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,  # a statement is on disk when it has been executed
            check_same_thread=False,  # the calls are made in a thread of their own
        )
    except sqlite3.Error as error:
        raise InputError(f"cannot open the run {path}: {error}") from None
    return connection
