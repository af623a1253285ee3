"""How far a session is, told while it goes on."""

import io
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from rich.console import Console

from assay.cli.progress import EVERY, SessionProgress
from assay.engine.session import RunProgress, Session


@dataclass
class Going:
    """A session whose numbers the test sets, and its own clock."""

    standing: RunProgress = field(
        default_factory=lambda: RunProgress(total=100, before=20, done=20)
    )
    counts: dict[str, Any] = field(default_factory=lambda: {"cost": 0.0, "cached": 0})
    now: float = 50.0

    @property
    def usage(self) -> "Going":
        return self

    def record(self) -> dict[str, Any]:
        return self.counts


@pytest.fixture
def going() -> Going:
    return Going()


def progress(going: Going, console: Console, *, quiet: bool = False) -> SessionProgress:
    return SessionProgress(cast(Session, going), console, quiet=quiet, clock=lambda: going.now)


def test_line_tells_rate_cost_failures_cached_and_time_left(going: Going) -> None:
    shown = progress(going, Console(file=io.StringIO()))
    going.now += 4
    going.standing.done, going.standing.failures = 60, 3
    going.counts = {"cost": 0.5, "cached": 7}
    # 40 in 4 seconds are 10 a second, so the other 40 take 4 seconds more.
    assert shown.line() == "60 of 100, 10.0/s, $0.5000, 3 failures, 7 cached, 4.0 s left"


def test_line_leaves_out_what_there_is_nothing_to_say_of(going: Going) -> None:
    going.counts = {"cost": None, "cached": 0}
    assert progress(going, Console(file=io.StringIO())).line() == "20 of 100, 0.0/s, 0 failures"


def test_without_a_terminal_there_is_a_line_every_ten_seconds(going: Going) -> None:
    out = io.StringIO()
    with progress(going, Console(file=out)) as tick:
        for _ in range(25):
            going.now += 1.0
            tick()
    assert EVERY == 10
    assert len(out.getvalue().splitlines()) == 2
    assert out.getvalue().startswith("assay: 20 of 100, ")


def test_quiet_says_nothing(going: Going) -> None:
    out = io.StringIO()
    for console in (Console(file=out), Console(file=out, force_terminal=True)):
        with progress(going, console, quiet=True) as tick:
            going.now += 100
            tick()
    assert out.getvalue() == ""


def test_terminal_has_a_bar(going: Going) -> None:
    out = io.StringIO()
    with progress(going, Console(file=out, force_terminal=True, width=120)) as tick:
        going.now += 1
        going.standing.done = 60
        tick()
    assert "60 of 100, 40.0/s" in out.getvalue()
    assert "━" in out.getvalue()
