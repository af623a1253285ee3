"""Being asked to end: SIGTERM is treated like Ctrl-C, so that what was judged is written down."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to end, as `kill`, a container or a batch system does."""


@contextmanager
def raising_on_sigterm() -> Iterator[list[int]]:
    """Raises `Terminated` in the main thread when SIGTERM comes; for programs, not for libraries.

    The list has the signals that came, since what is raised may be turned into something else.
    """
    came: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        came.append(number)
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)
