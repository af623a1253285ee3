"""How fast the journals of many processes keep judgements in one PostgreSQL database.

Each process writes a run of its own, as `assay run` does: so many judgements in a transaction, each
with its JSON, its example, its reply and a row for every verdict. The reference is one process that
inserts the same JSON, encoded beforehand, into one table with psycopg, in as many transactions. All
take turns, round after round; ratios are taken within a round. With one writer, SQLite is measured
as well, and where a delay is given, a server that is so far away.

Run: python benchmarks/scale_store.py --url postgresql://... [--judgements 4000] [--rounds 3]
"""

import argparse
import asyncio
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
from store import SENTENCES, judgements

from assay import Manifest
from assay.core.codec import write_judgement
from assay.store.rows import JournalEntry
from assay.store.runs import open_store

WRITERS = (1, 4, 16)
TOGETHER = 16  # judgements in a transaction, as with 16 calls at once
_CREATE = "CREATE TABLE IF NOT EXISTS bare (run text, position int, record text)"
_INSERT = "INSERT INTO bare VALUES (%s, %s, %s)"
_LIMIT = 300.0  # seconds until a writer that failed has kept the others waiting long enough
Measured = Callable[[], float]


def write_run(place: str, count: int, start: Barrier, ended: Barrier) -> None:
    """Writes a run once all are ready, and removes it."""
    given = judgements(count)
    store = open_store(place)
    name = f"benchmark-{uuid4().hex}"
    manifest = Manifest(given[0].author, examples=count)
    with store.lock(name), store.create(name, manifest) as run:
        start.wait()
        for position, judgement in enumerate(given):
            run.add_reply(f"{position:064}", "A reply of a few words.")
            run.add(JournalEntry(position, judgement))
            if (position + 1) % TOGETHER == 0:
                run.flush()
        run.flush()
        ended.wait()
    store.remove(name)


def write_bare(place: str, count: int, start: Barrier, ended: Barrier) -> None:
    """Writes the JSON of the judgements, and nothing else."""
    rows = [("a", at, write_judgement(each).decode()) for at, each in enumerate(judgements(count))]
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute(_CREATE)
        start.wait()
        for first in range(0, count, TOGETHER):
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(_INSERT, rows[first : first + TOGETHER])
        ended.wait()
        connection.execute("DROP TABLE bare")


def timed(write: Callable[..., None], place: str, count: int, writers: int) -> Measured:
    """The seconds in which so many processes write so many judgements each."""

    def measure() -> float:
        context = multiprocessing.get_context("spawn")
        start, ended = (context.Barrier(writers + 1, timeout=_LIMIT) for _ in range(2))
        processes = [
            context.Process(target=write, args=(place, count, start, ended)) for _ in range(writers)
        ]
        for each in processes:
            each.start()
        start.wait()
        began = time.perf_counter()
        ended.wait()
        taken = time.perf_counter() - began
        for each in processes:
            each.join()
        return taken

    return measure


class FarServer:
    """A server on loopback through which all data needs so many seconds each way."""

    def __init__(self, url: str, delay: float) -> None:
        self._to = urlsplit(url)
        self._delay = delay
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        opening = asyncio.start_server(self._connect, "127.0.0.1")
        server = asyncio.run_coroutine_threadsafe(opening, self._loop).result()
        port = server.sockets[0].getsockname()[1]
        user = f"{self._to.username}@" if self._to.username else ""
        self.url = urlunsplit(self._to._replace(netloc=f"{user}127.0.0.1:{port}"))

    async def _connect(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        there, out = await asyncio.open_connection(self._to.hostname, self._to.port or 5432)
        await asyncio.gather(self._carry(here, out), self._carry(there, back))

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                self._loop.call_later(self._delay, target.write, data)
        self._loop.call_later(self._delay, target.close)


def compare(measured: dict[str, tuple[int, Measured]], rounds: int) -> None:
    """Prints judgements a second, of all and of each, and the time of a judgement as a multiple."""
    times: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, (total, measure) in measured.items():
            times[name].append(measure() / total)
    print("                          judgements/s   each writer   a judgement, by bare psycopg")
    reference = next(iter(times.values()))
    for name, taken in times.items():
        ratios = [mine / other for mine, other in zip(taken, reference, strict=True)]
        writers = int(name.split()[-1]) if name[-1].isdigit() else 1
        each = 1 / median(taken)
        print(
            f"  {name:22} {each:14,.0f} {each / writers:13,.0f}"
            f"   {median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f})",
            flush=True,
        )


def measure(url: str, count: int, rounds: int, delay: float = 0.0) -> None:
    """Prints what one, four and sixteen writers do with an empty database, and one with a file."""
    print(
        f"{count:,} judgements of {len(SENTENCES)} sentences, {TOGETHER} in a transaction,"
        f" {rounds} rounds"
    )
    with tempfile.TemporaryDirectory() as folder:
        measured = {"bare psycopg": (count, timed(write_bare, url, count, 1))}
        for writers in WRITERS:
            share = count // writers
            measured[f"PostgreSQL, writers: {writers}"] = (
                share * writers,
                timed(write_run, url, share, writers),
            )
        place = str(Path(folder) / "runs")
        measured["SQLite"] = (count, timed(write_run, place, count, 1))
        if delay:
            far = FarServer(url, delay)
            few = min(count, 500)
            measured["far server"] = (few, timed(write_run, far.url, few, 1))
        compare(measured, rounds)


def main() -> None:
    """Measures a server with 1, 4 and 16 writers, and beside it a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", required=True, help="an empty PostgreSQL database")
    parser.add_argument("--judgements", type=int, default=4_000, help="of all writers together")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds each way to a far server")
    options = parser.parse_args()
    measure(options.url, options.judgements, options.rounds, options.delay)


if __name__ == "__main__":
    main()
