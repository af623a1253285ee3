"""A run is run by one process at a time."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.core.errors import InputError
from assay.core.locking import hold, open_lock

PATIENCE = 1.0  # seconds for those who only ask whether a run is held, and so keep it for a moment


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Keeps other processes from the run; if one has it, raises at once.

    The lock is on a file of its own, so the run itself stays readable for everyone.
    """
    end = time.monotonic() + PATIENCE
    while (connection := _hold(run)) is None:
        if is_locked(run) or time.monotonic() > end:
            raise taken(run.stem)
        time.sleep(0.01)
    try:
        yield
    finally:
        connection.close()


def is_locked(run: Path) -> bool:
    """Whether a process has the run now; several may ask this at the same time."""
    if not lock_path(run).exists():
        return False
    try:
        connection = _connect(run)
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


def _hold(run: Path) -> sqlite3.Connection | None:
    """A connection that has the lock, or None where another process has it."""
    try:
        return hold(lock_path(run))
    except sqlite3.Error as error:
        raise InputError(f"cannot lock the run {run}: {error}") from None


def _connect(run: Path) -> sqlite3.Connection:
    try:
        return open_lock(lock_path(run))
    except sqlite3.Error as error:
        raise InputError(f"cannot lock the run {run}: {error}") from None
