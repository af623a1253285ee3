"""Limits: never more at once, never more in a window, and nothing lost when a caller gives up."""

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.llm.calls.limits import Concurrent, Pace, RateLimited
from assay.llm.client import CallError, Message, ModelClient, Reply, Request, Scripted, Usage
from tests.llm.conftest import QUESTION, ask, finish

SLACK = 0.02  # seconds between the limiter's look at the clock and the test's


class Busy(Scripted):
    """Counts how many calls it has at once and when each began."""

    def __init__(self, seconds: float = 0.01, used: int = 1) -> None:
        super().__init__(lambda _: Reply("yes", Usage(used, 0)))
        self._seconds = seconds
        self.now = 0
        self.most = 0
        self.starts: list[float] = []

    async def ask(self, request: Request) -> Reply:
        """Takes its time."""
        self.starts.append(time.monotonic())
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self._seconds)
            return await super().ask(request)
        finally:
            self.now -= 1

    def fullest(self, window: float) -> int:
        """The most calls that began within any window."""
        starts = self.starts
        return max(
            bisect_left(starts, start + window - SLACK) - index
            for index, start in enumerate(starts)
        )


def ask_many(client: ModelClient, calls: int, request: Request = QUESTION) -> float:
    """Asks all at once; how many seconds it took."""

    async def many() -> float:
        start = time.monotonic()
        await asyncio.gather(*(client.ask(request) for _ in range(calls)))
        return time.monotonic() - start

    return finish(many())


async def give_up(client: ModelClient, calls: int) -> None:
    """Asks, and goes away before it is answered."""
    tasks = [asyncio.create_task(client.ask(QUESTION)) for _ in range(calls)]
    await asyncio.sleep(0.02)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# At once


def test_never_more_calls_at_once_than_allowed() -> None:
    busy = Busy()
    ask_many(Concurrent(busy, 3), 20)
    assert busy.most == 3


def test_calls_take_their_turns_in_the_order_they_came() -> None:
    inner = Scripted(lambda request: request.messages[0].content)
    client = Concurrent(inner, 1)
    requests = [Request((Message("user", str(number)),)) for number in range(9)]

    async def all_at_once() -> None:
        await asyncio.gather(*(client.ask(request) for request in requests))

    finish(all_at_once())
    assert inner.requests == requests


def test_a_failed_or_cancelled_call_gives_its_turn_back() -> None:
    busy = Busy()
    client = Concurrent(busy, 2)

    async def scenario() -> None:
        await give_up(client, 9)
        await asyncio.gather(*(client.ask(QUESTION) for _ in range(6)))

    finish(scenario())
    assert busy.most == 2
    failing = Concurrent(Scripted([CallError("transport", "no"), "yes"]), 1)
    with pytest.raises(CallError):
        ask(failing)
    assert ask(failing).text == "yes"


@pytest.mark.parametrize(
    "limited", [lambda busy: Concurrent(busy, 2), lambda busy: RateLimited(busy, 50, window=0.5)]
)
def test_a_limit_serves_one_loop_after_the_other(
    limited: Callable[[ModelClient], ModelClient],
) -> None:
    busy = Busy()
    client = limited(busy)
    ask_many(client, 6)
    ask_many(client, 6)
    assert len(busy.requests) == 12


# In a window


@given(
    st.integers(1, 50),
    st.lists(st.tuples(st.integers(1, 60), st.sampled_from([0.0, 0.01, 0.7])), max_size=60),
)
def test_whatever_comes_when_no_window_holds_more_than_the_limit(
    limit: int, asked: list[tuple[int, float]]
) -> None:
    pace, now, taken = Pace(limit, 1.0), 1000.0, list[tuple[float, int]]()
    for amount, idle in asked:
        now += idle
        while (wait := pace.wait(amount, now)) > 0:
            now += max(wait, 1e-9)  # a clock that is never late
        pace.take(amount, now)
        taken.append((now, min(amount, limit)))
    for end, _ in taken:
        assert sum(amount for when, amount in taken if end - 1.0 + 1e-6 < when <= end) <= limit


def test_no_window_holds_more_requests_than_allowed() -> None:
    busy = Busy()
    took = ask_many(RateLimited(busy, 20, window=0.4), 60)
    assert busy.fullest(0.4) <= 20
    assert 0.7 < took < 20  # 60 calls at 50 a second, on a machine that may be busy


def test_requests_are_spread_evenly_from_the_first() -> None:
    busy = Busy()
    ask_many(RateLimited(busy, 10, window=0.5), 8)
    gaps = [later - before for before, later in zip(busy.starts, busy.starts[1:], strict=False)]
    assert min(gaps) > 0.02  # one each 0.05 s, less what a timer may be late


def test_a_high_limit_costs_no_speed() -> None:
    # 1,000 a second; a machine that is busy takes longer, a limit a hundred times as low 40 s.
    assert ask_many(RateLimited(Busy(0), 60_000, window=60.0), 400) < 20


def test_tokens_are_reserved_before_they_are_used() -> None:
    # 10 tokens of prompt (24 bytes, and 4 for the message) and 90 of reply: ten calls a window.
    request = Request((Message("user", "x" * 24),), reply_tokens=90)
    busy = Busy(used=100)
    took = ask_many(RateLimited(busy, tokens_per_minute=1000, window=0.4), 25, request)
    assert busy.fullest(0.4) <= 10
    assert took > 0.8


def test_an_estimate_is_corrected_by_what_was_used() -> None:
    request = Request((Message("user", "x" * 24),), reply_tokens=90)
    small = Busy(0, used=10)

    async def one_by_one() -> float:
        client = RateLimited(small, tokens_per_minute=1000, window=2.0)
        start = time.monotonic()
        for _ in range(20):
            await client.ask(request)
        return time.monotonic() - start

    # 20 calls of 100 tokens would take 4 s; of 10 tokens they take 0.4 s.
    assert finish(one_by_one()) < 2.0


def test_more_tokens_than_the_limit_go_alone() -> None:
    request = Request((Message("user", "x"),), reply_tokens=5000)
    busy = Busy(used=1000)
    took = ask_many(RateLimited(busy, tokens_per_minute=1000, window=0.3), 3, request)
    assert busy.fullest(0.3) == 1
    assert took >= 0.6 - SLACK


def test_who_gives_up_waiting_uses_nothing() -> None:
    busy = Busy()
    client = RateLimited(busy, 10, window=1.0)

    async def scenario() -> float:
        await give_up(client, 8)  # the first began at once; the next would be due after 0.1 s
        start = time.monotonic()
        await asyncio.gather(*(client.ask(QUESTION) for _ in range(3)))
        return time.monotonic() - start

    assert finish(scenario()) < 0.6  # 0.1 s each, not after all those that gave up
    assert len(busy.starts) == 4


def test_both_limits_hold_together() -> None:
    busy = Busy(used=100)
    request = Request((Message("user", "x" * 24),), reply_tokens=90)
    ask_many(RateLimited(busy, 5, 1000, window=0.3), 12, request)
    assert busy.fullest(0.3) <= 5


def test_without_limits_nothing_waits() -> None:
    assert ask_many(RateLimited(Busy(0)), 500) < 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: Concurrent(Scripted([]), 0),
        lambda: RateLimited(Scripted([]), 0),
        lambda: RateLimited(Scripted([]), tokens_per_minute=-1),
    ],
)
def test_limits_of_nothing_are_refused(make: Callable[[], ModelClient]) -> None:
    with pytest.raises(InputError, match="must be 1 or more"):
        make()
