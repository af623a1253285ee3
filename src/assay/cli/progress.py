"""A progress bar for many examples: how far, how fast, how many failures, how long yet."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar


class Progress:
    """A bar on the terminal; nothing where there is no terminal or nothing to wait for."""

    def __init__(self, console: Console, total: int | None, *, shown: bool) -> None:
        self._bar = Bar(
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

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, failures: int) -> None:
        """One more example is done; `failures` is the count so far."""
        self._bar.update(self._task, advance=1, failures=failures)
