"""The SQLite files of this package: created, recognised and opened, or refused in one line."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, ServiceError


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its name, the code of errors about it, its SQLite application id and tables.

    `form` is the version of the tables.
    """

    name: str
    code: str
    mark: int
    form: int
    tables: tuple[str, ...]


class Database:
    """A file that is opened on first use and may be closed at any time."""

    def __init__(self, path: str | Path, kind: FileKind, *, to_write: bool = False) -> None:
        self.path = Path(path)
        self._kind = kind
        self._to_write = to_write
        self._connection: sqlite3.Connection | None = None
        open_database(self.path, kind, to_write=to_write).close()  # an unusable file raises now

    def connect(self) -> sqlite3.Connection:
        """The open file."""
        if self._connection is None:
            kind, to_write = self._kind, self._to_write
            self._connection = open_database(self.path, kind, to_write=to_write)
        return self._connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The open file; an error of SQLite becomes an `InputError` that names the file."""
        with reading(self.path, self._kind):
            yield self.connect()

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def open_database(
    path: str | Path, kind: FileKind, *, to_write: bool = False
) -> sqlite3.Connection:
    """The file, created if it is opened for writing and missing; a file of another kind raises."""
    path = Path(path)
    if not to_write and not path.is_file():
        raise InputError(f"there is no {kind.name} at {path}", code=f"no-{kind.code}")
    connection = _connect(path, kind, "rwc" if to_write else "ro")
    try:
        if to_write:
            _make(connection, kind)
        _require(connection, kind, path)
    except sqlite3.Error as error:
        connection.close()
        raise _unusable(path, kind, error) from None
    except InputError:
        connection.close()
        raise
    return connection


def mark_of(path: str | Path) -> int:
    """The application id in a SQLite file; 0 if there is none, or no such file."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(72)
    except OSError:
        return 0
    return int.from_bytes(head[68:72], "big") if head.startswith(b"SQLite format 3\0") else 0


@contextmanager
def reading(path: str | Path, kind: FileKind) -> Iterator[None]:
    """Turns an error of SQLite, about a damaged or locked file, into an `InputError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise _unusable(path, kind, error) from None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything inside is written together, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything read inside belongs to one state of the file, whoever writes meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def require_fts5() -> None:
    """Raises if this Python's SQLite has no full-text search."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(word)")
    except sqlite3.OperationalError:
        raise ServiceError(
            f"this Python's SQLite {sqlite3.sqlite_version} was built without full-text search "
            "(FTS5), which a local corpus needs; use a Python whose SQLite has it"
        ) from None
    finally:
        connection.close()


def marks(values: Sequence[object]) -> str:
    """One question mark for each value, as SQL placeholders."""
    return ",".join("?" * len(values))


def _connect(path: Path, kind: FileKind, mode: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=30,
            isolation_level=None,
            check_same_thread=False,  # searches run in other threads, one at a time
        )
    except sqlite3.Error as error:
        raise _unusable(path, kind, error) from None


def _make(connection: sqlite3.Connection, kind: FileKind) -> None:
    """Creates the tables in an empty file; any other file is left alone."""
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in kind.tables:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {kind.mark}")
            connection.execute(f"PRAGMA user_version = {kind.form}")


def _require(connection: sqlite3.Connection, kind: FileKind, path: Path) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    form = connection.execute("PRAGMA user_version").fetchone()[0]
    if mark != kind.mark:
        raise _not_of(path, kind, "another kind of SQLite file")
    if form > kind.form:
        raise InputError(
            f"{path} is a {kind.name} from a newer version of Assay: its format is {form}, and "
            f"this version reads up to {kind.form}"
        )


def _not_of(path: str | Path, kind: FileKind, what: str) -> InputError:
    return InputError(f"{path} is not a {kind.name}: it is {what}", code=f"no-{kind.code}")


def _unusable(path: str | Path, kind: FileKind, error: sqlite3.Error) -> InputError:
    said = str(error)
    if "not a database" in said:
        return _not_of(path, kind, "not a SQLite file")
    if "malformed" in said or "corrupt" in said:
        return InputError(f"{path} is damaged ({said}); create it again")
    if "locked" in said:
        return InputError(f"{path} is in use by another process; try again when it has finished")
    return InputError(f"cannot use the {kind.name} {path}: {said}")
