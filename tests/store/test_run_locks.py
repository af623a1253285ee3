"""A run is run by one process at a time."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.store.runs import RunStore, is_locked, lock_path, locked, open_store

HOLDER = """
import sys
from assay.store.runs import open_store
with open_store(sys.argv[1]).lock("a"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_run_that_is_held_cannot_be_had_again(store: RunStore) -> None:
    assert not store.is_locked("a")
    with store.lock("a"):
        assert store.is_locked("a")
        with (
            pytest.raises(InputError, match="'a' is being run by another process") as caught,
            store.lock("a"),
        ):
            pass
        assert caught.value.code == "run-locked"
        assert not store.is_locked("b")
        with store.lock("b"):
            assert store.is_locked("b")
    assert not store.is_locked("a")


def test_lock_is_let_go_where_an_error_ends_the_work(store: RunStore) -> None:
    with pytest.raises(ValueError, match="stop"), store.lock("a"):
        raise ValueError("stop")
    with store.lock("a"):
        assert store.is_locked("a")


def test_process_that_is_killed_lets_go(store: RunStore, runs_at: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, runs_at],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert store.is_locked("a")
        with pytest.raises(InputError, match="another process"), store.lock("a"):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(30)
    while store.is_locked("a"):  # a server needs a moment to notice
        time.sleep(0.01)
    with store.lock("a"):
        assert store.is_locked("a")


def test_asking_whether_a_run_is_held_does_not_take_it(store: RunStore) -> None:
    asking = threading.Event()

    def ask() -> None:
        while not asking.is_set():
            store.is_locked("a")

    others = [threading.Thread(target=ask) for _ in range(2)]
    for each in others:
        each.start()
    try:
        for _ in range(20):
            with store.lock("a"):
                pass
    finally:
        asking.set()
        for each in others:
            each.join()


def test_who_asks_for_long_keeps_nobody_from_a_file(tmp_path: Path) -> None:
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


def test_lock_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot lock the run"), locked(tmp_path / "no" / "a"):
        pass
    gone = open_store("postgresql://127.0.0.1:1/runs")
    with pytest.raises(InputError, match="cannot use the database"), gone.lock("a"):
        pass
