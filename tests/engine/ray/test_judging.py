"""Examples judged by workers, whatever becomes of these: here they are in this process."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import BudgetError, InputError, ServiceError, UnknownNameError
from assay.core.examples import Example
from assay.detectors.overlap import OverlapDetector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.engine.ray.judging import WAITING
from assay.engine.ray.messages import Work
from assay.knowledge.sources import KnowledgePassage
from assay.llm.calls.limits import RateLimited
from assay.llm.client import CallError, Line, Reply, Request, Scripted
from tests.engine.judges import Slow
from tests.engine.ray.conftest import Near, examples
from tests.judging import judge_all

OVERLAP = DetectorSpec("overlap")
JUDGE = DetectorSpec("judge-simple", ("m",))
FAITHFUL = '{"reason": "It is there.", "label": "faithful"}'


def good(request: Request) -> Line:
    return FAITHFUL


class Deaths:
    """Lets a worker die over an example so many times."""

    def __init__(self, **times: int) -> None:
        self.left = Counter(times)

    def __call__(self, work: Work) -> bool:
        for example in work.examples:
            if self.left[example.id] > 0:
                self.left[example.id] -= 1
                return True
        return False


def test_judgements_are_those_of_the_detector_itself() -> None:
    given = examples(100)
    found = Near(3).all_of(OVERLAP, given)
    alone = judge_all(open_detector(OVERLAP), given)
    assert sorted(found, key=lambda each: int(each.example[1:])) == alone


def test_stream_is_read_no_further_than_workers_have_room() -> None:
    read = 0

    def stream() -> Iterator[Example]:
        nonlocal read
        for example in examples(1_000):
            read += 1
            yield example

    async def some() -> int:
        judging = Near(2).judge(OVERLAP, stream())
        try:
            await anext(judging)
            return read
        finally:
            await judging.aclose()  # type: ignore[attr-defined]

    # Two workers with two batches of 16, one example looked at, and what they may have judged since
    assert asyncio.run(some()) <= 2 * 2 * 16 + 1 + WAITING + 32


@pytest.mark.parametrize("count", [0, 1])
def test_few_examples_need_few_workers(count: int) -> None:
    assert len(Near(3).all_of(OVERLAP, examples(count))) == count


def test_nothing_is_lost_and_nothing_comes_twice_where_workers_die() -> None:
    given = examples(200)
    near = Near(3, Deaths(e3=1, e50=2, e51=1, e120=1, e199=2))
    found = near.all_of(OVERLAP, given)
    assert Counter(each.example for each in found) == Counter(each.id for each in given)
    assert len(near.begun) == 3 + 7


def test_work_of_the_parts_is_that_of_all_workers() -> None:
    near = Near(2, Deaths(e3=1))
    near.all_of(DetectorSpec("cascade:overlap,embedded"), examples(12))
    first, second = near.uses()
    assert (first.name, first.examples) == ("overlap", 12)
    assert 0 < second.examples <= 12


def test_example_that_kills_its_worker_every_time_is_named() -> None:
    near = Near(2, Deaths(e17=99))
    with pytest.raises(ServiceError, match="3 workers died while they judged 'e17'") as found:
        near.all_of(OVERLAP, examples(60))
    assert "\n" not in str(found.value)


def test_questions_are_asked_by_this_process() -> None:
    client = Scripted(good)
    found = Near(2).all_of(JUDGE, examples(20), client)
    assert [each.findings[0].coarse for each in found] == ["faithful"] * 20
    assert len(client.requests) == 20
    alone = Scripted(good)
    judge_all(open_detector(JUDGE, (alone,)), examples(20))
    asked = {each.messages for each in client.requests}
    assert asked == {each.messages for each in alone.requests}


def test_as_many_calls_are_under_way_as_the_client_allows_and_more_wait() -> None:
    client = Slow(Scripted(good))
    Near(2).all_of(JUDGE, examples(100), client)
    assert client.most >= client.concurrency == 16


def test_one_rate_limit_holds_for_all_workers() -> None:
    times: list[float] = []

    def answer(request: Request) -> Line:
        times.append(time.monotonic())
        return FAITHFUL

    Near(3).all_of(JUDGE, examples(50), RateLimited(Scripted(answer), 20, window=0.4))
    assert len(times) == 50
    assert all(after - before > 0.39 for before, after in zip(times, times[20:], strict=False))


def test_call_without_a_reply_is_a_failure_of_its_unit() -> None:
    def answer(request: Request) -> Line:
        is_seventh = "ferry 7 " in request.messages[-1].content
        return CallError("transport", "no reply", raw="?") if is_seventh else FAITHFUL

    found = Near(2).all_of(JUDGE, examples(10), Scripted(answer))
    failed = [each for each in found if each.failures]
    assert [(each.example, each.failures[0].reason) for each in failed] == [("e7", "transport")]


def test_budget_that_is_used_up_ends_it_when_what_was_answered_is_judged() -> None:
    class Limited(Scripted):
        async def ask(self, request: Request) -> Reply:
            if len(self.requests) == 30:
                raise BudgetError("30 of 30 calls made", field="calls")
            return await super().ask(request)

    found = []

    async def work() -> None:
        async for each in Near(2).judge(JUDGE, examples(200), Limited(good)):
            found.append(each)

    with pytest.raises(BudgetError, match="30 of 30 calls made") as raised:
        asyncio.run(work())
    assert raised.value.field == "calls"
    assert len(found) == 30


def test_service_that_refuses_is_asked_no_more_than_is_under_way() -> None:
    client = Scripted(lambda request: ServiceError("the key is wrong", code="bad-key"))
    with pytest.raises(ServiceError, match="the key is wrong"):
        Near(2).all_of(JUDGE, examples(200), client)
    assert len(client.requests) <= 2 * 4 * 4  # two workers with four batches of four


def test_it_ends_although_its_only_worker_died_and_there_is_no_room_for_another() -> None:
    near = Near(1, room=1)

    class Down(Scripted):
        async def ask(self, request: Request) -> Reply:
            said = request.messages[-1].content
            if not any(f"ferry {n} " in said for n in range(4)):  # those of the first batch
                await asyncio.sleep(0.1)
                near.begun[0].kill()
            raise ServiceError("the service is down")

    with pytest.raises(ServiceError, match="the service is down"):
        near.all_of(JUDGE, examples(200), Down(good))
    assert len(near.begun) == 2


def test_reply_that_a_dead_worker_waited_for_is_awaited_even_if_the_budget_ends() -> None:
    near, answered = Near(1), list[str]()

    class Late(Scripted):
        async def ask(self, request: Request) -> Reply:
            said = request.messages[-1].content
            if "ferry 3 " in said:
                await asyncio.sleep(0.5)
                answered.append("e3")
            elif "ferry 1 " in said:  # comes before the other one when both are judged again
                await asyncio.sleep(0.05)
            if near.begun[0].is_dead and "ferry 3 " not in said:
                raise BudgetError("all of it is spent", field="calls")
            return await super().ask(request)

    async def work() -> None:
        async for _ in near.judge(JUDGE, examples(200), Late(good)):
            near.begun[0].kill()

    with pytest.raises(BudgetError):
        asyncio.run(work())
    assert answered


def test_error_of_a_detector_is_raised_with_its_trace(faulty: DetectorSpec) -> None:
    with pytest.raises(ValueError, match="it cannot read that") as found:
        Near().all_of(faulty, examples(5, {3: "raise"}))
    assert "on a worker at" in found.value.__notes__[0]


def test_example_that_a_detector_leaves_out_is_named(faulty: DetectorSpec) -> None:
    with pytest.raises(RuntimeError, match="the detector left out the example 'e3'"):
        Near().all_of(faulty, examples(5, {3: "leave"}))


def test_judgement_that_cannot_be_sent_is_one_clear_line(faulty: DetectorSpec) -> None:
    with pytest.raises(
        InputError, match="what faulty says cannot be sent to another process: a lock is held"
    ):
        Near().all_of(faulty, examples(5, {3: "hold"}))


def test_detector_that_cannot_be_opened_raises_what_it_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=str(tmp_path)):
        Near().all_of(DetectorSpec(f"embedded:{tmp_path}"), examples(1))


def test_detector_that_cannot_be_sent_is_one_clear_line(faulty: DetectorSpec) -> None:
    vars(faulty)["capabilities"] = lambda: None
    with pytest.raises(
        InputError, match="the detector 'faulty' cannot be sent to workers"
    ) as found:
        Near().all_of(faulty, examples(1))
    assert "\n" not in str(found.value)


def test_detector_that_workers_do_not_know_is_named(
    faulty: DetectorSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(name: str) -> None:
        raise UnknownNameError("detector", name, ["overlap"])

    monkeypatch.setattr("assay.engine.ray.worker.find_type", find)
    with pytest.raises(InputError, match="the workers do not know the detector 'faulty'"):
        Near().all_of(faulty, examples(1))


def test_worker_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.engine.ray.conftest.versions", lambda: ("9.9", "3.99"))
    with pytest.raises(InputError, match=r"and this is Assay 9\.9 on Python 3\.99: both must be"):
        Near().all_of(OVERLAP, examples(1))


def test_workers_with_different_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    near, author = Near(2), OverlapDetector.author

    def author_of(detector: object) -> object:
        return author if len(near.begun) < 2 else replace(author, version="another")

    monkeypatch.setattr(OverlapDetector, "author", property(author_of))
    with pytest.raises(InputError, match="have different detectors"):
        near.all_of(OVERLAP, examples(100))


class Library:
    """Knows about the ferry."""

    name, digest = "library", "1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        self.asked.append(query)
        return (KnowledgePassage("The ferry sank in 1986."),) * 2

    async def __aenter__(self) -> "Library":
        return self

    async def __aexit__(self, *error: object) -> None: ...


def test_searches_are_made_by_this_process() -> None:
    library = Library()
    found = Near(2).all_of(OVERLAP, examples(10), knowledge=library)
    assert len(found) == 10
    assert {each.author.name for each in found} == {"overlap with library"}
    assert library.asked
