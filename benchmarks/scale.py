"""What it costs and brings to leave one process, part by part; ratios are taken within a round.

    ray    a run by workers on Ray beside the same run in this process: documents a second with one
           worker and with as many as there are cores, and the CPU time of a document here (reading,
           sending, writing) and there. What this process needs bounds how many workers it can feed.
    store  the journals of 1, 4 and 16 processes in one PostgreSQL, which is started for that,
           beside bare inserts with psycopg (`benchmarks/scale_store.py`)
    forms  Parquet and Arrow beside lines of JSON: size, writing and reading
           (`benchmarks/scale_data.py`)

Workers get the priority of this process, which Ray otherwise lowers: on a busy machine that would
measure the other programs. Ray is started once, before anything is measured.

Run: python benchmarks/scale.py [ray store forms] [--rounds 3] [--overlap 2000] [--embedded 60]
         [--judgements 3200] [--rows 20000]
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from embedded import sentence

from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec
from assay.engine.engines import THIS_PROCESS, EngineChoice
from assay.engine.opening import open_run
from assay.engine.ray.cluster import join
from assay.engine.request import RunRequest
from assay.store.runs import FolderRuns

OURS = f"benchmark of {os.getpid()}"
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class RunTimes:
    """The times of a run: by the clock, and of the CPU in this process and in workers.

    `gigabytes` is the most that a worker has held.
    """

    documents: int
    seconds: float
    here: float
    there: float
    gigabytes: float

    @property
    def rate(self) -> float:
        """Documents a second."""
        return self.documents / self.seconds

    @property
    def here_ms(self) -> float:
        """Milliseconds of CPU that a document takes in this process."""
        return 1000 * self.here / self.documents

    @property
    def there_ms(self) -> float:
        """The same in workers."""
        return 1000 * self.there / self.documents


def write_rows(
    path: Path, count: int, source_sentences: int = 27, sentences: int = 5, seed: int = 7
) -> DataChoice:
    """Documents of about 290 words with five sentences each; three neighbours share a source."""
    pick = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            if number % 3 == 0:
                source = " ".join(sentence(pick) for _ in range(source_sentences))
            response = " ".join(sentence(pick) for _ in range(sentences))
            row = {"id": f"e{number}", "source": source, "response": response}
            file.write(json.dumps(row) + "\n")
    return DataChoice(str(path))


def worker_use() -> tuple[float, float]:
    """The CPU time of the workers that are there, and the most memory that one has held, in GB."""
    total, most = 0, 0.0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if not (path / "cmdline").read_bytes().startswith(b"ray::DetectorWorker"):
                continue
            if OURS.encode() in (path / "environ").read_bytes():
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                total += int(fields[11]) + int(fields[12])
                lines = (path / "status").read_text().splitlines()
                peak = next(line for line in lines if line.startswith("VmHWM"))
                most = max(most, int(peak.split()[1]) / 2**20)
        except OSError:  # it has ended meanwhile
            continue
    return total / TICKS, most


def timed(data: DataChoice, count: int, detector: str, engine: EngineChoice) -> RunTimes:
    """A run over the data; what it takes to load the detector is not in it."""
    request = RunRequest(data, DetectorSpec(detector), name="benchmark", engine=engine)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_run(request, FolderRuns(Path(folder))) as session,
    ):
        (there, _), here, began = worker_use(), time.process_time(), time.perf_counter()
        session.go(lambda: None)
        seconds = time.perf_counter() - began
        here, (after, most) = time.process_time() - here, worker_use()
    return RunTimes(count, seconds, here, after - there, most)


def measure(detector: str, count: int, rounds: int) -> None:
    """Prints what a detector does in this process, with one worker, and with one a core."""
    cores = os.cpu_count() or 1
    engines = {
        "this process": THIS_PROCESS,
        "1 worker": EngineChoice("ray", 1),
        f"{cores} workers": EngineChoice("ray", cores),
    }
    found: dict[str, list[RunTimes]] = {name: [] for name in engines}
    with tempfile.TemporaryDirectory() as folder:
        data = write_rows(Path(folder) / "data.jsonl", count)
        for _ in range(rounds):
            for name, engine in engines.items():
                found[name].append(timed(data, count, detector, engine))
    print(f"\n{detector}: {count:,} documents, {rounds} rounds, load {os.getloadavg()[0]:.1f}")
    alone, one, _ = found.values()
    for name, times in found.items():
        beside = [each.rate / plain.rate for each, plain in zip(times, alone, strict=True)]
        scaled = [each.rate / single.rate for each, single in zip(times, one, strict=True)]
        print(
            f"  {name:13} {_middle(times, lambda each: each.rate):8.1f}/s"
            f"  {median(beside):5.2f} x this process  {median(scaled):5.2f} x 1 worker"
            f"  CPU a document: {_middle(times, lambda each: each.here_ms):7.3f} ms here,"
            f" {_middle(times, lambda each: each.there_ms):8.3f} ms there"
        )
    if detector == "overlap":  # of a slow one, most of the time here is spent waiting
        most = 1000 / _middle(one, lambda each: each.here_ms)
        print(f"  this process can feed workers that judge {most:,.0f} documents a second together")


def ray(arguments: argparse.Namespace) -> None:
    """Runs on Ray."""
    os.environ |= {"RAY_ADDRESS": "local", "RAY_worker_niceness": "0", "ASSAY_BENCHMARK": OURS}
    began = time.perf_counter()
    join("")
    print(f"Ray started in {time.perf_counter() - began:.1f} s")
    measure("overlap", arguments.overlap, arguments.rounds)
    measure("embedded", arguments.embedded, arguments.rounds)


def _middle(times: Sequence[RunTimes], value: Callable[[RunTimes], float]) -> float:
    return median(map(value, times))


def store(arguments: argparse.Namespace) -> None:
    """Journals of several processes in one database."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import scale_store

    from tests.postgres import database, server

    with server() as address, database(address) as url:
        scale_store.measure(url, arguments.judgements, arguments.rounds)


def forms(arguments: argparse.Namespace) -> None:
    """Files of examples."""
    import scale_data

    with tempfile.TemporaryDirectory() as folder:
        made = str(Path(folder) / "rows")
        scale_data.make(made, str(arguments.rows))
        scale_data.forms(made)


PARTS = {"ray": ray, "store": store, "forms": forms}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS, nargs="*", default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--overlap", type=int, default=2_000, help="documents for overlap")
    parser.add_argument("--embedded", type=int, default=60, help="documents for embedded")
    parser.add_argument("--judgements", type=int, default=3_200, help="of all writers to the store")
    parser.add_argument("--rows", type=int, default=20_000, help="examples in each form")
    chosen = parser.parse_args()
    for part in chosen.part:
        PARTS[part](chosen)
