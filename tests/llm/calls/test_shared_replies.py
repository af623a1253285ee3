"""Replies in a distant place: what goes there together, and what its errors do."""

import asyncio
import threading
from collections.abc import Collection, Mapping

import pytest

from assay.core.errors import InputError
from assay.llm.calls.cache import Cached
from assay.llm.calls.shared_replies import SharedReplies
from assay.llm.client import Message, Reply, Request, Scripted, Usage

QUESTION = Request((Message("user", "Is it so?"),))
REPLY = Reply("yes", Usage(1, 1))


class Distant:
    """A place of texts; each exchange with it waits until it is let go."""

    place = "far away"

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.exchanges: list[tuple[set[str], set[str]]] = []
        self.problem: InputError | None = None
        self.gate = threading.Event()
        self.gate.set()

    def exchange(self, wanted: Collection[str], new: Mapping[str, str]) -> Mapping[str, str]:
        self.exchanges.append((set(wanted), set(new)))
        assert self.gate.wait(60)
        if self.problem:
            raise self.problem
        for key, text in new.items():
            self.texts.setdefault(key, text)
        return {key: self.texts[key] for key in wanted if key in self.texts}

    def remove(self, key: str, text: str) -> None:
        if self.texts.get(key) == text:
            del self.texts[key]

    def close(self) -> None:
        pass


def test_what_is_asked_for_during_an_exchange_goes_together_with_the_next() -> None:
    distant = Distant()
    distant.gate.clear()

    async def run() -> None:
        replies = SharedReplies(distant)
        first = asyncio.create_task(replies.get("a"))
        while not distant.exchanges:
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(replies.get(key)) for key in "bcd"]
        others.append(asyncio.create_task(replies.get("b")))
        kept = asyncio.create_task(replies.put("e", REPLY))
        await asyncio.sleep(0)  # the loop is free although the first has not come back
        distant.gate.set()
        await asyncio.gather(first, *others, kept)

    asyncio.run(run())
    assert distant.exchanges == [({"a"}, set()), ({"b", "c", "d"}, {"e"})]


def test_second_time_is_not_asked_by_whoever_shares_the_place() -> None:
    distant = Distant()
    mine, theirs = Scripted(["a"]), Scripted(["b"])
    first = asyncio.run(Cached(mine, SharedReplies(distant)).ask(QUESTION))
    second = asyncio.run(Cached(theirs, SharedReplies(distant)).ask(QUESTION))
    assert (first.text, first.cached, second.text, second.cached) == ("a", False, "a", True)
    assert theirs.requests == []


def test_same_question_at_the_same_time_is_asked_once() -> None:
    inside = Scripted(["a", "b", "c"])

    async def run() -> list[Reply]:
        client = Cached(inside, SharedReplies(Distant()))
        return await asyncio.gather(*(client.ask(QUESTION) for _ in range(3)))

    assert [reply.text for reply in asyncio.run(run())] == ["a"] * 3
    assert len(inside.requests) == 1


def test_text_that_cannot_be_read_is_asked_again_and_replaced() -> None:
    distant = Distant()
    client = Cached(Scripted(["a"]), SharedReplies(distant))
    distant.texts[client.key(QUESTION)] = '{"text": 3}'
    assert asyncio.run(client.ask(QUESTION)).text == "a"
    assert '"a"' in distant.texts[client.key(QUESTION)]


def test_error_of_an_exchange_reaches_all_who_wait_and_nobody_who_comes_later() -> None:
    distant = Distant()
    distant.problem = InputError("gone", code="store-gone")

    async def run() -> None:
        replies = SharedReplies(distant)
        both = await asyncio.gather(
            replies.get("a"), replies.put("b", REPLY), return_exceptions=True
        )
        assert [str(each) for each in both] == ["gone", "gone"]
        distant.problem = None
        assert await replies.get("a") is None

    asyncio.run(run())


def test_one_who_is_cancelled_leaves_the_exchange_to_the_others() -> None:
    distant = Distant()
    distant.gate.clear()

    async def run() -> Reply | None:
        replies = SharedReplies(distant)
        first, second = (asyncio.create_task(replies.get("a")) for _ in range(2))
        while not distant.exchanges:
            await asyncio.sleep(0.001)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        distant.gate.set()
        return await second

    assert asyncio.run(run()) is None
