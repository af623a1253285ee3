"""The steps that judges share: work done together, and what is shown of an example."""

import asyncio
from dataclasses import replace

import pytest

from assay.detectors.judges.judging import Form, Material, together
from assay.llm.prompts import Prompt
from assay.llm.scripted import Scripted
from tests.detectors.judges.scripts import MILL


def test_results_are_in_the_order_of_the_work() -> None:
    async def late(number: int) -> int:
        await asyncio.sleep(0.01 * (3 - number))
        return number

    async def work() -> list[int]:
        return await together(late(number) for number in range(3))

    assert asyncio.run(work()) == [0, 1, 2]


def test_when_one_raises_the_others_are_called_off() -> None:
    done: list[str] = []

    async def fail() -> None:
        raise ValueError("no")

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            done.append("called off")

    async def work() -> None:
        await together([wait(), fail(), wait()])

    with pytest.raises(ValueError, match="no"):
        asyncio.run(asyncio.wait_for(work(), 5))
    assert done == ["called off", "called off"]


def test_all_texts_stand_under_one_code_that_none_of_them_has() -> None:
    material = Material(replace(MILL, question="Why?"), sentences="1. It burned.")
    assert set(material.shown) == {"source", "response", "question", "sentences"}
    assert all(material.fences.code in shown for shown in material.shown.values())
    assert material.shown["question"].endswith(">>>\n\n")


def test_question_that_is_not_there_leaves_nothing() -> None:
    assert Material(MILL).shown["question"] == ""


def test_usual_length_of_a_reply_grows_with_the_units() -> None:
    client = Scripted(["fine"])
    prompt = Prompt("p", "1", frozenset({"source"}), (("user", "$source"),), reply_tokens=30)
    form = Form(lambda text, _: text, "fine", units=4)
    answer = asyncio.run(Material(MILL).ask(client, prompt, form))
    assert answer.value == "fine"
    assert (client.requests[0].reply_tokens, client.requests[0].example) == (120, "fine")
