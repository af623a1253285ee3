"""Runs on a real cluster of several node processes, which lose workers, nodes and their run."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.app.rows import refuse
from assay.core.errors import InputError
from assay.core.judgements import Judgement, Manifest
from assay.datasets.selection import DataChoice
from assay.detectors.local import LocalOptions
from assay.detectors.registry import DetectorSpec
from assay.engine.check import CheckRequest, start_check
from assay.engine.engines import THIS_PROCESS, EngineChoice
from assay.engine.opening import open_run
from assay.engine.request import RunRequest
from assay.engine.session import Ending, Session
from assay.llm.settings.options import Options
from assay.store.runs import FolderRuns
from tests.cli.loopback import Loopback
from tests.engine.ray.conftest import LIMIT, wait_for, worker_processes

pytestmark = pytest.mark.slow

RAY = EngineChoice("ray")
NAMES = ("Lindmoor", "Osterholm", "Calder", "Vass")
Run = Callable[..., Ending]
Disturb = Callable[[Session], None]


def write(path: Path, count: int, sentences: int = 3) -> DataChoice:
    """Examples of which some three neighbours have the same source, and no two the same words."""
    pick = random.Random(5)

    def sentence(number: int) -> str:
        return f"{pick.choice(NAMES)} closed harbour {number} on {1 + pick.randrange(28)} May."

    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            if number % 3 == 0:
                source = " ".join(sentence(number + each) for each in range(6))
            response = " ".join(sentence(number + each) for each in range(sentences))
            row = {"id": f"e{number}", "source": source, "response": response}
            file.write(json.dumps(row) + "\n")
    return DataChoice(str(path))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Judges some data in a run of a name, or goes on with it; `disturb` is called meanwhile."""

    def go(
        data: DataChoice,
        spec: DetectorSpec,
        name: str,
        engine: EngineChoice = RAY,
        *,
        disturb: Disturb = lambda session: None,
        resume: bool = False,
    ) -> Ending:
        request = RunRequest(data, spec, name=name, engine=engine)
        with open_run(request, FolderRuns(tmp_path / "runs"), resume=resume) as session:
            return session.go(lambda: disturb(session))

    return go


def kept(folder: Path, name: str) -> tuple[Manifest, list[Judgement]]:
    """The manifest and the judgements of a run, without the time at which they were made."""
    with FolderRuns(folder / "runs").open(name) as journal:
        return journal.manifest, [replace(each, at="") for each in journal.read()]


def judge(server: Loopback, **options: Any) -> DetectorSpec:
    """A judge that asks a server."""
    given = Options(base_url=server.url, key_env="", **options)
    return DetectorSpec("judge-simple", ("m",), options=given)


@pytest.fixture
def server() -> Any:
    made = Loopback()
    yield made
    made.close()


class Once:
    """Does something once, when so many examples are done."""

    def __init__(self, after: int, do: Callable[[], None]) -> None:
        self._after = after
        self._do = do
        self.is_done = False

    def __call__(self, session: Session) -> None:
        if not self.is_done and session.standing.done >= self._after:
            self.is_done = True
            self._do()


def kill_one() -> None:
    os.kill(worker_processes()[0], signal.SIGKILL)


def test_two_thousand_examples_have_the_judgements_and_the_manifest_of_this_process(
    cluster: object, run: Run, tmp_path: Path
) -> None:
    data, spec = write(tmp_path / "a.jsonl", 2_000), DetectorSpec("overlap")
    assert run(data, spec, "there").state == run(data, spec, "here", THIS_PROCESS).state
    assert kept(tmp_path, "there") == kept(tmp_path, "here")
    assert len(kept(tmp_path, "here")[1]) == 2_000


@pytest.mark.soak
def test_what_is_judged_without_a_journal_is_the_same(cluster: object, tmp_path: Path) -> None:
    examples = [each.example for each in write(tmp_path / "a.jsonl", 200).examples()]
    request = CheckRequest(DetectorSpec("overlap"))

    def judged(engine: EngineChoice) -> list[Judgement]:
        check = start_check(examples, request, engine=engine)
        return [replace(each.judgement, at="") for each in check.results(refuse)]

    assert judged(RAY) == judged(THIS_PROCESS)


@pytest.mark.soak
def test_run_begun_in_this_process_goes_on_over_there(
    cluster: object, run: Run, tmp_path: Path
) -> None:
    data, spec = write(tmp_path / "a.jsonl", 500), DetectorSpec("overlap")
    stop = Once(100, lambda: signal.raise_signal(signal.SIGINT))
    assert run(data, spec, "a", THIS_PROCESS, disturb=stop).state == "interrupted"
    assert run(data, spec, "a", resume=True).state == "complete"
    assert [each.example for each in kept(tmp_path, "a")[1]] == [f"e{n}" for n in range(500)]


def test_killed_worker_loses_nothing_and_nothing_is_paid_twice(
    cluster: object,
    run: Run,
    tmp_path: Path,
    server: Loopback,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    server.delay = 0.05
    data, kill = write(tmp_path / "a.jsonl", 400), Once(100, kill_one)
    assert run(data, judge(server), "a", disturb=kill).state == "complete"
    assert kill.is_done
    assert [each.example for each in kept(tmp_path, "a")[1]] == [f"e{n}" for n in range(400)]
    assert set(server.asked.values()) == {1}
    assert server.calls == 400
    (told,) = (each.getMessage() for each in caplog.records if each.levelname == "WARNING")
    assert told.startswith("worker 1 was lost at ")
    assert "it ended unexpectedly; 1 of 2 are left, and another one is started" in told
    assert capfd.readouterr().out == ""


def test_one_budget_holds_for_all_workers(
    cluster: object, run: Run, tmp_path: Path, server: Loopback
) -> None:
    data = write(tmp_path / "a.jsonl", 100)
    ending = run(data, judge(server, budget_calls=40), "a")
    assert (ending.state, server.calls) == ("budget", 40)
    assert len(kept(tmp_path, "a")[1]) == 40
    assert run(data, judge(server, budget_calls=100), "a", resume=True).state == "complete"
    assert server.calls == 100


def test_killed_run_goes_on_where_it_was(cluster: object, tmp_path: Path, server: Loopback) -> None:
    server.delay = 0.05
    write(tmp_path / "a.jsonl", 400)
    command = [sys.executable, "-m", "assay", "run", "a.jsonl", "--engine", "ray"]
    command += ["--name", "a", "--runs", "runs"]
    command += ["--detector", "judge-simple", "--model", "m", "--base-url", server.url]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: server.calls > 100 or process.poll() is not None)
    finally:
        process.kill()
        process.wait(LIMIT)
    before = server.calls
    assert 100 < before < 400
    done = subprocess.run(
        [*command, "--resume"], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    assert [each.example for each in kept(tmp_path, "a")[1]] == [f"e{n}" for n in range(400)]
    assert server.calls <= 400 + 16  # those that were under way when it was killed
    assert "Traceback" not in done.stderr


def test_lost_node_loses_nothing(
    cluster: Any, run: Run, tmp_path: Path, server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    server.delay = 0.05
    data, node = write(tmp_path / "a.jsonl", 400), cluster.add_node(num_cpus=1)
    lose = Once(100, lambda: cluster.remove_node(node, allow_graceful=False))
    ending = run(data, judge(server), "a", EngineChoice("ray", 3), disturb=lose)
    (told,) = (each.getMessage() for each in caplog.records if each.levelname == "WARNING")
    assert re.search("(its machine is gone|its connection broke off); 2 of 3 are left", told)
    assert (ending.state, lose.is_done) == ("complete", True)
    assert [each.example for each in kept(tmp_path, "a")[1]] == [f"e{n}" for n in range(400)]
    assert set(server.asked.values()) == {1}


def test_detector_for_a_gpu_needs_one_in_the_cluster(
    cluster: object, run: Run, tmp_path: Path
) -> None:
    data = write(tmp_path / "a.jsonl", 3)
    for device, message in (("cuda", "the cluster has no GPU"), ("cuda:1", "a GPU to itself")):
        with pytest.raises(InputError, match=message) as found:
            run(data, DetectorSpec("embedded", local=LocalOptions(device)), "a")
        assert found.value.field == "device"


def test_worker_that_no_machine_has_room_for_is_refused(
    cluster: object, run: Run, tmp_path: Path
) -> None:
    data = write(tmp_path / "a.jsonl", 3)
    with pytest.raises(InputError, match="no machine of the cluster has 64 CPUs for a worker"):
        run(data, DetectorSpec("overlap"), "a", EngineChoice("ray", 1, 64))


@pytest.mark.soak
def test_embedded_model_has_the_same_judgements_of_two_thousand_examples(
    cluster: object, run: Run, tmp_path: Path
) -> None:
    data, spec = write(tmp_path / "a.jsonl", 2_000, sentences=1), DetectorSpec("embedded")
    assert run(data, spec, "there").state == run(data, spec, "here", THIS_PROCESS).state
    assert kept(tmp_path, "there") == kept(tmp_path, "here")


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_workers_killed_at_random_lose_nothing(
    cluster: object, run: Run, tmp_path: Path, server: Loopback, seed: int
) -> None:
    pick, count = random.Random(seed), 2_000
    server.delay = 0.05
    data, kills, following = write(tmp_path / "a.jsonl", count), 0, time.monotonic() + 3

    def disturb(session: Session) -> None:
        nonlocal kills, following
        if time.monotonic() > following and (there := worker_processes()):
            os.kill(pick.choice(there), signal.SIGKILL)
            kills, following = kills + 1, time.monotonic() + pick.uniform(1, 4)

    ending = run(data, judge(server), "a", disturb=disturb)
    assert ending.state == "complete"
    assert kills > 0
    found = Counter(each.example for each in kept(tmp_path, "a")[1])
    assert found == Counter(f"e{n}" for n in range(count))
    assert set(server.asked.values()) == {1}
    sys.stderr.write(f"\n{kills} kills, {server.calls} calls\n")


def test_nothing_is_left_of_a_run(cluster: object, run: Run, tmp_path: Path) -> None:
    run(write(tmp_path / "a.jsonl", 10), DetectorSpec("overlap"), "a")
    wait_for(lambda: not worker_processes())
