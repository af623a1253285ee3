"""Limits on calls: how many at the same time, and how many calls and tokens per minute."""

import asyncio
from collections import deque
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.llm.calls.retry import uncounted
from assay.llm.client import ModelClient, Reply, Request, Wrapper
from assay.llm.costs.estimates import estimate_prompt

LATE = 1 / 600  # of a window: delays up to this are caught up, so that slow timers cost nothing


class Concurrent(Wrapper):
    """Makes at most `most` calls at the same time; the others wait in order of arrival."""

    def __init__(self, client: ModelClient, most: int) -> None:
        super().__init__(client)
        if most < 1:
            raise InputError(f"concurrency must be 1 or more, not {most}", field="concurrency")
        self._most = most
        self._turns = _Turns(most)

    @property
    def concurrency(self) -> int:
        """The number of calls that it lets through."""
        return self._most

    async def ask(self, request: Request) -> Reply:
        """Asks when it is its turn."""
        turns = self._turns.here()
        await _acquire(turns)
        try:
            return await self.client.ask(request)
        finally:
            # One turn of the loop later, so that whoever keeps the reply does so before the next
            # call is sent: a process that is killed then loses no more than was under way.
            asyncio.get_running_loop().call_soon(turns.release)


class RateLimited(Wrapper):
    """Spreads calls and tokens so that no minute holds more than the limits.

    Tokens are estimated beforehand and corrected once the reply reports them. What a failed call
    reserved stays used, since servers count such calls too.
    """

    def __init__(
        self,
        client: ModelClient,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        window: float = 60.0,
    ) -> None:
        super().__init__(client)
        self._requests = _pace("requests_per_minute", requests_per_minute, window)
        self._tokens = _pace("tokens_per_minute", tokens_per_minute, window)
        self._turns = _Turns(1)

    async def ask(self, request: Request) -> Reply:
        """Asks when the limits allow it."""
        wanted: list[tuple[Pace, float]] = []
        if self._requests is not None:
            wanted.append((self._requests, 1))
        if self._tokens is not None:
            wanted.append((self._tokens, estimate_prompt(request) + request.reply_tokens))
        uses = await self._admit(wanted) if wanted else []
        reply = await self.client.ask(request)
        if self._tokens is not None:
            self._tokens.correct(uses[-1], reply.usage.prompt + reply.usage.completion)
        return reply

    async def _admit(self, wanted: "list[tuple[Pace, float]]") -> "list[Use]":
        """Waits in line; only the first in line checks the limits, and takes what it needs."""
        loop, turns = asyncio.get_running_loop(), self._turns.here()
        await _acquire(turns)
        try:
            while (wait := max(pace.wait(amount, loop.time()) for pace, amount in wanted)) > 0:
                with uncounted():
                    await asyncio.sleep(wait)
            return [pace.take(amount, loop.time()) for pace, amount in wanted]
        finally:
            turns.release()


@dataclass(slots=True)
class Use:
    """An amount and the time at which it was used."""

    time: float
    amount: float


class Pace:
    """At most `limit` in any window of time, spread evenly over it."""

    def __init__(self, limit: int, window: float) -> None:
        self._limit = limit
        self._window = window
        self._uses: deque[Use] = deque()
        self._total = 0.0
        self._next = 0.0

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount may be used; more than the limit waits for an empty window."""
        while self._uses and self._uses[0].time + self._window <= now:
            self._total -= self._uses.popleft().amount
        ready = self._next
        excess = self._total + min(amount, self._limit) - self._limit
        for use in self._uses:
            if excess <= 0:
                break
            ready = max(ready, use.time + self._window)
            excess -= use.amount
        return ready - now

    def take(self, amount: float, now: float) -> Use:
        """Uses the amount now."""
        use = Use(now, min(amount, self._limit))
        self._uses.append(use)
        self._total += use.amount
        self._next = max(self._next, now - self._window * LATE) + self._lasts(use.amount)
        return use

    def correct(self, use: Use, amount: float) -> None:
        """Replaces an estimate by the true amount, unless it has left the window."""
        if self._uses and use.time >= self._uses[0].time:
            self._total += amount - use.amount
            self._next += self._lasts(amount - use.amount)
            use.amount = amount

    def _lasts(self, amount: float) -> float:
        return amount * self._window / self._limit


def _pace(field: str, limit: int | None, window: float) -> Pace | None:
    if limit is not None and limit < 1:
        raise InputError(f"{field} must be 1 or more, not {limit}", field=field)
    return None if limit is None else Pace(limit, window)


class _Turns:
    """A semaphore for whichever loop is running; asyncio's own are bound to one loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._semaphore = asyncio.Semaphore(most)

    def here(self) -> asyncio.Semaphore:
        """The semaphore of the running loop."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._semaphore = loop, asyncio.Semaphore(self._most)
        return self._semaphore


async def _acquire(turns: asyncio.Semaphore) -> None:
    """Waits for a turn while the clock of the call is stopped."""
    if not turns.locked():
        await turns.acquire()
        return
    with uncounted():
        await turns.acquire()
