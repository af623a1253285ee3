"""Progress: a bar on a terminal, elsewhere a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from assay.cli.errors import say
from assay.cli.output import busy, make_console
from assay.report.words import duration

if TYPE_CHECKING:
    from assay.app.runs import Tick, Watched

EVERY = 10.0  # seconds between two lines
REFRESH = 0.2  # seconds between two pictures of the bar


def watch(*, quiet: bool = False, bill: bool = False) -> "Callable[[Watched], SessionProgress]":
    """Shows how far a session is, on standard error, while it goes on.

    With `bill` it says at the end what was asked and what that cost, unless it is to be quiet.
    """

    def begin(session: "Watched") -> SessionProgress:
        console = make_console(stderr=True, width=None)
        return SessionProgress(session, console, quiet=quiet, bill=bill)

    return begin


class SessionProgress:
    """Tells done, rate, cost, failures, cached replies and time left, while it is open."""

    def __init__(
        self,
        session: "Watched",
        console: Console,
        *,
        quiet: bool,
        bill: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._console = console
        self._quiet = quiet
        self._bill = bill
        self._clock = clock
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
            auto_refresh=False,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=session.standing.total)
        self._began = self._told = clock()

    def __enter__(self) -> "Tick":
        self._bar.start()
        return self.tick

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        usage = self._session.usage.describe() if self._bill and not self._quiet else ""
        if usage:
            say(f"{self._session.name}: {usage}")

    def tick(self) -> None:
        """To be called often; it shows something only when it is time to."""
        now, is_terminal = self._clock(), self._console.is_terminal
        if self._quiet or now - self._told < (REFRESH if is_terminal else EVERY):
            return
        self._told = now
        if is_terminal:
            done = self._session.standing.done
            self._bar.update(self._task, completed=done, description=self.line(), refresh=True)
        else:
            self._console.file.write(f"assay: {self.line()}\n")
            self._console.file.flush()

    def line(self) -> str:
        """The progress in words."""
        standing, usage = self._session.standing, self._session.usage.record()
        seconds = max(self._clock() - self._began, 1e-9)
        rate = (standing.done - standing.before) / seconds
        parts = [f"{standing.done:,} of {standing.total:,}", f"{rate:,.1f}/s"]
        if usage["cost"]:
            parts.append(f"${usage['cost']:.4f}")
        parts.append(f"{standing.failures:,} failures")
        if usage["cached"]:
            parts.append(f"{usage['cached']:,} cached")
        if rate:
            parts.append(f"{duration((standing.total - standing.done) / rate)} left")
        return ", ".join(parts)


class CheckBar:
    """A bar on the terminal; nothing where there is no terminal or nothing to wait for."""

    def __init__(self, console: Console, total: int | None, *, shown: bool) -> None:
        self._bar = Progress(
            TextColumn("checking"),
            BarColumn(),
            TaskProgressColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failures]} failures"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not (shown and console.is_terminal),
        )
        self._task = self._bar.add_task("", total=total, failures=0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, failures: int) -> None:
        """One more example is done; `failures` is the count so far."""
        self._bar.update(self._task, advance=1, failures=failures)


@contextmanager
def counting(what: str, *, shown: bool = True) -> "Iterator[Tick]":
    """A spinner on standard error that counts what is finished; nothing without a terminal."""
    if not shown:
        yield lambda: None
        return
    done = 0
    with busy(what) as status:

        def tick() -> None:
            nonlocal done
            done += 1
            status.update(Text(f"{what}: {done:,}"))

        yield tick
