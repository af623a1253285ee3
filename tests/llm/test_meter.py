"""What is counted of calls."""

import asyncio

import pytest

from assay.llm.client import CallError, Message, Reply, Request, Usage
from assay.llm.costs import Meter, Metered, Price
from assay.llm.scripted import Line, Scripted

QUESTION = Request((Message("user", "Is it so?"),))


def ask_all(meter: Meter, price: Price | None, *lines: Line) -> None:
    """Asks once for each line; failed calls are passed over."""
    client = Metered(Scripted(lines), meter, price)

    async def ask() -> None:
        for _ in lines:
            try:
                await client.ask(QUESTION)
            except CallError:
                continue

    asyncio.run(ask())


def test_calls_tokens_and_money_are_counted() -> None:
    meter = Meter()
    ask_all(meter, Price(2, 10), Reply("a", Usage(100, 20)), Reply("b", Usage(50, 10, True)))
    # 150 at 2 a million and 30 at 10 a million: 0.0003 + 0.0003
    assert meter.cost == pytest.approx(0.0006)
    assert (meter.calls, meter.prompt_tokens, meter.completion_tokens) == (2, 150, 30)
    assert meter.estimated == 1


def test_cached_replies_cost_nothing() -> None:
    meter = Meter()
    ask_all(meter, Price(2, 10), Reply("a", Usage(100, 20), cached=True))
    assert meter == Meter(cached=1)


def test_failed_calls_are_counted_apart() -> None:
    meter = Meter()
    ask_all(meter, Price(2, 10), CallError("transport", "gone"), Reply("a", Usage(1, 1)))
    assert (meter.calls, meter.failed) == (1, 1)


def test_money_is_unknown_once_a_price_is() -> None:
    meter = Meter()
    ask_all(meter, None, Reply("a", Usage(1, 1), cached=True))
    assert meter.cost == 0
    ask_all(meter, None, Reply("a", Usage(1, 1)))
    ask_all(meter, Price(2, 10), Reply("a", Usage(1, 1)))
    assert meter.cost is None
    assert meter.calls == 2
