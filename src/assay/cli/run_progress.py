"""How far a run is, told while it goes on: a bar on a terminal, elsewhere a line now and then."""

import time
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from assay.evaluate.runs.session import Session
from assay.report.run_view import duration

EVERY = 10.0  # seconds between two lines
REFRESH = 0.2  # seconds between two pictures of the bar


class RunProgress:
    """Tells done, rate, cost, failures, kept replies and time left."""

    def __init__(
        self,
        session: Session,
        console: Console,
        *,
        quiet: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._console = console
        self._quiet = quiet
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

    def tick(self) -> None:
        """To be called often; it tells something only when it is time to."""
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
        """How far it is, in words."""
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

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
