"""The steps that judges share: work done together, and what is shown of an example."""

import asyncio
from dataclasses import replace

import pytest

from assay.detectors.judges.judging import PromptTexts, ReplyFormat
from assay.detectors.protocol import gather_or_cancel
from assay.llm.client import Scripted
from assay.llm.prompts import Prompt
from tests.detectors.judges.scripts import MILL


def test_results_are_in_the_order_of_the_work() -> None:
    async def late(number: int) -> int:
        await asyncio.sleep(0.01 * (3 - number))
        return number

    async def work() -> list[int]:
        return await gather_or_cancel(late(number) for number in range(3))

    assert asyncio.run(work()) == [0, 1, 2]


def test_when_one_raises_the_others_are_cancelled() -> None:
    done: list[str] = []

    async def fail() -> None:
        raise ValueError("no")

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            done.append("cancelled")

    async def work() -> None:
        await gather_or_cancel([wait(), fail(), wait()])

    with pytest.raises(ValueError, match="no"):
        asyncio.run(asyncio.wait_for(work(), 5))
    assert done == ["cancelled", "cancelled"]


def test_all_texts_stand_under_one_code_that_none_of_them_has() -> None:
    texts = PromptTexts(replace(MILL, question="Why?"), sentences="1. It burned.")
    assert set(texts.shown) == {"source", "response", "question", "sentences"}
    assert all(texts.fences.code in shown for shown in texts.shown.values())
    assert texts.shown["question"].endswith(">>>\n\n")


def test_question_that_is_not_there_leaves_nothing() -> None:
    assert PromptTexts(MILL).shown["question"] == ""


def test_usual_length_of_a_reply_grows_with_the_units() -> None:
    client = Scripted(["fine"])
    prompt = Prompt("p", "1", frozenset({"source"}), (("user", "$source"),), reply_tokens=30)
    reply_format = ReplyFormat(lambda text, _: text, "fine", units=4)
    answer = asyncio.run(PromptTexts(MILL).ask(client, prompt, reply_format))
    assert answer.value == "fine"
    assert (client.requests[0].reply_tokens, client.requests[0].example) == (120, "fine")
