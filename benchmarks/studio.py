"""How quick the studio is with a team at work, and beside it the same reads from Label Studio.

So many simulated annotators take items, read them, ask for related passages, save an answer at a
time and submit. First at the pace of people who work without a pause (a change about every second),
then as fast as they can. A real server process answers over HTTP; its memory is the process's own.

Label Studio, where it is installed (its command on the PATH or named), serves the same texts to the
same client: tasks are read one after the other.

Run: python benchmarks/studio.py [--annotators 50] [--items 10000] [--seconds 60]
         [--database postgresql://...] [--label-studio COMMAND]
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import aiohttp

from assay.annotation.exchange.imports import import_file
from assay.annotation.people.accounts import add_person, local_administrator
from assay.annotation.people.members import add_member
from assay.annotation.people.sessions import begin, secret
from assay.annotation.projects import create_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio, open_studio
from assay.studio.security import TOKEN_HEADER, Cookies

PLACES = ("Lindmoor", "Osterholm", "Calder", "Varnes", "Tell Abbey", "Port Sorrel")
THINGS = ("the ferry", "the library", "a lighthouse", "the new bridge", "the fish market")
SERVE = """
import sys
from assay.annotation.studio import open_studio
from assay.studio.application import create_app
import uvicorn
uvicorn.run(create_app(open_studio(sys.argv[1])), port=int(sys.argv[2]), log_level="warning",
            access_log=False)
"""


@dataclass
class Times:
    """Seconds that requests of each kind took."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def show(self, seconds: float) -> None:
        """Prints the middle, the 95th percentile and the rate of each kind."""
        for kind, values in self.took.items():
            values.sort()
            late = values[min(len(values) - 1, int(0.95 * len(values)))]
            print(
                f"  {kind:<8} n={len(values):>6}  median {1000 * median(values):7.1f} ms"
                f"  p95 {1000 * late:7.1f} ms"
            )
        count = sum(map(len, self.took.values()))
        print(f"  all      n={count:>6}  {count / seconds:.0f} requests a second")


@dataclass(frozen=True)
class Annotator:
    """Somebody who is signed in, and the headers that say so."""

    name: str
    headers: dict[str, str]


def sentence(chance: random.Random) -> str:
    """A sentence about a place and something there."""
    place, other = chance.sample(PLACES, 2)
    year, cost = chance.randrange(1890, 2024), chance.randrange(2, 90)
    return (
        f"{place} opened {chance.choice(THINGS)} in {year} for {cost} million, "
        f"which people of {other} had asked for since {year - chance.randrange(1, 30)}."
    )


def rows(count: int) -> Iterator[dict[str, str]]:
    """Examples with sources of about 400 words and responses of six sentences."""
    chance = random.Random(0)
    for number in range(count):
        said = [sentence(chance) for _ in range(22)]
        response = [*chance.sample(said, 4), sentence(chance), sentence(chance)]
        yield {
            "id": f"item-{number}",
            "source": " ".join(said),
            "response": " ".join(response),
            "model": f"model-{number % 10}",
        }


def prepare(place: str, path: Path, annotators: int, k: int) -> list[Annotator]:
    """A project with all items and people in it, who are signed in."""
    studio = open_studio(place)
    chief = local_administrator(studio)
    slug = create_project(studio, chief, "Benchmark", ProjectSettings(k=k)).slug
    import_file(studio, chief, slug, str(path))
    team = [_member(studio, slug, f"annotator-{number}") for number in range(annotators)]
    studio.close()
    return team


def _member(studio: Studio, slug: str, name: str) -> Annotator:
    with studio.write() as connection:
        person = add_person(studio, connection, name, "annotator", "")
        session = begin(studio, connection, person)
    add_member(studio, local_administrator(studio), slug, name)
    cookies = Cookies(secret(studio), is_secure=False)
    cookie = cookies.header(cookies.session, session.token).partition(";")[0]
    return Annotator(name, {"Cookie": cookie, TOKEN_HEADER: session.csrf})


async def work(base: str, who: Annotator, end: float, pause: float, times: Times) -> None:
    """One annotator: item after item, a change at a time, until the time is over."""
    chance = random.Random(who.name)
    headers = {**who.headers, "Origin": base}
    async with aiohttp.ClientSession(base, headers=headers) as http:

        async def ask(kind: str, method: str, path: str, body: object = None) -> dict[str, object]:
            if pause:
                await asyncio.sleep(chance.uniform(0.5, 1.5) * pause)
            began = time.perf_counter()
            async with http.request(method, path, json=body) as answer:
                said = await answer.read()
                times.took[kind].append(time.perf_counter() - began)
                if answer.status != 200:
                    sys.exit(f"{method} {path}: {answer.status} {said[:300]!r}")
                found: dict[str, object] = json.loads(said)
                return found

        while time.monotonic() < end:
            place = await ask("next", "POST", "/api/projects/benchmark/next")
            path = f"/api/projects/benchmark/items/{place['position']}"
            await _annotate(ask, path, end)


async def _annotate(ask: object, path: str, end: float) -> None:
    view = await ask("load", "GET", path)  # type: ignore[operator]
    task = view["work"]
    version = task["version"]
    answers = {
        "states_fact": True,
        "several_readings": False,
        "entailed": True,
        "explicit": True,
        "contradicted": None,
        "entailed_with_knowledge": None,
    }
    for number, unit in enumerate(task["units"]):
        if time.monotonic() > end:
            return
        await ask("related", "GET", f"{path}/related?unit={unit['id']}")  # type: ignore[operator]
        verdict = {"label": "explicitly-supported", "answers": answers}
        saved = await ask(  # type: ignore[operator]
            "save",
            "POST",
            f"/api/work/{task['id']}/changes",
            {
                "base": version,
                "id": f"{task['id']}-{number}",
                "kind": "edit",
                "changes": [{"id": unit["id"], "unit": {**unit, "verdict": verdict}}],
            },
        )
        version = saved["version"]
    submit = f"/api/work/{task['id']}/submit"
    await ask("submit", "POST", submit, {"base": version, "seconds": 30})  # type: ignore[operator]


@contextmanager
def served(command: list[str], base: str, **environment: str) -> Iterator[tuple[int, float]]:
    """A server that answers: its process, and how long it took to get there."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        asyncio.run(_until_up(base, process))
        yield process.pid, time.perf_counter() - began
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


async def _until_up(base: str, process: subprocess.Popen[bytes]) -> None:
    async with aiohttp.ClientSession() as http:
        while process.poll() is None:
            try:
                async with http.get(base) as answer:
                    await answer.read()
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.02)
    sys.exit("the server ended before it answered")


def memory(pid: int) -> float:
    """The resident memory of a process and its children, in MB."""
    found = subprocess.run(
        ["ps", "-o", "rss=", "--pid", str(pid), "--ppid", str(pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    return sum(map(int, found.stdout.split())) / 1024


async def _all_at_work(
    base: str, team: list[Annotator], seconds: float, pause: float, times: Times
) -> None:
    end = time.monotonic() + seconds
    await asyncio.gather(*(work(base, who, end, pause, times) for who in team))


async def read_one_by_one(
    base: str, paths: list[str], headers: dict[str, str], at_once: int = 1
) -> tuple[float, Times]:
    """Reads paths, so many at once; the rate a second and the time of each."""
    times, waiting = Times(), iter(paths)
    began = time.perf_counter()

    async with aiohttp.ClientSession(base, headers=headers) as http:

        async def reader() -> None:
            for path in waiting:
                start = time.perf_counter()
                async with http.get(path) as answer:
                    said = await answer.read()
                    if answer.status != 200:
                        sys.exit(f"{path}: {answer.status} {said[:200]!r}")
                times.took["load"].append(time.perf_counter() - start)

        await asyncio.gather(*(reader() for _ in range(at_once)))
    return len(paths) / (time.perf_counter() - began), times


def measure_studio(options: argparse.Namespace, folder: Path) -> tuple[float, float]:
    """Prints what the studio does with a team; gives its rates of reads, one and many at once."""
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(options.items)))
    place = options.database or str(folder / "studio.sqlite")
    began = time.perf_counter()
    team = prepare(place, path, options.annotators, k=2)
    print(f"import of {options.items:,} items: {time.perf_counter() - began:.1f} s")
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with served([sys.executable, "-c", SERVE, place, str(port)], f"{base}/login") as (pid, took):
        print(f"start-up {took:.2f} s, {memory(pid):.0f} MB")
        for pause, pace in ((1.0, "a change a second each"), (0.0, "as fast as they can")):
            times = Times()
            asyncio.run(_all_at_work(base, team, options.seconds, pause, times))
            print(f"{options.annotators} annotators, {pace}: {memory(pid):.0f} MB")
            times.show(options.seconds)
        return _reads(base, team[0], options.reads)


def _reads(base: str, who: Annotator, count: int) -> tuple[float, float]:
    """The item that somebody is working on, read again and again."""
    place = asyncio.run(_position(base, who))
    paths = [f"/api/projects/benchmark/items/{place}"] * count
    rates = []
    for at_once in (1, 10):
        rate, times = asyncio.run(read_one_by_one(base, paths, who.headers, at_once))
        print(f"reads of an item, {at_once} at once: {rate:.0f} a second")
        times.show(count / rate)
        rates.append(rate)
    return rates[0], rates[1]


async def _position(base: str, who: Annotator) -> int:
    headers = {**who.headers, "Origin": base}
    path = "/api/projects/benchmark/next"
    async with aiohttp.ClientSession(base, headers=headers) as http, http.post(path) as answer:
        return int((await answer.json())["position"])


def measure_label_studio(
    command: str, options: argparse.Namespace, folder: Path
) -> tuple[float, float]:
    """Prints how Label Studio serves the same texts; gives its rates of reads."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    token = "0123456789abcdef0123456789abcdef01234567"
    account = ["--username", "a@example.org", "--password", "not a secret"]
    start = [command, "start", "--no-browser", "--port", str(port), *account]
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "label-studio"),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "false",
    }
    with served([*start, "--user-token", token], f"{base}/health", **settings):
        pass  # the first start makes its database
    with served([*start, "--user-token", token], f"{base}/health", **settings) as (pid, took):
        headers = {"Authorization": f"Token {token}"}
        paths = asyncio.run(_label_studio_tasks(base, headers, options.label_studio_items))
        print(f"Label Studio: warm start-up {took:.2f} s, {memory(pid):.0f} MB")
        rates = []
        for at_once in (1, 10):
            some = (paths * options.reads)[: options.reads // 4]
            rate, times = asyncio.run(read_one_by_one(base, some, headers, at_once))
            print(f"reads of a task, {at_once} at once: {rate:.0f} a second")
            times.show(len(some) / rate)
            rates.append(rate)
    return rates[0], rates[1]


async def _label_studio_tasks(base: str, headers: dict[str, str], count: int) -> list[str]:
    config = (
        '<View><Text name="source" value="$source"/><Text name="response" value="$response"/>'
        '<Labels name="label" toName="response"><Label value="unwanted"/></Labels></View>'
    )
    async with aiohttp.ClientSession(base, headers=headers) as http:
        project = {"title": "Benchmark", "label_config": config}
        async with http.post("/api/projects", json=project) as answer:
            number = (await answer.json())["id"]
        tasks = [{"data": row} for row in rows(count)]
        async with http.post(f"/api/projects/{number}/import", json=tasks) as answer:
            await answer.read()
        listed = f"/api/tasks?project={number}&page_size={count}&fields=task_only"
        async with http.get(listed) as answer:
            found = await answer.json()
    return [f"/api/tasks/{each['id']}" for each in found["tasks"]]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def main() -> None:
    """Measures the studio, and Label Studio where it is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--reads", type=int, default=1_000)
    parser.add_argument("--database", default="")
    parser.add_argument("--label-studio", default=shutil.which("label-studio") or "")
    parser.add_argument("--label-studio-items", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        ours = measure_studio(options, Path(name))
        if not options.label_studio:
            print("Label Studio is not installed: nothing to compare with")
            return
        theirs = measure_label_studio(options.label_studio, options, Path(name))
        for at_once, our, their in zip((1, 10), ours, theirs, strict=True):
            print(f"reads, {at_once} at once: {our / their:.1f} x Label Studio")


if __name__ == "__main__":
    main()
