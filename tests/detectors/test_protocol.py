"""How detectors are driven: in batches, several at a time, and until nobody listens."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.core.errors import InputError, ServiceError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.detectors.protocol import closing, concurrently, in_batches, judgement_of
from assay.llm.client import Line, Reply, Request, Scripted
from tests.detectors.judges.scripts import MILL, echo, load


def stream(length: int, taken: list[str]) -> Iterator[Example]:
    for number in range(length):
        taken.append(str(number))
        yield replace(MILL, id=str(number))


def judgement(example: Example) -> Judgement:
    return judgement_of(example, Author("a"), [])


class Stuck(Scripted):
    """Answers the first request and waits for ever with the rest."""

    cancelled = 0

    async def ask(self, request: Request) -> Reply:
        reply = await super().ask(request)
        if len(self.requests) == 1:
            return reply
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled += 1
        return reply


def test_calls_under_way_are_cancelled_when_nobody_listens_any_more() -> None:
    client = Stuck(echo)

    async def work() -> int:
        async with closing(load("judge-simple", client).judge(stream(1_000, []))) as judgements:
            await anext(judgements)
        return client.cancelled

    assert asyncio.run(work()) == len(client.requests) - 1 > 0


def test_no_more_examples_are_taken_than_the_client_answers_at_a_time() -> None:
    client, taken = Stuck(echo), list[str]()

    async def work() -> None:
        async with closing(load("judge-simple", client).judge(stream(10_000, taken))) as judgements:
            await anext(judgements)

    asyncio.run(work())
    assert client.concurrency <= len(taken) <= client.concurrency + 1


def test_service_that_cannot_be_used_ends_it_when_the_others_are_answered() -> None:
    answered: list[str] = []

    async def judge(example: Example) -> Judgement:
        await asyncio.sleep(0)
        if example.id == "1":
            raise ServiceError("the key is wrong")
        await asyncio.sleep(0.01)
        answered.append(example.id)
        return judgement(example)

    found: list[str] = []

    async def work() -> None:
        async for each in concurrently(stream(100, []), judge, workers=3):
            found.append(each.example)

    with pytest.raises(ServiceError, match="the key is wrong"):
        asyncio.run(work())
    assert found == answered == ["0", "2"]


def test_error_of_the_setup_comes_out_of_a_judge() -> None:
    def broken(_: Request) -> Line:
        return ServiceError("the key is wrong")

    async def work() -> None:
        async for _ in load("judge-gray7", Scripted(broken)).judge([MILL]):
            pass

    with pytest.raises(ServiceError, match="the key is wrong"):
        asyncio.run(work())


def test_other_errors_end_it_at_once() -> None:
    async def judge(example: Example) -> Judgement:
        if example.id == "1":
            raise InputError("no peers")
        await asyncio.sleep(60)
        return judgement(example)

    async def work() -> None:
        async for _ in concurrently(stream(100, []), judge, workers=3):
            pass

    with pytest.raises(InputError, match="no peers"):
        asyncio.run(asyncio.wait_for(work(), 5))


def test_batches_grow_from_one_and_are_taken_as_they_are_needed() -> None:
    sizes: list[int] = []
    taken: list[str] = []

    def judge(batch: list[Example]) -> Iterator[Judgement]:
        sizes.append(len(batch))
        return map(judgement, batch)

    async def work() -> list[str]:
        ids: list[str] = []
        async for each in in_batches(stream(20, taken), judge, size=8):
            if not ids:
                assert taken == ["0"]
            ids.append(each.example)
        return ids

    assert asyncio.run(work()) == [str(n) for n in range(20)]
    assert sizes == [1, 2, 4, 8, 5]


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("aaaaaabbbbbbcccccc", [1, 2, 4, 11]),
        ("abcdefghijkl", [1, 2, 4, 5]),
        ("a" * 50, [1, 2, 4, 32, 11]),
        ("aab", [1, 2]),
        ("", []),
    ],
)
def test_neighbours_that_are_alike_come_into_one_full_batch(
    sources: str, expected: list[int]
) -> None:
    sizes: list[int] = []

    def judge(batch: list[Example]) -> Iterator[Judgement]:
        sizes.append(len(batch))
        return map(judgement, batch)

    async def work() -> list[str]:
        found = in_batches(stream(len(sources), []), judge, 8, lambda each: sources[int(each.id)])
        return [each.example async for each in found]

    assert asyncio.run(work()) == [str(n) for n in range(len(sources))]
    assert sizes == expected


def test_small_batches_of_a_stream_do_not_wait_for_what_follows() -> None:
    taken: list[str] = []
    asked_for: list[int] = []

    def judge(batch: list[Example]) -> Iterator[Judgement]:
        asked_for.append(len(taken))
        return map(judgement, batch)

    async def work() -> None:
        async for _ in in_batches(stream(20, taken), judge, 8, lambda each: each.id):
            pass

    asyncio.run(work())
    assert asked_for == [1, 3, 7, 16, 20]


def test_batches_of_what_is_all_there_do_not_grow() -> None:
    sizes: list[int] = []

    def judge(batch: list[Example]) -> Iterator[Judgement]:
        sizes.append(len(batch))
        return map(judgement, batch)

    async def work() -> None:
        async for _ in in_batches(list(stream(20, [])), judge, size=8):
            pass
        async for _ in in_batches(list(stream(20, [])), judge, 8, lambda each: int(each.id) < 12):
            pass

    asyncio.run(work())
    assert sizes == [8, 8, 4, 12, 8]
