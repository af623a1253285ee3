"""Many processes write into one database and are killed: nothing is lost, and nothing is twice."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from assay.core.errors import InputError
from assay.store.runs import open_store
from tests.store.conftest import MANIFEST, judged
from tests.store.writing import TOGETHER

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 1_800.0


@dataclass
class Writers:
    """Processes that write a run each, as many as there are names."""

    place: str
    count: int  # of the judgements of each
    processes: "dict[str, subprocess.Popen[str]]"

    def start(self, name: str) -> None:
        """Begins a run, or goes on with it."""
        command = [sys.executable, "-m", "tests.store.writing", self.place, name, str(self.count)]
        paths = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
        self.processes[name] = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths},
            stderr=subprocess.PIPE,
            text=True,
        )

    def kill(self, name: str) -> None:
        """Ends a process as the system does that has no memory left."""
        process = self.processes[name]
        process.kill()
        process.communicate()

    def ended(self) -> list[str]:
        """The names of those that came to their end by themselves; one that failed raises."""
        found = [name for name, each in self.processes.items() if each.poll() is not None]
        for name in found:
            process = self.processes.pop(name)
            _, said = process.communicate()
            assert process.returncode == 0, said
        return found


@contextmanager
def writers(place: str, names: list[str], count: int) -> Iterator[Writers]:
    """Processes that begin all at once; whatever happens, they are ended."""
    made = Writers(place, count, {})
    try:
        for name in names:
            made.start(name)
        yield made
    finally:
        for process in made.processes.values():
            process.kill()
            process.communicate()


def kill_until_done(at_work: Writers, kills: int, pause: tuple[float, float]) -> int:
    """Kills a writer at random, so many times, and starts it again; the number of these kills."""
    chance = random.Random(7)
    done = 0
    end = time.monotonic() + LIMIT
    following = time.monotonic() + chance.uniform(*pause)
    while at_work.processes:
        assert time.monotonic() < end, "it takes too long"
        at_work.ended()
        if at_work.processes and done < kills and time.monotonic() > following:
            name = chance.choice(sorted(at_work.processes))
            at_work.kill(name)
            at_work.start(name)
            done += 1
            following = time.monotonic() + chance.uniform(*pause)
        time.sleep(0.01)
    return done


def require_whole(place: str, names: list[str], count: int) -> None:
    """Every judgement once, with its reply and its rows, and every run complete."""
    store = open_store(place)
    assert store.names() == sorted(names)
    for name in names:
        with store.open(name) as journal:
            assert journal.fact("state") == "complete"
            assert journal.manifest == MANIFEST
            expected = (judged(position) for position in range(count))
            assert all(a == b for a, b in zip(journal.read(), expected, strict=True))
    wanted = count * len(names)
    with psycopg.connect(place) as connection:
        for table, rows in (("judgements", 1), ("examples", 1), ("replies", 1), ("units", 3)):
            found = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
            assert found == (wanted * rows,), table
        locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        assert connection.execute(locks.encode()).fetchone() == (0,)


@pytest.mark.slow
def test_writers_of_an_empty_database_that_are_killed_go_on(database: str) -> None:
    names = [f"run{number}" for number in range(4)]
    with writers(database, names, 200) as at_work:
        assert kill_until_done(at_work, kills=4, pause=(0.2, 1.0)) > 0
    require_whole(database, names, 200)


@pytest.mark.soak
def test_sixteen_writers_of_a_hundred_thousand_judgements_are_killed_at_random(
    database: str,
) -> None:
    names = [f"run{number}" for number in range(16)]
    count = 100_000 // len(names)
    began = time.monotonic()
    with writers(database, names, count) as at_work:
        killed = kill_until_done(at_work, kills=60, pause=(0.2, 2.0))
    print(f"{killed} kills, {time.monotonic() - began:.0f} s")  # noqa: T201 - for whoever runs it
    require_whole(database, names, count)


@pytest.mark.slow
def test_second_process_is_refused_a_run_until_the_first_is_killed(database: str) -> None:
    with writers(database, ["a"], 10**7) as at_work:
        store = open_store(database)
        wait_for_judgements(database)
        with pytest.raises(InputError, match="'a' is being run by another") as caught:
            store.lock("a").__enter__()
        assert caught.value.code == "run-locked"
        at_work.kill("a")
        killed = time.monotonic()
        while store.is_locked("a"):
            assert time.monotonic() < killed + 60
        with store.lock("a"), store.open("a", to_write=True) as journal:
            assert journal.count() % TOGETHER == 0
        at_work.processes.clear()


def wait_for_judgements(database: str) -> None:
    end = time.monotonic() + 60
    with psycopg.connect(database, autocommit=True) as connection:
        while connection.execute("SELECT to_regclass('judgements')").fetchone() == (None,):
            assert time.monotonic() < end
            time.sleep(0.01)
        while not connection.execute("SELECT 1 FROM judgements LIMIT 1").fetchone():
            assert time.monotonic() < end
            time.sleep(0.01)
