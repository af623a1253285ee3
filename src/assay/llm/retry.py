"""Asking again: after a pause that grows, only where that may help, and not for ever."""

import asyncio
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from assay.core.errors import InputError
from assay.llm.client import CallError, Client, Reply, Request, Wrapper

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


class Retrying(Wrapper):
    """Makes up to `attempts` attempts at a call and ends it after `deadline` seconds.

    Pauses are random between 0 and `base`, doubled for each attempt up to `cap`, after what the
    server itself asked for. The time a call waits for its turn on our side does not count.
    """

    def __init__(
        self,
        client: Client,
        *,
        attempts: int = 5,
        deadline: float = 600.0,
        base: float = 0.5,
        cap: float = 30.0,
    ) -> None:
        super().__init__(client)
        if attempts < 1:
            raise InputError(f"a call takes at least 1 attempt, not {attempts}")
        if not deadline > 0:
            raise InputError(f"a deadline is more than 0 seconds, not {deadline:g}")
        self._attempts = attempts
        self._deadline = deadline
        self._base = base
        self._cap = cap

    async def ask(self, request: Request) -> Reply:
        """The reply of the first attempt that brings one."""
        clock = asyncio.timeout(self._deadline)
        failures: list[CallError] = []
        try:
            async with clock:
                with counted_by(clock):
                    return await self._ask(request, clock, failures)
        except TimeoutError:
            if not clock.expired():
                raise
        detail = f"no reply within {self._deadline:g} s ({_count(len(failures) + 1)})"
        raise CallError("transport", detail, worth_retrying=True, maybe_charged=True)

    async def _ask(
        self, request: Request, clock: asyncio.Timeout, failures: list[CallError]
    ) -> Reply:
        while True:
            try:
                return await self.client.ask(request)
            except CallError as error:
                failures.append(error)
            pause = self._pause(failures)
            if not failures[-1].worth_retrying or len(failures) >= self._attempts:
                raise _final(failures)
            if pause > _left(clock):
                raise _final(failures, f"; the next, in {pause:.1f} s, would pass the deadline")
            await asyncio.sleep(pause)

    def _pause(self, failures: list[CallError]) -> float:
        grown = self._base * 2.0 ** min(len(failures) - 1, 60)
        return (failures[-1].wait or 0.0) + random.uniform(0, min(self._cap, grown))


def _left(clock: asyncio.Timeout) -> float:
    end = clock.when()
    return math.inf if end is None else end - asyncio.get_running_loop().time()


def _count(attempts: int) -> str:
    return f"{attempts} attempt{'s' if attempts > 1 else ''}"


def _final(failures: list[CallError], more: str = "") -> CallError:
    """The last failure, and how often it was tried; a call that is not tried again says nothing."""
    last = failures[-1]
    if len(failures) == 1 and not last.worth_retrying:
        return last
    return CallError(
        last.reason,
        f"{last.detail} ({_count(len(failures))}{more})",
        raw=last.raw,
        worth_retrying=last.worth_retrying,
        wait=last.wait,
        maybe_charged=any(failure.maybe_charged for failure in failures),
    )
