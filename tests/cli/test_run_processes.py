"""Runs that are killed, interrupted, or started twice."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import Popen

import pytest

from tests.cli.conftest import Workplace, error_of
from tests.cli.loopback import Loopback

pytestmark = pytest.mark.soak

Work = Callable[..., Workplace]
CALLS = 2_000
AT_ONCE = 16
DELAY = 0.02
LIMIT = 60.0


@contextmanager
def started(place: Workplace, *more: str) -> Iterator["Popen[str]"]:
    """A run in a process of its own; whatever happens, it is ended."""
    process = place.start(*place.arguments("--concurrency", str(AT_ONCE), *more))
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=LIMIT)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.005)


def wait_for_calls(server: Loopback, count: int) -> None:
    wait_for(lambda: server.calls >= count)


def test_kill_in_the_middle_loses_nothing_and_repeats_only_what_was_in_flight(work: Work) -> None:
    place = work(CALLS)
    server = place.server
    server.delay = DELAY
    with started(place) as process:
        wait_for_calls(server, CALLS // 2)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait(LIMIT) == -signal.SIGKILL
    server.wait_until_left()
    before = server.calls
    assert CALLS // 2 <= before < CALLS
    shown = json.loads(place.assay("runs", "show", "data--judge-simple--m", "--json").stdout)
    assert shown["state"] == "killed"
    assert before - AT_ONCE <= shown["usage"]["calls"] <= before  # every reply but those under way
    assert before - 2 * AT_ONCE <= shown["done"] <= shown["usage"]["calls"]
    done = place.run("--concurrency", str(AT_ONCE), "--resume", "--json")
    assert done.exit_code == 0
    found = place.export()["judgements"]
    assert [each["example"] for each in found] == [f"ex{n}" for n in range(CALLS)]
    assert server.calls - CALLS <= AT_ONCE
    assert max(server.asked.values()) <= 2
    assert len(server.asked) == CALLS
    assert json.loads(done.stdout)["usage"]["calls"] == CALLS


def test_killed_run_pays_no_reply_twice_where_examples_take_several_calls(work: Work) -> None:
    place = work(100, response="Cat {n} sat. Cat {n} ran. Cat {n} ate. Cat {n} hid. Cat {n} won.")
    server = place.server
    server.delay = DELAY
    server.answer = lambda body: '{"reason": "so", "label": "explicitly-supported"}'
    with started(place, "--detector", "judge-gray7") as process:
        wait_for_calls(server, 240)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(LIMIT)
    server.wait_until_left()
    done = place.run("--detector", "judge-gray7", "--resume", "--json")
    summary = json.loads(done.stdout)
    assert (done.exit_code, summary["done"], summary["units"]) == (0, 100, 500)
    assert server.calls - 500 <= AT_ONCE
    assert len(server.asked) == summary["usage"]["calls"] == 500


def test_interrupt_keeps_what_is_judged_and_says_how_to_go_on(work: Work) -> None:
    place = work(400)
    place.server.delay = DELAY
    with started(place) as process:
        wait_for_calls(place.server, 100)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert "of 400 examples are judged and kept; go on with --resume" in err
    assert "Traceback" not in err
    assert out == ""  # --quiet
    assert place.run("--resume").exit_code == 0
    assert len(place.export()["judgements"]) == 400
    assert place.server.calls <= 400 + AT_ONCE


def test_second_interrupt_does_no_harm(work: Work) -> None:
    place = work(400)
    place.server.delay = DELAY
    with started(place) as process:
        wait_for_calls(place.server, 100)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.002)
        process.communicate(timeout=LIMIT)
    assert process.returncode != 0
    assert place.run("--resume").exit_code == 0
    assert len(place.export()["judgements"]) == 400


def test_reader_of_the_progress_that_goes_away_ends_the_run_and_loses_nothing(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a bar, which is written more often than lines
    place = work(400)
    place.server.delay = DELAY
    arguments = place.arguments("--concurrency", "4", quiet=False)
    with place.start(*arguments) as process:
        wait_for_calls(place.server, 100)
        assert process.stderr is not None
        process.stderr.close()
        assert process.wait(LIMIT) > 0  # not a crash, which would be less than 0
    assert 100 <= place.server.calls < 400
    assert place.run("--resume").exit_code == 0
    assert len(place.export()["judgements"]) == 400
    assert place.server.calls <= 404


def test_two_processes_never_run_the_same_run(
    work: Work, runs_at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = work(400)
    monkeypatch.setenv("ASSAY_RUNS", runs_at)
    place.server.delay = DELAY
    with started(place) as process:
        wait_for_calls(place.server, 20)
        second = place.run("--resume")
        third = place.run()
        listed = json.loads(place.assay("runs", "list", "--json").stdout)
        gone = place.assay("runs", "delete", "data--judge-simple--m", "--yes")
        process.communicate(timeout=LIMIT)
    assert "is being run by another process" in error_of(second)
    assert "is being run by another process" in error_of(third)
    assert "is being run by another process" in error_of(gone)
    assert [(each["state"], each["total"]) for each in listed] == [("running", 400)]
    assert process.returncode == 0
    assert place.server.calls == 400
