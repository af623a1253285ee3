"""Asking again: only what is worth it, after a pause, and within the deadline."""

import asyncio
import time

import pytest

from assay.core.errors import InputError, ServiceError
from assay.llm.calls.limits import Concurrent, RateLimited
from assay.llm.calls.retry import Retrying
from assay.llm.client import CallError, Line, Reply, Request, Scripted
from tests.llm.conftest import QUESTION, ask, client_at, finish
from tests.llm.fault_server import FaultServer


def busy(wait: float | None = None, *, charged: bool = False) -> CallError:
    """A failure that may pass."""
    return CallError("transport", "busy", worth_retrying=True, wait=wait, maybe_charged=charged)


class Slow(Scripted):
    """Answers after a while."""

    def __init__(self, seconds: float) -> None:
        super().__init__(lambda _: "late")
        self._seconds = seconds

    async def ask(self, request: Request) -> Reply:
        """Sleeps, then answers."""
        await asyncio.sleep(self._seconds)
        return await super().ask(request)


def failure(script: list[Line], **how: float) -> CallError:
    """How a call over this script ends."""
    with pytest.raises(CallError) as caught:
        ask(Retrying(Scripted(script), base=0.001, **how))  # type: ignore[arg-type]
    return caught.value


def test_the_first_reply_is_given() -> None:
    client = Scripted([busy(), busy(), "yes"])
    assert ask(Retrying(client, base=0.001)).text == "yes"
    assert len(client.requests) == 3


def test_what_is_not_worth_retrying_comes_back_as_it_is() -> None:
    error = CallError("too_long", "too long")
    client = Scripted([error, "yes"])
    with pytest.raises(CallError) as caught:
        ask(Retrying(client))
    assert caught.value is error
    assert len(client.requests) == 1


def test_a_wrong_setup_is_not_asked_again() -> None:
    client = Scripted([ServiceError("wrong key"), "yes"])
    with pytest.raises(ServiceError):
        ask(Retrying(client))
    assert len(client.requests) == 1


def test_the_last_failure_says_how_often_it_was_tried() -> None:
    assert failure([busy()] * 9, attempts=3).detail == "busy (3 attempts)"
    assert failure([busy()] * 9, attempts=1).detail == "busy (1 attempt)"
    for_good = CallError("refused", "no", raw="No!")
    last = failure([busy(), for_good])
    assert (last.reason, last.detail, last.raw) == ("refused", "no (2 attempts)", "No!")


def test_any_attempt_that_may_be_charged_makes_the_call_so() -> None:
    assert failure([busy(charged=True), busy()], attempts=2).maybe_charged
    assert not failure([busy(), busy()], attempts=2).maybe_charged


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    start = time.perf_counter()
    ask(Retrying(Scripted([busy(0.2), "yes"]), base=0.001))
    assert time.perf_counter() - start >= 0.2


def test_pauses_grow_up_to_their_cap_and_differ() -> None:
    client = Retrying(Scripted([]), base=1.0, cap=8.0)
    longest = [
        max(client._pause([busy()] * tries) for _ in range(300)) for tries in (1, 2, 3, 4, 9, 2000)
    ]
    # At most base * 2^(n-1), and never above the cap; of 300 draws the longest is near its end.
    for found, bound in zip(longest, (1, 2, 4, 8, 8, 8), strict=True):
        assert bound * 0.9 < found <= bound
    assert client._pause([busy(5.0)]) >= 5.0


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    error = failure([busy(3600), "yes"], deadline=5.0)
    assert "(1 attempt; the next, in 3600.0 s, would miss the deadline)" in error.detail


def test_the_deadline_ends_a_call_that_hangs(faults: FaultServer) -> None:
    client = client_at(faults.address("silent"), timeout=60)
    with pytest.raises(CallError) as caught:
        ask(Retrying(client, deadline=0.3))
    assert caught.value.detail == "no reply within 0.3 s (1 attempt)"
    assert (caught.value.reason, caught.value.maybe_charged) == ("transport", True)


def test_the_deadline_covers_all_attempts_together(faults: FaultServer) -> None:
    address = faults.address("silent")
    with pytest.raises(CallError):
        ask(Retrying(client_at(address, timeout=0.2), attempts=99, deadline=0.7, base=0.001))
    assert 1 <= len(faults.bodies(address)) <= 4


def test_the_time_a_call_waits_for_its_turn_does_not_count() -> None:
    # Ten calls of 0.1 s one after the other take 1 s; the last waits 0.9 s of that.
    client = Retrying(Concurrent(Slow(0.1), 1), attempts=1, deadline=0.5)

    async def all_at_once() -> int:
        return len(await asyncio.gather(*(client.ask(QUESTION) for _ in range(10))))

    assert finish(all_at_once()) == 10


def test_the_time_a_call_waits_for_a_limit_does_not_count() -> None:
    # One call each 0.1 s: the last of eight begins 0.7 s after the first.
    client = Retrying(RateLimited(Slow(0.01), 10, window=1.0), attempts=1, deadline=0.4)

    async def all_at_once() -> int:
        return len(await asyncio.gather(*(client.ask(QUESTION) for _ in range(8))))

    assert finish(all_at_once()) == 8


def test_after_its_turn_has_come_the_clock_of_a_call_goes_on() -> None:
    client = Retrying(Concurrent(Slow(0.3), 1), attempts=1, deadline=0.2)

    async def two() -> list[Reply | BaseException]:
        calls = (client.ask(QUESTION) for _ in range(2))
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [str(each) for each in finish(two())] == ["no reply within 0.2 s (1 attempt)"] * 2


def test_a_call_that_is_cancelled_is_not_asked_again() -> None:
    client = Slow(5)

    async def cancelled() -> None:
        call = asyncio.create_task(Retrying(client).ask(QUESTION))
        await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    finish(cancelled())
    assert client.requests == []


@pytest.mark.parametrize("how", [{"attempts": 0}, {"deadline": 0.0}, {"deadline": float("nan")}])
def test_attempts_and_deadlines_of_nothing_are_refused(how: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Retrying(Scripted([]), **how)  # type: ignore[arg-type]
