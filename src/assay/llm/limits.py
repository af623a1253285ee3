"""Limits on how much is asked: how many calls at once, and how much in a minute."""

import asyncio
from collections import deque
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.llm.client import Client, Reply, Request, Wrapper
from assay.llm.estimates import estimate_prompt
from assay.llm.retry import uncounted

LATE = 1 / 600  # of a window: how much of a delay may be caught up, so that timers cost no speed


class Concurrent(Wrapper):
    """At most so many calls at the same time; the others wait in the order they came."""

    def __init__(self, client: Client, most: int) -> None:
        super().__init__(client)
        if most < 1:
            raise InputError(f"at least 1 call runs at a time, not {most}")
        self._most = most
        self._turns = _Turns(most)

    @property
    def concurrency(self) -> int:
        """As many calls as it lets through."""
        return self._most

    async def ask(self, request: Request) -> Reply:
        """Asks when it is its turn."""
        turns = self._turns.here()
        await _acquire(turns)
        try:
            return await self.client.ask(request)
        finally:
            turns.release()


class RateLimited(Wrapper):
    """Spreads calls and tokens so that no minute holds more than the limits.

    Tokens are reserved from an estimate and corrected when the reply tells their number. What a
    failed call reserved stays used, since servers count such calls too.
    """

    def __init__(
        self,
        client: Client,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        window: float = 60.0,
    ) -> None:
        super().__init__(client)
        self._requests = _pace("requests", requests_per_minute, window)
        self._tokens = _pace("tokens", tokens_per_minute, window)
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
        """Waits in line; only who stands at its head looks at the limits, and takes at once."""
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
    """So much, at that time."""

    time: float
    amount: float


class Pace:
    """At most `limit` in any window, and evenly spread in it."""

    def __init__(self, limit: int, window: float) -> None:
        self._limit = limit
        self._window = window
        self._uses: deque[Use] = deque()
        self._total = 0.0
        self._next = 0.0

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much may be used; more than the limit waits for an empty window."""
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
        """Uses so much, now."""
        use = Use(now, min(amount, self._limit))
        self._uses.append(use)
        self._total += use.amount
        self._next = max(self._next, now - self._window * LATE) + self._lasts(use.amount)
        return use

    def correct(self, use: Use, amount: float) -> None:
        """Puts the true amount in the place of the estimate; what has left the window stays."""
        if self._uses and use.time >= self._uses[0].time:
            self._total += amount - use.amount
            self._next += self._lasts(amount - use.amount)
            use.amount = amount

    def _lasts(self, amount: float) -> float:
        return amount * self._window / self._limit


def _pace(what: str, limit: int | None, window: float) -> Pace | None:
    if limit is not None and limit < 1:
        raise InputError(f"{what} per minute are at least 1, not {limit}")
    return None if limit is None else Pace(limit, window)


class _Turns:
    """A semaphore for the loop that runs; asyncio's own belong to one loop for good."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._semaphore = asyncio.Semaphore(most)

    def here(self) -> asyncio.Semaphore:
        """The semaphore of this loop."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._semaphore = loop, asyncio.Semaphore(self._most)
        return self._semaphore


async def _acquire(turns: asyncio.Semaphore) -> None:
    """Waits for a turn; the clock of the call stands still meanwhile."""
    if not turns.locked():
        await turns.acquire()
        return
    with uncounted():
        await turns.acquire()
