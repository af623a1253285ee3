"""What a dry run says of calls that it does not make."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm.client import Message, Reply, Request
from assay.llm.costs.estimates import (
    AROUND_A_CALL,
    AROUND_A_MESSAGE,
    CallEstimate,
    DryRun,
    estimate_prompt,
    estimate_tokens,
    most_prompt_tokens,
)
from assay.llm.costs.prices import Price
from assay.llm.settings.options import Endpoint, Parameters

ENDPOINT = Endpoint("openai/gpt-4o", "gpt-4o", "https://x.example/v1", "openai")


def dry(*requests: Request, price: Price | None = None, most: int = 1000) -> CallEstimate:
    """The estimate for some requests."""
    client = DryRun(ENDPOINT, Parameters(max_tokens=most), price)

    async def ask() -> None:
        async with client:
            for request in requests:
                await client.ask(request)

    asyncio.run(ask())
    return client.estimate


def test_example_is_the_reply() -> None:
    client = DryRun(ENDPOINT, Parameters(), None)
    request = Request((Message("user", "x" * 400),), example="faithful", reply_tokens=30)
    reply = asyncio.run(client.ask(request))
    assert isinstance(reply, Reply)
    assert reply.text == "faithful"
    # 400 letters are 100 tokens, and 4 for the message
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.estimated) == (104, 30, True)


def test_calls_and_tokens_add_up() -> None:
    request = Request((Message("user", "x" * 400),), reply_tokens=30)
    found = dry(request, request)
    assert (found.calls, found.prompt_tokens, found.reply_tokens) == (2, 208, 60)
    # each at most 400 bytes, what stands around them, and 1,000 of reply
    assert found.most_tokens == 2 * (400 + AROUND_A_MESSAGE + AROUND_A_CALL + 1000)


def test_money_is_a_range() -> None:
    request = Request((Message("user", "x" * 400),), reply_tokens=30)
    found = dry(request, price=Price(2, 10))
    # 84 and 15 tokens; 104 and 30; 928 and 1,000
    assert found.low == pytest.approx((84 * 2 + 15 * 10) / 1e6)
    assert found.expected == pytest.approx((104 * 2 + 30 * 10) / 1e6)
    assert found.high == pytest.approx((928 * 2 + 1000 * 10) / 1e6)


def test_money_is_unknown_without_a_price() -> None:
    found = dry(Request((Message("user", "x"),)))
    assert (found.low, found.expected, found.high) == (None, None, None)


def test_free_models_cost_nothing() -> None:
    found = dry(Request((Message("user", "x"),)), price=Price(0, 0))
    assert (found.low, found.expected, found.high) == (0, 0, 0)


def test_reply_is_never_expected_longer_than_it_may_be() -> None:
    assert dry(Request((), reply_tokens=500), most=100).reply_tokens == 100


def test_nothing_asked_is_nothing() -> None:
    assert dry() == CallEstimate()


def test_model_is_named_and_marked_as_not_asked() -> None:
    client = DryRun(ENDPOINT, Parameters(), None)
    assert client.model == "openai/gpt-4o"
    assert client.describe()["dry_run"] is True


@given(st.text(), st.text())
def test_range_is_in_order(system: str, user: str) -> None:
    request = Request((Message("system", system), Message("user", user)), {"type": "object"})
    found = dry(request, price=Price(1, 1))
    assert found.low is not None
    assert found.expected is not None
    assert found.high is not None
    assert found.low <= found.expected <= found.high


@given(st.text())
def test_no_text_has_more_tokens_than_the_bound(text: str) -> None:
    request = Request((Message("user", text),))
    bound = most_prompt_tokens(request) - AROUND_A_MESSAGE - AROUND_A_CALL
    assert bound >= len(text.encode())
    assert bound >= estimate_tokens(text)


def test_bound_counts_compatibility_characters_written_out() -> None:
    # one character of 3 bytes that some tokenizers write out as 18, of 33 bytes
    request = Request((Message("user", "\ufdfa"),))
    assert most_prompt_tokens(request) == 33 + AROUND_A_MESSAGE + AROUND_A_CALL


def test_schema_counts() -> None:
    plain = Request((Message("user", "x"),))
    with_schema = Request((Message("user", "x"),), {"type": "object"})
    # {"type": "object"} has 18 characters
    assert most_prompt_tokens(with_schema) - most_prompt_tokens(plain) == 18
    assert estimate_prompt(with_schema) > estimate_prompt(plain)


def test_text_in_the_arguments_of_a_template_counts() -> None:
    plain = Request((Message("assistant", "It did."),))
    with_document = replace(plain, template={"text": "It burned."})  # {"text": "It burned."}
    assert most_prompt_tokens(with_document) - most_prompt_tokens(plain) == 22
    assert estimate_prompt(with_document) - estimate_prompt(plain) in (5, 6)


def test_half_an_emoji_can_be_counted() -> None:
    assert most_prompt_tokens(Request((Message("user", "\ud83d"),))) > 0
