"""How fast judgements are kept: by the journal of a run, beside bare inserts with sqlite3.

The journal writes each judgement as JSON and every verdict as a row that can be counted. The bare
inserts write the same JSON, encoded beforehand, into one table, with the same settings. Both commit
after so many judgements, in turn, round after round; ratios are taken within a round.

Run: python benchmarks/store.py [--judgements 5000] [--rounds 5] [--url postgresql://...]
"""

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from uuid import uuid4

from assay import Judgement, Manifest, check_each
from assay.core.codec import write_judgement
from assay.store.rows import JournalEntry
from assay.store.runs import FolderRuns, RunStore, ServerRuns

TOGETHER = (1, 16, 256)  # judgements in a transaction; a run of 16 calls at once writes up to 16
SENTENCES = (
    "Lindmoor closed its harbour on 3 May 1972.",
    "The repair cost 4.5 million euros, Dr. Vass said.",
    "It was opened again by the mayor of Osterholm.",
    "Nobody had expected the ferry to come back.",
    "The library was moved to Calder in 1980.",
)
Write = Callable[[int], float]


def judgements(count: int) -> list[Judgement]:
    """Judgements of five sentences each, with notes and evidence, no two of the same example."""
    rows = [
        {"source": " ".join(SENTENCES[number:]), "response": " ".join(SENTENCES)}
        for number in range(len(SENTENCES))
    ]
    found = [each.judgement for each in check_each(rows, detector="overlap")]
    return [
        replace(judgement, example=f"example {number}")
        for number, judgement in enumerate(islice(cycle(found), count))
    ]


def journal(store: RunStore, given: Sequence[Judgement]) -> Write:
    """Writes the judgements as a run does, and removes the run."""
    manifest = Manifest(given[0].author, examples=len(given))

    def write(together: int) -> float:
        name = f"benchmark-{uuid4().hex}"
        with store.create(name, manifest) as run:
            began = time.perf_counter()
            for position, judgement in enumerate(given):
                run.add(JournalEntry(position, judgement))
                if (position + 1) % together == 0:
                    run.flush()
            run.flush()
            taken = time.perf_counter() - began
        store.remove(name)
        return taken

    return write


def bare(folder: Path, given: Sequence[Judgement]) -> Write:
    """Writes the JSON of the judgements, and nothing else."""
    rows = [(number, write_judgement(each).decode()) for number, each in enumerate(given)]

    def write(together: int) -> float:
        path = folder / "bare.sqlite"
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE kept (position INTEGER PRIMARY KEY, record TEXT)")
        began = time.perf_counter()
        for start in range(0, len(rows), together):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO kept VALUES (?, ?)", rows[start : start + together])
            connection.execute("COMMIT")
        taken = time.perf_counter() - began
        connection.close()
        path.unlink()
        return taken

    return write


def compare(writers: dict[str, Write], count: int, rounds: int) -> None:
    """Prints judgements a second, and the time as a multiple of that of the first writer."""
    print("  together                  judgements/s   time as a multiple of bare sqlite3")
    for together in TOGETHER:
        times: dict[str, list[float]] = {name: [] for name in writers}
        for _ in range(rounds):
            for name, write in writers.items():
                times[name].append(write(together))
        reference = next(iter(times.values()))
        for name, taken in times.items():
            ratios = [mine / other for mine, other in zip(taken, reference, strict=True)]
            print(
                f"  {together:8}  {name:14} {count / median(taken):13,.0f}"
                f"   {median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f})",
                flush=True,
            )


def main() -> None:
    """Measures SQLite, and PostgreSQL where its URL is given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--judgements", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--url", help="also measure this PostgreSQL database")
    options = parser.parse_args()
    given = judgements(options.judgements)
    size = sum(len(write_judgement(each)) for each in given) / len(given)
    print(f"{len(given):,} judgements of {len(SENTENCES)} sentences, {size:,.0f} bytes on average")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writers = {
            "bare sqlite3": bare(folder, given),
            "SQLite": journal(FolderRuns(folder), given),
        }
        if options.url:
            writers["PostgreSQL"] = journal(ServerRuns(options.url), given)
        compare(writers, len(given), options.rounds)
    if not options.url:
        print("  PostgreSQL: skipped, no --url is given")


if __name__ == "__main__":
    main()
