"""Trying a call again: after growing pauses, only where that may help, and up to a deadline.

The deadline counts what a call takes on the network and in pauses. The time that it waits for its
turn on our side, for a free place or for the budget, does not count: `uncounted` stops the clock.
"""

import asyncio
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from assay.core.errors import InputError
from assay.core.system.traces import current_call
from assay.llm.client import CallError, ModelClient, Reply, Request, Wrapper

_clock: ContextVar[asyncio.Timeout | None] = ContextVar("clock", default=None)


class Retrying(Wrapper):
    """Makes up to `attempts` attempts at a call and gives up after `deadline` seconds.

    Pauses are random between 0 and `base`, which doubles with each attempt up to `cap`, and come on
    top of what the server asks for.
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        attempts: int = 5,
        deadline: float = 600.0,
        base: float = 0.5,
        cap: float = 30.0,
    ) -> None:
        super().__init__(client)
        if attempts < 1:
            raise InputError(f"attempts must be 1 or more, not {attempts}", field="attempts")
        if not deadline > 0:
            raise InputError(
                f"deadline must be more than 0 seconds, not {deadline:g}", field="deadline"
            )
        self._attempts = attempts
        self._deadline = deadline
        self._base = base
        self._cap = cap

    async def ask(self, request: Request) -> Reply:
        """The reply to the first attempt that gets one."""
        clock = asyncio.timeout(self._deadline)
        token = _clock.set(clock)
        failures: list[CallError] = []
        try:
            async with clock:
                while True:
                    try:
                        return await self.client.ask(request)
                    except CallError as error:
                        failures.append(error)
                    pause = self._next_pause(failures, clock)
                    if record := current_call():
                        told = {"error.type": failures[-1].reason, "assay.retry.wait": pause}
                        record.add("assay.retry", {**told, "assay.retry.attempt": len(failures)})
                    await asyncio.sleep(pause)
        except TimeoutError:
            if not clock.expired():
                raise
        finally:
            _clock.reset(token)
        detail = f"no reply within {self._deadline:g} s ({_count(len(failures) + 1)})"
        raise CallError("transport", detail, worth_retrying=True, maybe_charged=True)

    def _next_pause(self, failures: list[CallError], clock: asyncio.Timeout) -> float:
        """Seconds until the next attempt; raises if there is to be none."""
        if not failures[-1].worth_retrying or len(failures) >= self._attempts:
            raise _final(failures)
        pause = self._pause(failures)
        if pause > _left(clock):
            raise _final(failures, f"; the next, in {pause:.1f} s, would miss the deadline")
        return pause

    def _pause(self, failures: list[CallError]) -> float:
        grown = self._base * 2.0 ** min(len(failures) - 1, 60)
        return (failures[-1].wait or 0.0) + random.uniform(0, min(self._cap, grown))


@contextmanager
def uncounted() -> Iterator[None]:
    """Stops the clock of the call that waits here; without a clock it does nothing."""
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


def _left(clock: asyncio.Timeout) -> float:
    end = clock.when()
    return math.inf if end is None else end - asyncio.get_running_loop().time()


def _count(attempts: int) -> str:
    return f"{attempts} attempt{'s' if attempts > 1 else ''}"


def _final(failures: list[CallError], more: str = "") -> CallError:
    """The last failure with the number of attempts, if there could have been several."""
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
