"""How judges are driven: from code without an event loop, and from code inside one."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.detectors.judges.protocol import AHEAD
from assay.detectors.registry import load_detector
from assay.llm.client import Reply, Request
from assay.llm.scripted import Line, Scripted
from tests.detectors.judges.scripts import MILL, echo


def stream(length: int, taken: list[str]) -> Iterator[Example]:
    for number in range(length):
        taken.append(str(number))
        yield replace(MILL, id=str(number))


class Stuck(Scripted):
    """Answers the first request and waits for ever with the rest."""

    def __init__(self) -> None:
        super().__init__(echo)
        self.called_off = self.left = 0

    async def ask(self, request: Request) -> Reply:
        reply = await super().ask(request)
        if len(self.requests) == 1:
            return reply
        try:
            await asyncio.Event().wait()
        finally:
            self.called_off += 1
        return reply

    async def __aexit__(self, *_: Any) -> None:
        await asyncio.sleep(0.05)  # what was called off has its turn first
        self.left += 1


def test_calls_in_flight_are_called_off_when_nobody_listens_any_more() -> None:
    client, taken = Stuck(), list[str]()
    results = load_detector("judge-simple", client).detect(stream(1_000, taken))
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert client.called_off == len(client.requests) - 1
    assert client.left == 1


def test_no_more_examples_are_held_than_may_wait() -> None:
    client, taken = Stuck(), list[str]()
    results = load_detector("judge-simple", client).detect(stream(10_000, taken))
    next(results)
    assert len(taken) <= AHEAD + 1
    results.close()  # type: ignore[attr-defined]


def test_judge_can_be_driven_from_inside_a_running_loop() -> None:
    async def inside() -> int:
        judge = load_detector("judge-gray7", Scripted(echo))
        return sum(len(each.verdicts) for each in judge.detect([MILL, MILL]))

    assert asyncio.run(inside()) == 6


def test_error_of_the_setup_comes_out_and_the_client_is_left() -> None:
    class Left(Scripted):
        left = 0

        async def __aexit__(self, *_: Any) -> None:
            Left.left += 1

    def broken(_: Request) -> Line:
        return ServiceError("the key is wrong")

    with pytest.raises(ServiceError, match="the key is wrong"):
        list(load_detector("judge-gray7", Left(broken)).detect([MILL] * 3))
    assert Left.left == 1
