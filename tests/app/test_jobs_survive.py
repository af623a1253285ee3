"""Jobs whose processes are killed at any moment, whose database goes away, or that are long."""

import random
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assay.app.jobs import Job, Jobs
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.core.verdicts import Verdict
from assay.detectors.protocol import Detector
from assay.engine import opened_detectors
from assay.engine.job_worker import MOST_ATTEMPTS
from assay.store.database import is_url
from tests import postgres
from tests.app.test_jobs import ended, judge, make_jobs, rows, server, wait_for
from tests.cli.loopback import Loopback

__all__ = ["make_jobs", "server"]

pytestmark = pytest.mark.slow

MakeJobs = Callable[..., Jobs]
AT_ONCE = 4
KILLS = 10
COUNT, SIZE = 2_000, 12_000  # rows of a long job, and characters of each
WORKER = """
import sys
from assay.app.jobs import Jobs
from assay.detectors.registry import DetectorSpec
from assay.engine import job_worker
from assay.engine.check import CheckRequest
from assay.llm.settings.options import Options

job_worker._POLL, job_worker._BEAT, job_worker._SEARCH = 0.05, 0.05, 0.2
place, url, at_once = sys.argv[1], sys.argv[2], int(sys.argv[3])
options = Options(base_url=url, concurrency=at_once)
jobs = Jobs(place, {"judge": CheckRequest(DetectorSpec("judge-simple", ("m",), options=options))})
jobs.start()
sys.stdin.read()
jobs.close()
"""


class Process:
    """A process that works on jobs until it is killed or its input ends."""

    def __init__(self, place: str, server: Loopback, script: str = WORKER) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", script, place, server.url, str(AT_ONCE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def kill(self) -> None:
        with self._process:
            self._process.kill()

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> int:
        with self._process:  # which ends its input
            pass
        return self._process.returncode


Start = Callable[..., Process]


@pytest.fixture
def start(server: Loopback) -> Iterator[Start]:
    """Starts processes; whatever happens, they are ended."""
    with ExitStack() as ending:

        def begin(place: str, script: str = WORKER) -> Process:
            made = Process(place, server, script)
            ending.callback(made.kill)
            return made

        yield begin


def require_each_once(jobs: Jobs, job: Job, server: Loopback, *, kills: int) -> None:
    """Every example has one result, and only what was under way at a kill was asked again."""
    assert (job.state, job.done, job.failures) == ("done", job.examples, 0)
    assert [at for at, _ in jobs.results(job.id)] == list(range(job.examples))
    with jobs._place.runs.open(f"job-{job.id}") as journal:
        assert {each.round for each in journal.read()} == {1}
    assert max(server.asked.values()) <= 1 + kills


def test_job_whose_process_is_killed_is_gone_on_with_by_the_next(
    runs_at: str, make_jobs: MakeJobs, server: Loopback, start: Start
) -> None:
    server.delay = 0.02
    jobs = make_jobs(judge(server, AT_ONCE), runs_at, workers=0)
    job = jobs.submit(rows(120), "judge")
    first = start(runs_at)
    wait_for(lambda: server.calls >= 40)
    first.kill()
    server.wait_until_left()
    assert jobs.find(job.id).state == "running"
    assert server.calls < 120
    second = start(runs_at)
    job = ended(jobs, job)
    assert second.end() == 0
    require_each_once(jobs, job, server, kills=1)
    assert len(server.asked) == 120 <= server.calls <= 120 + AT_ONCE


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_processes_killed_at_random_moments_lose_nothing_and_do_nothing_twice(
    runs_at: str, make_jobs: MakeJobs, server: Loopback, start: Start, seed: int
) -> None:
    chance, kills = random.Random(seed), 0
    server.delay = 0.1
    jobs = make_jobs(judge(server, AT_ONCE), runs_at, workers=0)
    submitted = [jobs.submit(rows(100, f"w{number}"), "judge") for number in range(6)]
    working = [start(runs_at) for _ in range(2)]
    while not all(jobs.find(job.id).has_ended for job in submitted):
        if kills < KILLS:
            time.sleep(chance.uniform(0.0, 3.0))
            working.pop(chance.randrange(2)).kill()
            kills += 1
            working.append(start(runs_at))
        time.sleep(0.02)
    assert kills > 3
    assert [each.end() for each in working] == [0, 0]
    server.wait_until_left()
    for job in submitted:
        require_each_once(jobs, jobs.find(job.id), server, kills=kills)
    assert len(server.asked) == 600 <= server.calls <= 600 + kills * AT_ONCE
    if not is_url(runs_at):
        assert not list(Path(runs_at).glob("*.jsonl"))


POISONED = """
import os
from assay.engine.session import Session

keep = Session._keep

def keep_unless_poisoned(self, task, said):
    if "poison" in task.example.source.text:
        os._exit(7)
    keep(self, task, said)

Session._keep = keep_unless_poisoned
"""


def test_job_that_kills_its_process_is_given_up_and_the_others_are_done(
    tmp_path: Path, make_jobs: MakeJobs, server: Loopback, start: Start
) -> None:
    place = str(tmp_path / "jobs")
    jobs = make_jobs(judge(server, AT_ONCE), place, workers=0)
    poisoned, sound = jobs.submit(rows(1, "poison"), "judge"), jobs.submit(rows(9), "judge")
    deaths = 0
    process = start(place, POISONED + WORKER)
    while not jobs.find(sound.id).has_ended:
        if process.has_ended():
            assert process.end() == 7
            deaths += 1
            assert deaths <= MOST_ATTEMPTS
            process = start(place, POISONED + WORKER)
        time.sleep(0.02)
    assert process.end() == 0
    assert deaths == MOST_ATTEMPTS
    assert jobs.find(sound.id).state == "done"
    assert (jobs.find(poisoned.id).state, jobs.find(poisoned.id).code) == ("failed", "no-progress")
    assert server.calls == 10  # the reply that was paid for was kept


@pytest.fixture
def database_server() -> Iterator[postgres.Server]:
    """A server of this test's own."""
    with postgres.fickle_server() as made:
        yield made


def test_job_goes_on_when_its_database_comes_back(
    make_jobs: MakeJobs, server: Loopback, database_server: postgres.Server
) -> None:
    server.delay = 0.02
    jobs = make_jobs(judge(server, AT_ONCE), f"{database_server.address}/postgres")
    jobs.start()
    job = jobs.submit(rows(150), "judge")
    wait_for(lambda: server.calls >= 50)
    database_server.stop()
    server.wait_until_left()
    assert server.calls < 150  # nothing is paid for that could not be kept
    time.sleep(1)
    database_server.start()
    job = ended(jobs, job)
    assert job.error == ""
    require_each_once(jobs, job, server, kills=1)
    assert server.calls <= 150 + 2 * AT_ONCE


def test_long_job_is_never_in_memory_as_a_whole(
    make_jobs: MakeJobs, monkeypatch: pytest.MonkeyPatch, scripted: Callable[..., Detector]
) -> None:
    def many() -> Iterator[Example]:
        for number in range(COUNT):
            source = f"Cat {number} sat." + " " * SIZE
            yield Example(f"ex{number}", read_source(source), Response("It sat. It ran."))

    quick = scripted(lambda unit: Verdict(unit.id, score=1.0), log=Forgetful())
    monkeypatch.setattr(opened_detectors, "open_detector", lambda *made_of: quick)
    jobs = make_jobs()
    jobs.start()
    tracemalloc.start()
    job = ended(jobs, jobs.submit(many(), "overlap"))
    assert sum(1 for _ in jobs.results(job.id)) == job.done == COUNT
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < COUNT * SIZE / 3


class Forgetful(list[str]):
    """A log that keeps nothing."""

    def extend(self, values: Iterable[str]) -> None: ...
