"""A run is run by one process at a time."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay.core import InputError
from assay.store.locking import is_locked, lock_path, locked

HOLDER = (
    "import sys, time\nfrom pathlib import Path\nfrom assay.store.locking import locked\n"
    "with locked(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"
)


def test_run_that_is_held_cannot_be_had_again(tmp_path: Path) -> None:
    run = tmp_path / "a.sqlite"
    assert not is_locked(run)
    with locked(run):
        assert is_locked(run)
        with pytest.raises(InputError, match="'a' is being run by another process"), locked(run):
            pass
        with locked(tmp_path / "b.sqlite"):
            pass
    assert not is_locked(run)


def test_who_asks_whether_a_run_is_held_keeps_nobody_from_it(tmp_path: Path) -> None:
    run = tmp_path / "a.sqlite"
    asking = sqlite3.connect(lock_path(run), isolation_level=None, check_same_thread=False)
    asking.execute("BEGIN")
    asking.execute("PRAGMA schema_version")  # what `is_locked` does, made longer
    assert not is_locked(run)
    ending = threading.Timer(0.2, asking.close)
    ending.start()
    with locked(run):
        assert is_locked(run)
    ending.join()


def test_process_that_dies_lets_go(tmp_path: Path) -> None:
    run = tmp_path / "a.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(run)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert is_locked(run)
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(10)
    with locked(run):
        assert lock_path(run).exists()


def test_lock_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot lock the run"), locked(tmp_path / "no" / "a"):
        pass
