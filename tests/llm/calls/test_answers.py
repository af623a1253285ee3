"""Whatever JSON a server sends, reading it ends in a reply or in a `CallError`."""

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm.calls.answers import HttpAnswer, read_problem, read_reply, wanted_wait
from assay.llm.client import CallError, Scripted, Token, Usage
from assay.llm.costs.budget import Budget, Budgeted
from assay.llm.costs.estimates import estimate_prompt, most_prompt_tokens
from assay.llm.costs.prices import Meter, Metered, Price
from tests.llm.conftest import QUESTION
from tests.llm.faults import reply

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=9,
)


def records(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with some of these fields, or something else."""
    return JSON | st.fixed_dictionaries({}, optional=fields)


PARTS = st.lists(records(type=st.sampled_from(["text", "refusal"]) | JSON, text=JSON), max_size=3)
LOGPROBS = records(content=st.lists(records(token=JSON, logprob=JSON), max_size=3) | JSON)
MESSAGES = records(content=JSON | PARTS, refusal=JSON)
CHOICES = records(message=MESSAGES, finish_reason=JSON, logprobs=LOGPROBS)
USAGES = records(prompt_tokens=JSON, completion_tokens=JSON, total_tokens=JSON)
ANSWERS = st.fixed_dictionaries({}, optional={"choices": JSON | st.lists(CHOICES), "usage": USAGES})


@given(ANSWERS)
def test_every_answer_is_a_reply_or_a_call_error(data: dict[str, Any]) -> None:
    try:
        found = read_reply(data, QUESTION)
    except CallError:
        return
    found.text.encode()
    assert min(found.usage.prompt, found.usage.completion) >= 0


@given(st.integers(200, 599), JSON | records(error=JSON | records(message=JSON, code=JSON)))
def test_every_error_has_a_kind_and_words(status: int, data: Any) -> None:
    problem = read_problem(HttpAnswer(status, {}, b""), data)
    assert problem.kind
    assert "\n" not in problem.said
    assert len(problem.said) < 320


@given(st.text(max_size=30))
def test_every_header_is_a_wait_or_none(value: str) -> None:
    wait = wanted_wait({"Retry-After": value})
    assert wait is None or wait >= 0


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_wait_is_a_number_that_is_not_below_nothing(value: str, wait: float | None) -> None:
    assert wanted_wait({"Retry-After": value}) == wait


def test_a_date_that_has_passed_is_no_wait() -> None:
    assert wanted_wait({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("stop", "stop"), ("max_tokens", "length"), ("SAFETY", "filter"), ("tool_calls", "other")],
)
def test_finish_reasons_have_many_names(reason: str, finish: str) -> None:
    assert read_reply(reply("hi", reason), QUESTION).finish == finish


def test_likeliest_tokens_at_a_place_are_kept() -> None:
    data = reply("A")
    top = [{"token": "A", "logprob": -0.25}, {"token": " B", "logprob": -2}]
    data["choices"][0]["logprobs"] = {
        "content": [{"token": "A", "logprob": -0.25, "top_logprobs": top}]
    }
    (token,) = read_reply(data, QUESTION).tokens
    assert token == Token("A", -0.25, (("A", -0.25), (" B", -2.0)))


def test_tokens_of_another_form_are_left_out() -> None:
    data = reply("hi")
    data["choices"][0]["logprobs"] = {"content": [{"token": "hi", "logprob": -0.5}]}
    assert read_reply(data, QUESTION).tokens == (Token("hi", -0.5),)
    for other in ({"tokens": ["hi"]}, {"content": [{"token": "hi", "logprob": 10**400}]}):
        data["choices"][0]["logprobs"] = other
        assert read_reply(data, QUESTION).tokens == ()


ABSURD: list[object] = [0, -1, None, True, 12.0, 1e30, math.inf, "12", [], 2**24 + 1, 10**400]


@pytest.mark.parametrize("usage", [None, {}, "many", [1, 2]])
def test_usage_that_is_missing_is_estimated(usage: object) -> None:
    assert read_reply({**reply("hi"), "usage": usage}, QUESTION).usage.estimated


@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens"])
@pytest.mark.parametrize("count", ABSURD, ids=lambda count: str(count)[:12])
def test_usage_that_makes_no_sense_is_our_own_count(name: str, count: object) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, name: count}
    found = read_reply({**reply("hi there"), "usage": usage}, QUESTION).usage
    assert found == Usage(estimate_prompt(QUESTION), 2, estimated=True)


def test_reply_without_text_may_have_no_tokens() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 0}
    assert read_reply({**reply(""), "usage": usage}, QUESTION).usage == Usage(9, 0)


@pytest.mark.parametrize("total", ABSURD[1:], ids=lambda count: str(count)[:12])
def test_total_that_makes_no_sense_does_not_count(total: object) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": total}
    assert read_reply({**reply(), "usage": usage}, QUESTION).usage == Usage(9, 4)


@pytest.mark.parametrize("digits", ["0", "1" + "0" * 400, "-5", "1e30", '"7"', "1e400"])
def test_absurd_usage_under_a_budget_of_money_counts_the_most_and_never_overflows(
    digits: str,
) -> None:
    tokens = f'"prompt_tokens": {digits}, "completion_tokens": {digits}'
    body = f'{{"choices": [{{"message": {{"content": "hi"}}}}], "usage": {{{tokens}}}}}'
    data = HttpAnswer(200, {}, body.encode()).json()
    inside = Scripted(lambda asked: read_reply(data, asked))
    budget, meter, price = Budget(usd=1.0), Meter(), Price(1.0, 1.0)
    client = Metered(Budgeted(inside, budget, price, 100), meter, price)
    asyncio.run(client.ask(QUESTION))
    assert (meter.calls, meter.estimated) == (1, 1)
    assert budget.spent.tokens == most_prompt_tokens(QUESTION) + 100
    assert 0 < budget.spent.money / 1e12 < 0.01


def test_a_total_below_its_parts_changes_nothing() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 0}
    assert read_reply({**reply(), "usage": usage}, QUESTION).usage == Usage(9, 4)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"error": "model failed"}, "500: model failed"),
        ({"detail": "Not Found"}, "500: Not Found"),
        ({"message": "no", "object": "error"}, "500: no"),
        ([{"error": {"message": "first of a list"}}], "500: first of a list"),
        (
            {"detail": [{"loc": ["body", "n"], "msg": "bad", "input": "PRIVATE"}]},
            "500: body.n: bad",
        ),
        ({"error": {"message": "failed", "metadata": {"raw": "why"}}}, "500: failed (why)"),
        ({"error": {"message": "a\n  b"}}, "500: a b"),
        ({}, "500"),
    ],
)
def test_errors_are_read_in_all_their_forms(data: object, words: str) -> None:
    said = read_problem(HttpAnswer(500, {}, b""), data).said
    assert " ".join(said.split()) == words


def test_a_date_is_held_against_the_clock_of_the_server() -> None:
    headers = {
        "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
        "Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT",
    }
    assert wanted_wait(headers) == 30.0


def test_json_is_utf_8_with_or_without_a_mark_and_nothing_else() -> None:
    text = '{"a": "é NaN", "b": NaN}'
    for encoding in ("utf-8", "utf-8-sig"):
        assert HttpAnswer(200, {}, text.encode(encoding)).json()["a"] == "é NaN"
    for encoding in ("utf-16", "utf-16-le", "utf-32"):
        assert HttpAnswer(200, {}, text.encode(encoding)).json() is None


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_that_the_server_gives_apart_are_kept(name: str) -> None:
    message = {"role": "assistant", "content": "Yes.", name: "Is it?"}
    found = read_reply({"choices": [{"message": message}]}, QUESTION)
    assert (found.text, found.thoughts) == ("Yes.", "Is it?")
