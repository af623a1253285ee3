"""A run is run by one process at a time."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.core.errors import InputError


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Keeps other processes from the run; if one has it, raises at once.

    SQLite holds the lock, on a file of its own: it works alike on all systems, the system lets go
    of it when a process dies, and the run itself stays readable for everyone.
    """
    connection = _hold(run)
    if connection is None:
        raise InputError(f"the run '{run.stem}' is being run by another process; wait for its end")
    try:
        yield
    finally:
        connection.close()


def is_locked(run: Path) -> bool:
    """Whether a process has the run now."""
    if not lock_path(run).exists():
        return False
    try:
        connection = _hold(run)
    except InputError:  # a folder that nobody can write to, so nobody runs there
        return False
    if connection is not None:
        connection.close()
    return connection is None


def lock_path(run: Path) -> Path:
    """The file of the lock; it stays, since a file that comes and goes would lock nothing."""
    return run.with_name(f".{run.stem}.lock")


def _hold(run: Path) -> sqlite3.Connection | None:
    """A connection that has the lock, or None where another process has it."""
    try:
        connection = sqlite3.connect(
            lock_path(run), timeout=0, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise InputError(f"cannot lock the run {run}: {error}") from None
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if "locked" in str(error):
            return None
        raise InputError(f"cannot lock the run {run}: {error}") from None
    return connection
