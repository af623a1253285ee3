"""What 10^6, 10^8 and 10^9 sentences take: machines, hours and dollars, from what is measured.

`measure` times here what the parts of a run do with an example, and writes it down. `table` works
out from that what runs take on machines that can be rented, and simulates where the one process
that reads the data and keeps the journal becomes the limit: workers are served in the order in
which they ask, each has some examples ahead, and the times of their work vary as they did here.

One core here stands for one virtual core there. Prices are by the hour, on demand; they change.

Run: python benchmarks/scale_paper.py measure scale.json [--examples 2000] [--embedded 24]
     python benchmarks/scale_paper.py table scale.json [--hours 24] [--price NAME=DOLLARS ...]
"""

import argparse
import heapq
import json
import math
import os
import random
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev

from scale import OURS, timed, write_rows

from assay import Manifest, check_each
from assay.core.examples import Annotated, Example
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec
from assay.engine.engines import EngineChoice
from assay.engine.estimate import estimate_run
from assay.engine.ray.cluster import join
from assay.engine.request import RunRequest
from assay.store.rows import JournalEntry
from assay.store.runs import FolderRuns

SENTENCES = 5  # of a response
AMOUNTS = (10**6, 10**8, 10**9)  # sentences
AHEAD = 32  # examples that a worker has at most: two batches of 16
SIMULATED = 200  # examples of each worker
WARM = 0.3  # of a simulation, which is not counted
FREE = 4.0  # GB of a machine for everything else


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that can be rented: virtual cores, memory in GB, dollars an hour."""

    name: str
    cores: int
    memory: float
    price: float


# docs/scale.md says where the prices are from.
MACHINES = (Machine("c5.18xlarge", 72, 144, 3.06), Machine("c5.2xlarge", 8, 16, 0.34))


@dataclass(frozen=True, slots=True)
class Work:
    """What a detector takes for an example: seconds of a core, how much they vary, and memory.

    `varies` is the standard deviation as a share of the mean, `gigabytes` the memory of a worker.
    """

    detector: str
    seconds: float
    varies: float
    gigabytes: float
    n: int


@dataclass(frozen=True, slots=True)
class Driver:
    """Seconds that the one process takes for an example, and bytes that it keeps of it."""

    survey: float
    read: float
    exchange: float  # to hand it to a worker, and to take its judgement
    keep: float
    memory: float
    disk: float

    @property
    def send(self) -> float:
        """Before a worker has an example."""
        return self.read + self.exchange / 2

    @property
    def receive(self) -> float:
        """After a worker has judged it."""
        return self.exchange / 2 + self.keep


@dataclass(frozen=True, slots=True)
class Flow:
    """What a simulated run does: examples a second, and how busy both sides are."""

    workers: int
    rate: float
    driver: float
    worker: float


def simulate(workers: int, work: Work, driver: Driver, seed: int = 0) -> Flow:
    """A run of so many workers.

    >>> none = Driver(0, 0, 0, 0, 0, 0)
    >>> round(simulate(10, Work("any", 0.1, 0.0, 0, 1), none).rate)
    100
    >>> slow = Driver(0, 0.01, 0, 0.01, 0, 0)
    >>> round(simulate(100, Work("any", 0.1, 0.5, 0, 1), slow).rate / 50)
    1
    """
    pick = random.Random(seed)
    total = workers * SIMULATED
    waiting = deque[tuple[float, int, bool]]()  # of the driver: since when, worker, is it judged
    events: list[tuple[float, int, int]] = []  # when a worker has judged one; ties by number
    inbox, is_busy = [0] * workers, [False] * workers
    for _ in range(AHEAD):
        waiting.extend((0.0, worker, False) for worker in range(workers))
    sent = done = count = 0
    now = free = driver_busy = work_busy = 0.0
    ends: list[float] = []

    def begin(worker: int, at: float) -> None:
        nonlocal count, work_busy
        inbox[worker] -= 1
        is_busy[worker] = True
        takes = _varied(pick, work)
        work_busy += takes
        count += 1
        heapq.heappush(events, (at + takes, count, worker))

    while done < total:
        if waiting and (not events or max(free, waiting[0][0]) <= events[0][0]):
            since, worker, is_judged = waiting.popleft()
            takes = driver.receive if is_judged else driver.send
            free = max(free, since) + takes
            driver_busy += takes
            if is_judged:
                done += 1
                ends.append(free)
                waiting.append((free, worker, False))
            elif sent < total + workers * AHEAD:
                sent += 1
                inbox[worker] += 1
                if not is_busy[worker]:
                    begin(worker, free)
            continue
        now, _, worker = heapq.heappop(events)
        is_busy[worker] = False
        waiting.append((now, worker, True))
        if inbox[worker]:
            begin(worker, now)
    whole, began = ends[-1], ends[int(len(ends) * WARM)]
    rate = sum(end > began for end in ends) / (whole - began)
    return Flow(workers, rate, driver_busy / whole, min(1.0, work_busy / whole / workers))


def _varied(pick: random.Random, work: Work) -> float:
    """A time of work; log-normal, since some examples take long and none less than nothing."""
    if not work.varies:
        return work.seconds
    spread = math.log(1 + work.varies**2)
    return pick.lognormvariate(math.log(work.seconds) - spread / 2, math.sqrt(spread))


def limit(work: Work, driver: Driver, most: int = 65_536) -> tuple[Flow, Flow]:
    """The largest number of workers that are nearly always busy, and what one step more does."""
    flow = simulate(1, work, driver)
    while flow.workers < most:
        more = simulate(2 * flow.workers, work, driver)
        if more.rate < 1.9 * flow.rate:
            return flow, more
        flow = more
    return flow, flow


@dataclass(frozen=True, slots=True)
class Need:
    """What an amount takes on machines of a kind: how many, how long, and what they cost."""

    machines: int
    hours: float
    dollars: float
    runs: int  # side by side, since one process feeds only so many workers


def need(work: Work, driver: Driver, machine: Machine, sentences: int, hours: float) -> Need:
    """As few machines as finish within so many hours.

    >>> one = Machine("one", 10, 100, 2.0)
    >>> feeds = Driver(0, 0.001, 0, 0.001, 0, 0)  # 500 examples a second
    >>> need(Work("any", 1.0, 0, 1, 1), feeds, one, 5 * 720_000, 10)
    Need(machines=2, hours=10.0, dollars=40.0, runs=1)
    >>> need(Work("any", 0.001, 0, 1, 1), feeds, one, 5 * 36_000_000, 10)
    Need(machines=1, hours=10.0, dollars=20.0, runs=2)
    """
    examples = sentences / SENTENCES
    workers = min(machine.cores, int((machine.memory - FREE) / work.gigabytes))
    fed = driver.send + driver.receive
    machines = max(1, math.ceil(examples * work.seconds / 3600 / hours / workers))
    runs = max(1, math.ceil(examples * fed / 3600 / hours))
    takes = max(examples * work.seconds / workers / machines, examples * fed / runs) / 3600
    return Need(machines, takes, takes * machines * machine.price, runs)


def table(works: Sequence[Work], driver: Driver, machines: Sequence[Machine], hours: float) -> None:
    """Prints what each detector takes for each amount, and where one run ends."""
    print(
        f"one process: surveys {1 / driver.survey:,.0f} examples a second, then feeds and keeps "
        f"{1 / (driver.send + driver.receive):,.0f}; {driver.memory:.0f} bytes of memory and "
        f"{driver.disk:,.0f} of disk for each\n"
    )
    print("| detector | sentences | machines | hours | dollars | runs side by side |")
    print("|---|---|---|---|---|---|")
    for work in works:
        for sentences in AMOUNTS:
            for machine in machines:
                found = need(work, driver, machine, sentences, hours)
                print(
                    f"| {work.detector} | {sentences:.0e} | {found.machines:,} x {machine.name} "
                    f"| {found.hours:.1f} | {found.dollars:,.2f} | {found.runs:,} |"
                )
    print()
    for work in works:
        whole, more = limit(work, driver)
        print(f"{work.detector}: {_told(whole)}; {_told(more)}")


def _told(flow: Flow) -> str:
    return (
        f"{flow.workers:,} workers: {flow.rate:,.0f} examples a second, workers busy "
        f"{flow.worker:.0%}, the one process {flow.driver:.0%}"
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge takes for an example: calls, dollars, and tokens."""

    judge: str
    model: str
    calls: float
    tokens: float
    dollars: float


def judges_table(asked: Sequence[Asked], calls_a_second: float, latency: float) -> None:
    """Prints what judges cost, and how long one process takes that is limited by itself only."""
    print("\n| judge | sentences | calls | tokens | dollars | hours of one process | at once |")
    print("|---|---|---|---|---|---|---|")
    for each in asked:
        for sentences in AMOUNTS:
            examples = sentences / SENTENCES
            calls = examples * each.calls
            print(
                f"| {each.judge}, {each.model} | {sentences:.0e} | {calls:.1e} "
                f"| {examples * each.tokens:.1e} | {examples * each.dollars:,.0f} "
                f"| {calls / calls_a_second / 3600:,.0f} | {calls_a_second * latency:,.0f} |"
            )


def measure(examples: int, embedded: int) -> dict[str, object]:
    """The parts of a run on this machine, in CPU time; Ray is started once, before that."""
    os.environ |= {"RAY_ADDRESS": "local", "RAY_worker_niceness": "0", "ASSAY_BENCHMARK": OURS}
    join("")
    with tempfile.TemporaryDirectory() as folder:
        data = write_rows(Path(folder) / "data.jsonl", examples)
        survey = _each(data.survey, examples)
        seen = data.survey()
        read = _each(lambda: sum(1 for _ in data.read_again(seen)), examples)
        one = EngineChoice("ray", 1)
        run = timed(data, examples, "overlap", one)
        keep, disk = _kept(Path(folder), _examples(data))
        few = write_rows(Path(folder) / "few.jsonl", 24)  # the second batch keeps all layers
        works = [
            _work("overlap", 400, run.gigabytes),
            _work("embedded", embedded, timed(few, 24, "embedded", one).gigabytes),
        ]
        memory = _memory(data, examples)
        asked = [_asked(data, name, examples) for name in ("judge-simple", "judge-gray7")]
    exchange = max(0.0, run.here_ms / 1000 - read - keep)
    driver = Driver(survey, read, exchange, keep, memory, disk)
    return {
        "driver": asdict(driver),
        "works": [asdict(each) for each in works],
        "asked": [asdict(each) for each in asked],
        "examples": examples,
        "load": os.getloadavg()[0],
    }


def _each(work: Callable[[], object], count: int) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) / count


def _examples(data: DataChoice) -> list[Example]:
    return [each.example for each in data.read() if isinstance(each, Annotated)]


def _memory(data: DataChoice, count: int) -> float:
    """Bytes for an example at the peak of the look at the data, which keeps a digest of each id."""
    tracemalloc.start()
    data.survey()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / count


def _kept(folder: Path, examples: Sequence[Example]) -> tuple[float, float]:
    """Seconds and bytes of the journal for an example."""
    judged = [each.judgement for each in check_each(list(examples[:200]), detector="overlap")]
    count = 10 * len(judged)
    store = FolderRuns(folder / "runs")
    with store.create("kept", Manifest(judged[0].author, examples=count)) as journal:

        def write() -> None:
            for position in range(count):
                said = replace(judged[position % len(judged)], example=f"e{position}")
                journal.add(JournalEntry(position, said))
                if position % 16 == 15:
                    journal.flush()

        seconds = _each(write, count)
    size = sum(each.stat().st_size for each in (folder / "runs").iterdir())
    return seconds, size / count


def _work(detector: str, count: int, gigabytes: float) -> Work:
    """Seconds of CPU for examples of many lengths, one by one; the first two load the detector."""
    pick = random.Random(11)
    seconds = []
    for number in range(count + 2):
        with tempfile.TemporaryDirectory() as folder:
            data = write_rows(
                Path(folder) / "one.jsonl", 1, pick.randint(9, 45), pick.randint(1, 9), number
            )
            rows = _examples(data)
            began = time.process_time()
            list(check_each(rows, detector=detector))
            seconds.append(time.process_time() - began)
    timed_ones = seconds[2:]
    return Work(
        detector, fmean(timed_ones), pstdev(timed_ones) / fmean(timed_ones), gigabytes, count
    )


def _asked(data: DataChoice, judge: str, examples: int) -> Asked:
    """What a judge would ask, from a dry run; nothing is sent."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    model = "openai/gpt-4.1-mini"
    request = RunRequest(data, DetectorSpec(judge, models=(model,)))
    found = estimate_run(request).models[model]
    tokens = found.prompt_tokens + found.reply_tokens
    dollars = found.expected or 0.0
    return Asked(judge, model, found.calls / examples, tokens / examples, dollars / examples)


def main() -> None:
    """Measures, or prints the tables of what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--examples", type=int, default=2_000)
    parser.add_argument("--embedded", type=int, default=24, help="examples for embedded")
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--price", nargs="*", default=[], metavar="NAME=DOLLARS")
    parser.add_argument("--calls", type=float, default=3_613, help="of one process, a second")
    parser.add_argument("--latency", type=float, default=2.0, help="seconds of a call")
    given = parser.parse_args()
    if given.what == "measure":
        found = measure(given.examples, given.embedded)
        given.file.write_text(json.dumps(found, indent=1) + "\n")
        print(given.file.read_text())
        return
    kept = json.loads(given.file.read_text())
    prices = dict(each.split("=") for each in given.price)
    machines = [replace(each, price=float(prices.get(each.name, each.price))) for each in MACHINES]
    works = [Work(**each) for each in kept["works"]]
    table(works, Driver(**kept["driver"]), machines, given.hours)
    judges_table([Asked(**each) for each in kept["asked"]], given.calls, given.latency)


if __name__ == "__main__":
    main()
