"""Many examples at the same time."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from assay.core import Example, Judgement, Response, Source
from assay.core.errors import ServiceError
from assay.detectors.judges.protocol import Judge
from assay.detectors.vote import vote_samples
from assay.evaluate.runs.clients import Watched
from assay.evaluate.runs.engine import BREATH, Engine
from assay.evaluate.runs.tasks import Task
from assay.llm.client import CallError, Reply, Request, Wrapper
from assay.llm.scripted import Line, Scripted
from tests.evaluate.runs.judges import Asking

GOOD = "explicitly-supported"


class Slow(Wrapper):
    """Waits a moment before it asks, and counts how many wait at once."""

    waiting = 0
    most = 0

    async def ask(self, request: Request) -> Reply:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await asyncio.sleep(0.01)
        self.waiting -= 1
        return await self.client.ask(request)


class Kept:
    """Remembers what was kept."""

    def __init__(self) -> None:
        self.judgements: dict[int, Judgement] = {}

    def __call__(self, task: Task, judgement: Judgement) -> None:
        assert task.position not in self.judgements
        self.judgements[task.position] = judgement


def tasks(count: int, text: str = "It sat.") -> Iterator[Task]:
    for number in range(count):
        yield Task(number, Example(str(number), Source("x"), Response(text)))


def run(judge: Judge, count: int, *, workers: int = 4) -> tuple[Engine, Kept]:
    kept = Kept()
    engine = Engine(tasks(count), lambda task: judge, kept, workers=workers)
    asyncio.run(engine.run(judge.client))
    return engine, kept


def test_every_task_is_judged_once_by_several_workers_at_a_time() -> None:
    client = Slow(Scripted(lambda request: GOOD))
    engine, kept = run(Asking(client), 20, workers=5)
    assert sorted(kept.judgements) == list(range(20))
    assert (client.most, engine.over) == (5, "")


def test_examples_are_read_only_as_they_are_needed() -> None:
    taken: list[int] = []

    def reading() -> Iterator[Task]:
        for task in tasks(100):
            taken.append(task.position)
            yield task

    judge = Asking(Slow(Scripted(lambda request: GOOD)))
    kept = Kept()
    engine = Engine(reading(), lambda task: judge, kept, workers=3)

    async def look() -> int:
        work = asyncio.create_task(engine.run(judge.client))
        await asyncio.sleep(0.005)
        early = len(taken)
        await work
        return early

    assert asyncio.run(look()) == 3
    assert len(kept.judgements) == 100


def test_spent_budget_ends_the_run_and_keeps_nothing_incomplete() -> None:
    lines: list[Line] = [GOOD] * 5

    def answer(request: Request) -> Line:
        return lines.pop() if lines else CallError("budget", "it is used up")

    engine, kept = run(Asking(Watched(Scripted(answer))), 50, workers=2)
    assert engine.over == "it is used up"
    assert sorted(kept.judgements) == [0, 1, 2, 3, 4]


def test_vote_that_the_budget_cut_short_is_not_kept() -> None:
    answers: Iterator[Line] = iter([GOOD, GOOD, CallError("budget", "it is used up")])
    client = Watched(Scripted(lambda request: next(answers, CallError("budget", "again"))))
    engine, kept = run(vote_samples(Asking(client), 3), 5, workers=1)
    assert (engine.over, kept.judgements) == ("it is used up", {})


def test_other_failures_are_kept_and_the_run_goes_on() -> None:
    client = Scripted(lambda request: CallError("transport", "no answer"))
    engine, kept = run(Asking(client), 6)
    assert engine.over == ""
    assert all(each.failures[0].reason == "transport" for each in kept.judgements.values())
    assert len(kept.judgements) == 6


def test_service_that_cannot_be_used_ends_everything() -> None:
    answers: Iterator[Line] = iter([GOOD] * 3)
    client = Slow(Scripted(lambda request: next(answers, ServiceError("wrong key"))))
    with pytest.raises(ServiceError, match="wrong key"):
        run(Asking(client), 1_000, workers=8)


class Refusing(Wrapper):
    """Refuses the first question at once, while the others are under way."""

    asked = 0

    async def ask(self, request: Request) -> Reply:
        self.asked += 1
        if self.asked == 1:
            await asyncio.sleep(0.01)
            raise ServiceError("wrong key")
        await asyncio.sleep(0.05)
        return await self.client.ask(request)


def test_calls_under_way_are_answered_and_kept_before_a_refusal_ends_it() -> None:
    client = Refusing(Scripted(lambda request: GOOD))
    judge, kept = Asking(client), Kept()
    engine = Engine(tasks(1_000), lambda task: judge, kept, workers=8)
    with pytest.raises(ServiceError, match="wrong key"):
        asyncio.run(engine.run(client))
    assert client.asked == 8
    assert sorted(kept.judgements) == list(range(1, 8))


def test_data_that_cannot_be_read_ends_everything() -> None:
    def broken() -> Iterator[Task]:
        yield from tasks(3)
        raise ValueError("the file is gone")

    judge = Asking(Scripted(lambda request: GOOD))
    kept = Kept()
    engine = Engine(broken(), lambda task: judge, kept, workers=2)
    with pytest.raises(ValueError, match="the file is gone"):
        asyncio.run(engine.run(judge.client))


def test_stop_calls_off_what_is_under_way() -> None:
    judge = Asking(Slow(Scripted(lambda request: GOOD)))
    kept = Kept()
    engine = Engine(tasks(1_000), lambda task: judge, kept, workers=4)

    async def stopped() -> None:
        asyncio.get_running_loop().call_later(0.035, engine.stop)
        await engine.run(judge.client)

    asyncio.run(stopped())
    assert 0 < len(kept.judgements) < 100


def test_engine_that_is_stopped_before_it_runs_does_nothing() -> None:
    judge = Asking(Scripted(lambda request: GOOD))
    kept = Kept()
    engine = Engine(tasks(5), lambda task: judge, kept, workers=4)
    engine.stop()
    asyncio.run(engine.run(judge.client))
    assert kept.judgements == {}


def test_reply_is_used_only_after_others_had_their_turn() -> None:
    async def order() -> list[str]:
        told: list[str] = []
        client = Watched(Scripted(lambda request: asyncio_soon(told)))
        await client.ask(Request(()))
        told.append("used")
        return told

    def asyncio_soon(told: list[str]) -> str:
        asyncio.get_running_loop().call_soon(told.append, "written")
        return GOOD

    assert asyncio.run(order()) == ["written", "used"]


def test_replies_without_any_wait_leave_others_their_turn() -> None:
    def slowly(request: Request) -> str:
        time.sleep(BREATH / 4)  # work, not waiting
        return GOOD

    judge = Asking(Scripted(slowly))
    kept = Kept()
    engine = Engine(tasks(40), lambda task: judge, kept, workers=4)
    seen: list[int] = []

    async def look() -> None:
        work = asyncio.create_task(engine.run(judge.client))
        while not work.done():
            seen.append(len(kept.judgements))
            await asyncio.sleep(0)

    asyncio.run(look())
    assert len(set(seen)) > 3


def test_service_that_is_down_ends_the_run_before_all_have_failed() -> None:
    judge = Asking(Scripted(lambda request: CallError("transport", "503")))
    kept = Kept()
    engine = Engine(tasks(200), lambda task: judge, kept, workers=4)
    with pytest.raises(ServiceError, match="nothing came back for 20 examples in a row"):
        asyncio.run(engine.run(judge.client))
    assert len(kept.judgements) < 30
