"""Locks between processes: SQLite holds them, which works alike on all systems.

The system lets go of a lock when its process dies. The file of the lock stays, since a file that
comes and goes would lock nothing.
"""

import sqlite3
from pathlib import Path

LockError = sqlite3.Error  # what is raised where a lock can be neither had nor waited for


def hold(lock: Path) -> sqlite3.Connection | None:
    """A connection that has the lock until it is closed, or None where another has it."""
    connection = open_lock(lock)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if "locked" in str(error):
            return None
        raise
    return connection


def open_lock(lock: Path) -> sqlite3.Connection:
    """A connection to the file of a lock, which does not have the lock yet."""
    return sqlite3.connect(lock, timeout=0, isolation_level=None, check_same_thread=False)
