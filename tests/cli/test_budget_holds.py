"""A budget is for a run with all its sessions, however these end: the server counts the calls."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.store.runs import open_store
from tests.cli.conftest import Workplace, error_of
from tests.cli.loopback import Loopback
from tests.cli.test_check_goes_on import arguments as check_arguments
from tests.cli.test_run_processes import DELAY, LIMIT, started, wait_for

pytestmark = pytest.mark.soak

Work = Callable[..., Workplace]
Moment = Callable[[Loopback], bool]
NAME = "data--judge-simple--m"
AT_ONCE = 16  # as `started` has it
BUDGET = 40
NEVER = 3600.0  # seconds that no test waits for

# After how many calls each session is ended: the first, as many as can be under way, more.
UNANSWERED = (1, AT_ONCE, 1, 1, 1)
ANSWERED = (1, AT_ONCE + 4, AT_ONCE, 1, 2)


def end_after(place: Workplace, by: signal.Signals, calls: int, runs_at: str, *more: str) -> int:
    """A session that is sent a signal when it has made so many calls; its exit code."""
    server = place.server
    before = server.calls
    with started(place, "--runs", runs_at, *more) as process:
        wait_for(lambda: server.calls >= before + calls or process.poll() is not None)
        if process.poll() is None:
            process.send_signal(by)
        _, told = process.communicate(timeout=LIMIT)
    server.wait_until_left()
    wait_for(lambda: not open_store(runs_at).is_locked(NAME))
    assert "Traceback" not in told
    return process.returncode


@pytest.mark.parametrize(
    ("by", "delay", "moments"),
    [
        (signal.SIGKILL, NEVER, UNANSWERED),
        (signal.SIGKILL, DELAY, ANSWERED),
        (signal.SIGTERM, DELAY, ANSWERED),
    ],
    ids=["kill-unanswered", "kill", "term"],
)
def test_no_number_of_sessions_passes_the_budget(
    work: Work, runs_at: str, by: signal.Signals, delay: float, moments: tuple[int, ...]
) -> None:
    place = work(60)
    place.server.delay = delay
    allowed = ("--budget-calls", str(BUDGET))
    ended = [
        end_after(place, by, calls, runs_at, *allowed, *(["--resume"] if number else []))
        for number, calls in enumerate(moments)
    ]
    place.server.delay = 0
    last = place.run("--runs", runs_at, "--resume", *allowed)
    assert "the budget is used up" in error_of(last)
    assert 0 < place.server.calls <= BUDGET
    assert ended[0] == (-signal.SIGKILL if by == signal.SIGKILL else 143)
    assert place.run("--runs", runs_at, "--resume").exit_code == 0  # and without one it ends
    found = place.assay("runs", "export", NAME, "--runs", runs_at)
    assert len(json.loads(found.stdout)["judgements"]) == 60


def test_kill_after_the_first_calls_are_sent_counts_them_all_as_spent(
    work: Work, runs_at: str
) -> None:
    place = work(60)
    place.server.delay = NEVER
    for more in ([], ["--resume"], ["--resume"], ["--resume"]):
        end_after(place, signal.SIGKILL, AT_ONCE, runs_at, "--budget-calls", f"{AT_ONCE}", *more)
    assert place.server.calls == AT_ONCE


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_tokens_are_counted_at_their_most_where_calls_were_cut_off(
    work: Work, tmp_path: Path, by: signal.Signals
) -> None:
    place, runs = work(100), str(tmp_path / "runs")
    place.server.delay = DELAY
    allowed = ("--budget-tokens", "60000", "--max-tokens", "100")
    for number in range(4):
        end_after(place, by, 5, runs, *allowed, *(["--resume"] if number else []))
    place.run("--runs", runs, "--resume", *allowed)
    assert 0 < place.server.calls * 120 <= 60_000
    usage = json.loads(place.assay("runs", "show", NAME, "--runs", runs, "--json").stdout)["usage"]
    _, tokens, calls = usage["spent"]
    assert place.server.calls * 120 <= tokens <= 60_000
    assert place.server.calls <= calls


def test_terminated_run_keeps_what_is_judged_and_goes_on(work: Work) -> None:
    place = work(400)
    place.server.delay = DELAY
    with started(place) as process:
        wait_for(lambda: place.server.calls >= 100)
        os.kill(process.pid, signal.SIGTERM)
        _, told = process.communicate(timeout=LIMIT)
    assert process.returncode == 143
    assert "terminated: " in told
    assert "of 400 examples are judged and kept; go on with --resume" in told
    assert "Traceback" not in told
    shown = json.loads(place.assay("runs", "show", NAME, "--json").stdout)
    assert shown["state"] == "terminated"
    assert shown["done"] > 0
    assert place.run("--resume").exit_code == 0
    assert len(place.export()["judgements"]) == 400
    assert place.server.calls <= 400 + AT_ONCE


def test_terminated_check_prints_what_was_judged_and_goes_on(work: Work) -> None:
    place = work(300)
    place.server.delay = DELAY
    process = place.start(*check_arguments(place, "--json"))
    wait_for(lambda: place.server.calls >= 100)
    process.terminate()
    out, told = process.communicate(timeout=LIMIT)
    assert (process.returncode, "Traceback" in told) == (143, False)
    assert 0 < len(json.loads(out)["judgements"]) < 300
    place.server.wait_until_left()
    again = place.assay(*check_arguments(place, "--json"))
    assert len(json.loads(again.stdout)["judgements"]) == 300
    assert place.server.calls <= 300 + AT_ONCE


def test_run_of_which_no_call_was_answered_is_kept_with_what_it_spent(work: Work) -> None:
    place = work(30)
    place.server.status = 503
    allowed = ("--budget-calls", "8", "--concurrency", "8")
    first = place.run(*allowed)
    assert "8 of 8 calls made" in error_of(first)
    assert "not even the first call" not in first.stderr
    assert "go on with --resume" in error_of(place.run(*allowed))
    assert "8 of 8 calls made" in error_of(place.run(*allowed, "--resume"))
    assert place.server.calls == 8
    place.server.status = 200
    assert place.run("--resume").exit_code == 0


def test_check_of_which_no_call_was_answered_does_not_forget_what_it_spent(work: Work) -> None:
    place = work(30)
    place.server.status = 503
    for _ in range(3):
        done = place.assay(*check_arguments(place, "--budget-calls", "8", "--concurrency", "8"))
        assert "8 of 8 calls made" in error_of(done)
    assert place.server.calls == 8


def test_budget_that_does_not_allow_the_first_call_leaves_nothing_behind(work: Work) -> None:
    place = work(3)
    for _ in range(2):
        assert "not even the first call fits" in error_of(place.run("--budget-tokens", "10"))
    assert place.server.calls == 0


def test_session_without_a_budget_does_not_forget_what_was_cut_off_before(
    work: Work, tmp_path: Path
) -> None:
    place, runs = work(60), str(tmp_path / "runs")
    place.server.delay = NEVER
    end_after(place, signal.SIGKILL, AT_ONCE, runs, "--budget-calls", "30")
    end_after(place, signal.SIGKILL, AT_ONCE, runs, "--resume")
    unlimited = place.server.calls - AT_ONCE
    place.server.delay = 0
    error_of(place.run("--runs", runs, "--resume", "--budget-calls", "30"))
    assert place.server.calls - unlimited <= 30
