"""How much a running service answers, how quickly, and what it costs beside the bare call.

Beside `assay serve` runs `benchmarks/service_peer.py`: LettuceDetect-base behind FastAPI, as people
write it. Both are real processes on this machine; the clients, in a third process, send the next
document when they have the answer to the last one. Everything is measured in turn, round after
round, and ratios are taken within a round. The texts:
    long     a source of 290 words and five sentences, about 650 tokens; every source another
    short    a source of 60 words and two sentences, about 180 tokens; every source another
    shared   as long, but eight responses to each source

Run: python benchmarks/service.py [--rounds 5] [--documents 32] [--texts long short shared]
         [--memory 1000] [--without-peer]
"""

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median

import aiohttp
from embedded import sentence

from assay import acheck, check

ROOT = Path(__file__).parents[1]
CLIENTS = (1, 8, 32)
TEXTS = ("long", "short", "shared")
DETECTOR = "embedded"
Row = dict[str, str]
_numbers = count()


@dataclass
class Served:
    """A server process, where it answers checks, and what stands around the texts."""

    name: str
    url: str
    process: subprocess.Popen[bytes]
    detector: str = ""

    def body(self, row: Row) -> Row:
        """What is sent to check a row."""
        return {**row, "detector": self.detector} if self.detector else row

    @property
    def megabytes(self) -> float:
        """The memory that it holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


@dataclass
class Load:
    """The documents that some clients had checked in some time."""

    documents: int
    seconds: float
    latencies: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Documents a second."""
        return self.documents / self.seconds

    def latency(self, share: float) -> float:
        """The milliseconds within which this share of the answers came."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rows(kind: str, number: int) -> list[Row]:
    """New texts: no source was sent before, unless it is shared."""
    pick = random.Random(next(_numbers))
    words, sentences = (60, 2) if kind == "short" else (290, 5)

    def text(of: int) -> str:
        return " ".join(sentence(pick) for _ in range(of))

    each = 8 if kind == "shared" else 1
    sources = [text(words // 11 + 1) for _ in range(-(-number // each))]
    return [{"source": sources[n // each], "response": text(sentences)} for n in range(number)]


async def load(served: Served, given: Sequence[Row], clients: int) -> Load:
    """Has documents checked by so many clients at the same time."""
    waiting = iter(given)
    found = Load(len(given), 0.0)
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=600)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def client() -> None:
            for row in waiting:
                began = time.perf_counter()
                async with session.post(served.url, json=served.body(row)) as response:
                    answer = await response.read()
                    assert response.status == 200, answer[:500]
                found.latencies.append(time.perf_counter() - began)

        began = time.perf_counter()
        await asyncio.gather(*(client() for _ in range(clients)))
        found.seconds = time.perf_counter() - began
    return found


@contextmanager
def started(name: str, command: list[str], port: int, path: str, ready: str) -> Iterator[Served]:
    """A server from its start, when it answers, to its end."""
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        asyncio.run(_wait(address + ready, process))
        yield Served(name, address + path, process)
    finally:
        process.terminate()
        process.wait(30)


async def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(600):
            assert process.poll() is None, "the server ended"
            try:
                async with session.get(url) as response:
                    if response.status < 400:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.2)
    raise AssertionError("the server does not answer")


def ours(folder: str) -> list[str]:
    """The command of our service, up to its port."""
    names = ["--detector", DETECTOR, "--detector", "overlap"]
    return [sys.executable, "-m", "assay", "serve", *names, "--store", folder, "--port"]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def shown(values: Sequence[float], digits: int = 2) -> str:
    """The median of some values, and their range."""
    middle, low, high = median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def throughput(
    servers: Sequence[Served], texts: Sequence[str], rounds: int, documents: int
) -> None:
    """Documents a second and latencies, by texts and by number of clients."""
    print(f"{'':8}{'clients':>8}  {'documents/s':>20} {'x one client':>20}", end="")
    print(f" {'p50 ms':>8} {'p95 ms':>8}   ours x the other")
    for kind in texts:
        loads: dict[tuple[str, int], list[Load]] = {}
        for _ in range(rounds):
            for clients in CLIENTS:
                given = rows(kind, documents if clients > 1 else max(8, documents // 4))
                for served in servers:
                    done = asyncio.run(load(served, given, clients))
                    loads.setdefault((served.name, clients), []).append(done)
        for (name, clients), done_each in loads.items():
            first = loads[name, 1]
            gains = [each.rate / one.rate for each, one in zip(done_each, first, strict=True)]
            cells = [shown([each.rate for each in done_each]), shown(gains)]
            ends = [median(each.latency(share) for each in done_each) for share in (0.5, 0.95)]
            line = (
                f"{kind:8}{clients:8}  {cells[0]:>20} {cells[1]:>20} {ends[0]:8.0f} {ends[1]:8.0f}"
            )
            if name != servers[-1].name:
                other = loads[servers[-1].name, clients]
                pairs = zip(done_each, other, strict=True)
                line += f"   {shown([one.rate / two.rate for one, two in pairs])}"
            print(f"{line}  {name}", flush=True)


def overhead(served: Served, rounds: int) -> None:
    """The milliseconds that a request takes longer than the same check here."""
    for detector, kind, number in (("overlap", "long", 100), (DETECTOR, "short", 20)):
        named = Served(served.name, served.url, served.process, detector)
        more, bare = [], []
        check(rows(kind, 2), detector=detector)
        for _ in range(rounds):
            there, here = asyncio.run(_in_turn(named, rows(kind, number)))
            more.append(1000 * median(a - b for a, b in zip(there, here, strict=True)))
            bare.append(1000 * median(here))
        told = f"{shown(more)} ms over the bare call, which takes {shown(bare)} ms"
        print(f"{detector}: {told}", flush=True)


async def _in_turn(served: Served, given: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Seconds of each check by the service, and by a call in this process."""
    there, here = list[float](), list[float]()
    async with aiohttp.ClientSession() as session:
        for row in given:
            began = time.perf_counter()
            async with session.post(served.url, json=served.body(row)) as response:
                await response.read()
            middle = time.perf_counter()
            await acheck(row, detector=served.detector)
            there.append(middle - began)
            here.append(time.perf_counter() - middle)
    return there, here


def memory(served: Served, documents: int) -> None:
    """The memory of the server before and after documents, once it has seen some."""
    for detector, kind in (("overlap", "long"), (DETECTOR, "short")):
        named = Served(served.name, served.url, served.process, detector)
        asyncio.run(load(named, rows(kind, max(1, documents // 10)), 8))
        before = served.megabytes
        asyncio.run(load(named, rows(kind, documents), 8))
        print(
            f"{detector}: {before:.0f} MB, and {served.megabytes:.0f} MB {documents} documents on"
        )


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--documents", type=int, default=32, help="of a measurement; of one client, a quarter"
    )
    parser.add_argument("--texts", nargs="*", default=TEXTS, choices=TEXTS)
    parser.add_argument("--memory", type=int, default=1000, help="documents; 0 leaves it out")
    parser.add_argument("--without-peer", action="store_true")
    options = parser.parse_args()
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        port, other = free_port(), free_port()
        command = [*ours(folder), str(port)]
        servers = [opened.enter_context(started("ours", command, port, "/v1/check", "/readyz"))]
        if not options.without_peer:
            peer = [sys.executable, str(ROOT / "benchmarks" / "service_peer.py"), str(other)]
            there = started("LettuceDetect-base", peer, other, "/check", "/openapi.json")
            servers.append(opened.enter_context(there))
        for served in servers:
            asyncio.run(load(served, rows("short", 2), 2))
        load_now = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        print(f"{os.cpu_count()} cores, load {load_now}; median (lowest-highest)", flush=True)
        overhead(servers[0], options.rounds)
        throughput(servers, options.texts, options.rounds, options.documents)
        if options.memory:
            memory(servers[0], options.memory)


if __name__ == "__main__":
    main()
