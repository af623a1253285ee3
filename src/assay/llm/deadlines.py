"""The time that a call may take; what it spends waiting for its turn with us does not count."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_clock: ContextVar[asyncio.Timeout | None] = ContextVar("clock", default=None)


class counted_by:  # noqa: N801 - a class, since a generator costs several times more
    """Makes this the clock that waiting calls inside may stop."""

    __slots__ = ("_clock", "_token")

    def __init__(self, clock: asyncio.Timeout) -> None:
        self._clock = clock

    def __enter__(self) -> None:
        self._token = _clock.set(self._clock)

    def __exit__(self, *error: object) -> None:
        _clock.reset(self._token)


@contextmanager
def uncounted() -> Iterator[None]:
    """Stops the clock of the call that waits here; without one it does nothing."""
    clock = _clock.get()
    end = clock.when() if clock is not None and not clock.expired() else None
    if clock is None or end is None:
        yield
        return
    loop = asyncio.get_running_loop()
    left = end - loop.time()
    clock.reschedule(None)
    try:
        yield
    finally:
        clock.reschedule(loop.time() + left)
