"""Questions for a bench: a judge's own, about texts that are never repeated."""

import asyncio

import pytest

from assay.app.server_questions import RESPONSES, JudgeQuestions, source_text
from assay.core.errors import InputError
from assay.llm.client import Request


def text_of(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def shared(one: Request, other: Request) -> str:
    """The beginning that two questions have in common."""
    a, b = text_of(one), text_of(other)
    return a[: next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))]


@pytest.mark.parametrize("judge", ["judge-simple", "judge-gray7", "lynx"])
def test_a_pair_shares_its_source_and_no_more(judge: str) -> None:
    questions = JudgeQuestions(judge, 60)
    one, other = asyncio.run(questions.pair())
    third, _ = asyncio.run(questions.pair())
    assert source_text(1, 60) in shared(one, other)
    assert source_text(2, 60) not in text_of(one)
    assert source_text(1, 60)[:20] not in shared(one, third)
    assert text_of(one) != text_of(other)


def test_responses_to_one_source_come_in_a_row_and_none_twice() -> None:
    questions = JudgeQuestions("judge-simple", 60)
    asked = asyncio.run(questions.several(6)) + asyncio.run(questions.several(2))
    assert RESPONSES == 4
    for number, request in enumerate(asked):
        assert source_text(number // 4 + 1, 60) in text_of(request)
    assert len({text_of(each) for each in asked}) == 8


def test_sources_have_about_the_words_that_are_wanted() -> None:
    for number in range(1, 30):
        assert 400 <= len(source_text(number, 400).split()) < 425
    assert len({source_text(number, 400)[:12] for number in range(1, 30)}) == 29


def test_a_judge_that_shows_no_source_is_refused() -> None:
    with pytest.raises(InputError, match="shows the source to no model"):
        asyncio.run(JudgeQuestions("p-true", 60).pair())
