"""Many callers share a detector: in turn, in common batches, and without harm to each other."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.system.threads import stop_if_left
from assay.core.texts import Response, Source
from assay.detectors.overlap import OverlapDetector
from assay.detectors.protocol import closing, in_batches, judgement_of
from assay.detectors.sharing import AHEAD, LONG, MOST_CHARACTERS, MOST_EXAMPLES, SharedDetector


def example(id: str = "1", source: str = "A source.", response: str = "It says so.") -> Example:
    return Example(id, Source(source), Response(response))


class Counting(OverlapDetector):
    """Notes the responses of each batch, and waits in each until it may go on."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        batch = list(examples)
        self.batches.append([each.response.text for each in batch])
        await asyncio.to_thread(self.may_go_on.wait)
        for each in batch:
            if each.response.text == "broken":
                raise ValueError("this one cannot be judged")
            yield judgement_of(each, Author("a"), [])


async def ids(shared: SharedDetector, examples: Iterable[Example]) -> list[str]:
    return [said.example async for said in shared.judge(examples)]


async def behind_a_batch(*callers: Iterable[Example]) -> list[list[str]]:
    """The batches that are made of what some callers bring while another one is judged."""
    detector = Counting()
    detector.may_go_on.clear()
    shared = SharedDetector(detector)
    tasks = [asyncio.create_task(ids(shared, [example()]))]
    while not detector.batches:
        await asyncio.sleep(0.001)
    tasks += [asyncio.create_task(ids(shared, each)) for each in callers]
    await asyncio.sleep(0.01)
    detector.may_go_on.set()
    await asyncio.gather(*tasks)
    return detector.batches[1:]


def test_what_comes_while_a_batch_is_judged_forms_the_next_one() -> None:
    callers = [[example(response=name)] for name in ("a", "b", "c")]
    assert asyncio.run(behind_a_batch(*callers)) == [["a", "b", "c"]]


def test_many_of_one_caller_do_not_keep_another_waiting() -> None:
    many = [example(response="many") for _ in range(500)]
    first, *others = asyncio.run(behind_a_batch(many, [example(response="one")]))
    assert len(first) == MOST_EXAMPLES
    assert "one" in first
    assert sum(map(len, others)) == 501 - MOST_EXAMPLES


def test_responses_to_one_source_stand_together_and_long_sources_come_first() -> None:
    def of(source: str, *responses: str) -> list[Example]:
        return [example(source=source, response=each) for each in responses]

    callers = [of("Short.", "a", "b"), of("A longer one.", "c"), of("Short.", "d")]
    assert asyncio.run(behind_a_batch(*callers)) == [["c", "a", "d", "b"]]


def test_long_texts_make_small_batches_of_two_at_least() -> None:
    half = [example(source=f"{n}" * (MOST_CHARACTERS // 2 + 1), response=f"{n}") for n in range(6)]
    assert [len(each) for each in asyncio.run(behind_a_batch(half))] == [2, 2, 2]


@pytest.mark.parametrize(
    "long",
    [example(response="x" * (LONG + 1)), example(source="x" * (MOST_CHARACTERS + 1))],
    ids=["response", "source"],
)
def test_long_example_keeps_no_others_waiting(long: Example) -> None:
    class Stuck(OverlapDetector):
        async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
            for each in examples:
                if replace(each, id="") == replace(long, id=""):
                    await asyncio.to_thread(others_are_judged.wait, 30)
                yield judgement_of(each, Author("a"), [])

    async def work() -> list[str]:
        shared = SharedDetector(Stuck())
        first = asyncio.create_task(ids(shared, [replace(long, id="a"), example("b")]))
        again = asyncio.create_task(ids(shared, [replace(long, id="c")]))
        await asyncio.sleep(0.01)
        for name in "de":
            assert await asyncio.wait_for(ids(shared, [example(name)]), 20) == [name]
        others_are_judged.set()
        return [*await first, *await again]

    others_are_judged = threading.Event()
    assert asyncio.run(work()) == ["a", "b", "c"]


def test_work_on_a_long_example_ends_when_its_caller_leaves() -> None:
    has_begun, has_ended = threading.Event(), threading.Event()

    def steps(batch: Iterable[Example]) -> Iterator[Judgement]:
        has_begun.set()
        try:
            while True:
                stop_if_left()
                time.sleep(0.001)
        finally:
            has_ended.set()
        yield

    class Endless(OverlapDetector):
        def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
            return in_batches(examples, steps)

    async def work() -> None:
        shared = SharedDetector(Endless())
        long = [example(response="x" * (LONG + 1))]
        task = asyncio.create_task(ids(shared, long))
        assert await asyncio.to_thread(has_begun.wait, 30)
        assert not has_ended.is_set()
        task.cancel()
        assert await asyncio.to_thread(has_ended.wait, 30)
        await shared.close()

    asyncio.run(work())


def test_a_source_that_several_ask_about_takes_room_once() -> None:
    source = "x" * (MOST_CHARACTERS - 100)
    callers = [[example(source=source, response=f"{n}")] for n in range(10)]
    assert [len(each) for each in asyncio.run(behind_a_batch(*callers))] == [10]


def test_one_example_that_breaks_the_detector_fails_nobody_else() -> None:
    async def work() -> list[object]:
        shared = SharedDetector(Counting())
        texts = ("a", "broken", "c")
        tasks = [asyncio.create_task(ids(shared, [example(t, response=t)])) for t in texts]
        return [*await asyncio.gather(*tasks, return_exceptions=True)]

    first, broken, last = asyncio.run(work())
    assert (first, last) == (["a"], ["c"])
    assert isinstance(broken, ValueError)


def test_nobody_waits_for_a_detector_that_was_cancelled() -> None:
    class Cancelled(OverlapDetector):
        async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
            raise asyncio.CancelledError
            yield

    async def work() -> list[object]:
        shared = SharedDetector(Cancelled())
        tasks = [asyncio.create_task(ids(shared, [example(id)])) for id in "ab"]
        return [*await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)]

    assert [type(each) for each in asyncio.run(work())] == [ServiceError, ServiceError]


def test_ids_may_repeat_and_are_given_back() -> None:
    async def work() -> list[list[str]]:
        shared = SharedDetector(OverlapDetector())
        callers = [[example("x"), example("x")], [example("x"), example("y")]]
        return await asyncio.gather(*(ids(shared, each) for each in callers))

    assert asyncio.run(work()) == [["x", "x"], ["x", "y"]]


def test_a_caller_that_stops_has_no_more_examples_taken() -> None:
    taken = []

    def endless() -> Iterator[Example]:
        for number in range(10_000):
            taken.append(number)
            yield example(str(number))

    async def work() -> int:
        shared = SharedDetector(Counting())
        async with closing(shared.judge(endless())) as judgements:
            await anext(judgements)
        count = len(taken)
        assert await ids(shared, [example("other")]) == ["other"]
        return count

    assert asyncio.run(work()) == len(taken) <= AHEAD + 1


def test_a_caller_that_takes_nothing_is_read_no_further_than_its_room() -> None:
    detector = Counting()

    async def work() -> None:
        shared = SharedDetector(detector)
        async with closing(shared.judge(example(str(n)) for n in range(10_000))) as judgements:
            await anext(judgements)
            await asyncio.sleep(0.05)

    asyncio.run(work())
    assert sum(map(len, detector.batches)) == AHEAD + 1


def test_who_waits_when_it_is_closed_is_told_and_so_is_who_comes_later() -> None:
    async def work() -> list[object]:
        detector = Counting()
        detector.may_go_on.clear()
        shared = SharedDetector(detector)
        tasks = [asyncio.create_task(ids(shared, [example()])) for _ in range(2)]
        await asyncio.sleep(0.01)
        await asyncio.wait_for(shared.close(), 20)  # a batch is under way, for nobody
        detector.may_go_on.set()
        later = asyncio.create_task(ids(shared, [example()]))
        return [*await asyncio.gather(*tasks, later, return_exceptions=True)]

    assert [type(each) for each in asyncio.run(work())] == [ServiceError] * 3


def test_rows_that_raise_end_their_caller_after_what_was_judged() -> None:
    def rows() -> Iterator[Example]:
        yield example("1")
        raise ValueError("no more rows")

    found: list[str] = []

    async def work() -> None:
        async for said in SharedDetector(OverlapDetector()).judge(rows()):
            found.append(said.example)

    with pytest.raises(ValueError, match="no more rows"):
        asyncio.run(work())
    assert found == ["1"]


def test_nothing_to_judge_has_no_judgements() -> None:
    assert asyncio.run(ids(SharedDetector(OverlapDetector()), [])) == []


@given(st.lists(st.integers(0, 100), min_size=1, max_size=6))
def test_every_caller_gets_a_judgement_of_each_example_once(counts: list[int]) -> None:
    async def work() -> list[list[str]]:
        shared = SharedDetector(Counting())
        callers = ([example(str(n)) for n in range(count)] for count in counts)
        return await asyncio.gather(*(ids(shared, each) for each in callers))

    found = asyncio.run(work())
    assert [sorted(each, key=int) for each in found] == [[*map(str, range(n))] for n in counts]
