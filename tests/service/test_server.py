"""The server as a process: its start, its signals, and an orderly end."""

import http.client
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.app.jobs import Jobs
from assay.core.errors import InputError
from assay.service.application import PLACE
from assay.service.keys import new_key
from assay.service.request import ServeRequest
from assay.service.server import serve
from assay.web.listening import listen
from tests.service.serving import GOOD, asked

COMMAND = [sys.executable, "-m", "assay", "serve", "--detector", "overlap", "--port", "0"]


@contextmanager
def process(folder: Path, *more: str, code: str = "") -> Iterator[tuple[Any, "queue.Queue[Any]"]]:
    """A service in a process of its own, and what it logs."""
    command = [sys.executable, "-c", code] if code else [*COMMAND, *more]
    made = subprocess.Popen(
        command, stderr=subprocess.PIPE, cwd=folder, env={**os.environ, PLACE: str(folder / "jobs")}
    )
    lines: queue.Queue[Any] = queue.Queue()

    def read() -> None:
        assert made.stderr is not None
        for line in made.stderr:
            lines.put(json.loads(line) if line.startswith(b"{") else line.decode())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield made, lines
    finally:
        made.kill()
        made.wait()
        reader.join(10)
        if made.stderr:
            made.stderr.close()


def until(lines: "queue.Queue[Any]", event: str) -> Any:
    while True:
        said = lines.get(timeout=60)
        if isinstance(said, dict) and said["event"] == event:
            return said


def post(port: int, body: object, path: str = "/v1/check") -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read())
    connection.close()
    return found


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_service_answers_until_a_signal_ends_it(tmp_path: Path, number: int, code: int) -> None:
    with process(tmp_path) as (made, lines):
        port = int(until(lines, "started")["address"].rstrip("/").rpartition(":")[2])
        until(lines, "ready")
        assert post(port, GOOD)[0] == 200
        made.send_signal(number)
        assert made.wait(20) == code
        until(lines, "stopped")
        assert lines.empty()


HELD = """
import sys, threading
sys.path.insert(0, {root!r})
from pathlib import Path
import assay.detectors.overlap as home
from assay.detectors.registry import DETECTORS
from tests.service.serving import Held, asked
from assay.service.server import serve
from dataclasses import replace
held = Held()
home.HELD = held.type()
DETECTORS["held"] = "overlap:HELD"
threading.Timer({seconds}, held.go.set).start()
sys.exit(serve(replace(asked(Path("."), "held"), port=0)))
"""


def test_request_under_way_is_answered_and_new_ones_are_turned_away(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    answers: list[tuple[int, Any]] = []
    with process(tmp_path, code=HELD.format(root=root, seconds=4)) as (made, lines):
        port = int(until(lines, "started")["address"].rstrip("/").rpartition(":")[2])
        until(lines, "ready")
        asking = threading.Thread(target=lambda: answers.append(post(port, GOOD)))
        asking.start()
        time.sleep(0.5)
        made.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        status, body = post(port, GOOD)
        assert (status, body["error"]["code"]) == (503, "closing")
        asking.join(20)
        assert made.wait(20) == signal.SIGTERM
    ((status, body),) = answers
    assert (status, body["ending"]) == (200, {"state": "complete"})


COMPUTING = """
import sys, time
sys.path.insert(0, {root!r})
import assay.detectors.overlap as home
from assay.detectors.protocol import in_batches
from assay.detectors.registry import DETECTORS
from tests.service.serving import Held
class Computing(Held):
    def judge(self, examples):
        return in_batches(examples, lambda some: [self.compute(each) for each in some])
    def compute(self, example):
        if not example.source.text.startswith("The bridge of"):
            time.sleep(600)
        return self.judgement(example)
home.COMPUTING = Computing().type()
DETECTORS["computing"] = "overlap:COMPUTING"
sys.argv[1:] = ["serve", "--detector", "computing", "--port", "0"]
from assay.cli import main
main()
"""


def test_second_signal_ends_at_once_although_a_thread_computes(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    answers: list[tuple[int, Any]] = []
    with process(tmp_path, code=COMPUTING.format(root=root)) as (made, lines):
        port = int(until(lines, "started")["address"].rstrip("/").rpartition(":")[2])
        until(lines, "ready")
        assert post(port, GOOD, "/v1/jobs")[0] == 202
        asking = threading.Thread(target=lambda: answers.append(post(port, GOOD)))
        asking.start()
        time.sleep(0.5)
        made.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert made.poll() is None
        began = time.monotonic()
        made.send_signal(signal.SIGTERM)
        assert made.wait(20) == 143
        assert time.monotonic() - began < 9
        asking.join(10)
        told = [lines.get(timeout=10)]
        while told[-1]["event"] != "stopped":
            told.append(lines.get(timeout=10))
    ((status, body),) = answers
    assert (status, body["error"]["code"]) == (503, "closing")
    assert {each["level"] for each in told} == {"info"}
    with closing(Jobs(str(tmp_path / "jobs"), {}, workers=0)) as jobs:
        (job,) = jobs.list()
    assert not job.has_ended  # it goes on at the next start


def test_accepted_job_goes_on_at_the_next_start(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    with process(tmp_path, code=HELD.format(root=root, seconds=600)) as (made, lines):
        port = int(until(lines, "started")["address"].rstrip("/").rpartition(":")[2])
        until(lines, "ready")
        status, job = post(port, GOOD, "/v1/jobs")
        assert status == 202
        made.kill()
    with process(tmp_path, code=HELD.format(root=root, seconds=0)) as (made, lines):
        port = int(until(lines, "started")["address"].rstrip("/").rpartition(":")[2])
        url = f"http://127.0.0.1:{port}/v1/jobs/{job['id']}"
        with urllib.request.urlopen(f"{url}/events", timeout=60) as events:
            *_, last = events.read().decode().strip().split("\n\n")
        assert last.startswith("event: end\n")
        assert json.loads(last.partition("data: ")[2])["state"] == "done"
        made.send_signal(signal.SIGTERM)
        assert made.wait(30) == signal.SIGTERM


def test_without_keys_only_this_computer_is_served(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="so it is not served on") as caught:
        serve(replace(asked(tmp_path), host="0.0.0.0", port=0))
    assert (caught.value.code, caught.value.field) == ("no-keys", "host")


def test_port_that_is_taken_is_refused_in_one_line(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1, port {port}"):
            serve(replace(asked(tmp_path), port=port))


def test_model_that_cannot_be_loaded_ends_the_start_in_one_line(tmp_path: Path) -> None:
    with process(tmp_path, "--detector", f"embedded:{tmp_path / 'nothing'}") as (made, lines):
        assert made.wait(60) == 2
        told = [lines.get(timeout=10)]
        while not isinstance(told[-1], str):
            told.append(lines.get(timeout=10))
    assert "nothing" in told[-1]
    assert "Traceback" not in told[-1]


def test_keys_open_the_service_to_others(tmp_path: Path) -> None:
    key, line = new_key("ann")
    (tmp_path / "keys").write_text(line)
    with process(tmp_path, "--host", "0.0.0.0", "--keys", "keys") as (made, lines):
        port = int(until(lines, "started")["address"].rstrip("/").rpartition(":")[2])
        until(lines, "ready")
        url = f"http://127.0.0.1:{port}/v1/detectors"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(url)
        request = urllib.request.Request(url, headers={"X-API-Key": key})
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 200
        assert until(lines, "request")["status"] == 401
        assert until(lines, "request")["owner"] == "ann"
        made.send_signal(signal.SIGTERM)
        assert made.wait(20) == 143


def test_place_of_jobs_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("a file")
    with pytest.raises(InputError, match="cannot make the folder") as caught:
        serve(replace(asked(tmp_path), port=0))
    assert caught.value.field == "store"


def test_usual_request_is_for_this_computer_alone() -> None:
    request = ServeRequest()
    assert (request.host, request.keys, request.log_texts) == ("127.0.0.1", None, False)
    assert request.limits.rate is None
    with listen(request.host, 0) as listening:
        assert listening.family == socket.AF_INET
