"""What a run has used over all its sessions."""

import pytest

from assay.engine.models import RunUsage, may_be_charged
from assay.llm.client import Reply
from assay.llm.client import Usage as Tokens
from assay.llm.connection import Connection, connect
from assay.llm.costs.prices import Price
from assay.llm.settings.options import Options

PRICE = Price(1.0, 10.0)  # dollars for a million tokens
REPLY = Reply("so", Tokens(100, 20))
COST = (100 * 1.0 + 20 * 10.0) / 1e6


def test_counts_go_on_from_the_last_session() -> None:
    first = RunUsage()
    first.pay(REPLY, PRICE)
    first.pay(REPLY, PRICE)
    later = RunUsage()
    later.go_on({**first.record(), "cached": 5, "failed": 1, "seconds": 60.0})
    later.pay(REPLY, PRICE)
    record = later.record()
    assert (record["calls"], record["cached"], record["failed"]) == (3, 5, 1)
    assert (record["prompt_tokens"], record["completion_tokens"]) == (300, 60)
    assert record["cost"] == pytest.approx(3 * COST)
    assert record["seconds"] >= 60.0


def test_session_that_pays_nothing_leaves_the_counts_as_they_were() -> None:
    first = RunUsage()
    first.pay(REPLY, PRICE)
    earlier = first.record()
    for _ in range(3):
        later = RunUsage()
        later.go_on(earlier)
        earlier = later.record()
    counts = {name: earlier[name] for name in earlier if name != "seconds"}
    assert counts == {name: first.record()[name] for name in counts}


def test_unknown_price_makes_the_whole_cost_unknown() -> None:
    usage = RunUsage()
    usage.pay(REPLY, PRICE)
    usage.pay(REPLY, None)
    assert usage.record()["cost"] is None
    later = RunUsage()
    later.go_on(usage.record())
    later.pay(REPLY, PRICE)
    assert later.record()["cost"] is None


def test_nobody_asked_is_nothing_to_tell() -> None:
    assert RunUsage().describe() == ""
    assert RunUsage().session_cost == 0


@pytest.fixture
def connection() -> Connection:
    """A model under a budget."""
    options = Options(base_url="http://127.0.0.1:1/v1", budget_calls=5)
    return connect("m", options, environ={"OPENAI_API_KEY": "k"})


def going_on(connection: Connection, spent: list[int] | None = None) -> RunUsage:
    """What is used by a session after one that paid for a reply."""
    earlier = RunUsage()
    earlier.pay(REPLY, PRICE)
    usage = RunUsage()
    usage.watch(connection)
    usage.go_on({**earlier.record(), **({"spent": spent} if spent else {})})
    return usage


def test_what_earlier_sessions_spent_counts_for_the_budget(connection: Connection) -> None:
    going_on(connection)
    assert connection.budget is not None
    assert (connection.budget.spent.calls, connection.budget.spent.tokens) == (1, 120)
    assert connection.budget.spent.money / 1e12 == pytest.approx(COST)


def test_call_that_may_have_been_charged_counts_as_spent(connection: Connection) -> None:
    usage = going_on(connection, spent=[10**12, 100, 3])
    assert connection.budget is not None
    spent = connection.budget.spent
    assert (spent.money, spent.tokens, spent.calls) == (10**12, 120, 3)
    assert usage.record()["spent"] == [10**12, 120, 3]


def test_work_under_the_same_budget_spends_it_together_and_is_counted_apart(
    connection: Connection,
) -> None:
    first, second = going_on(connection), going_on(connection)
    assert connection.budget is not None
    assert connection.budget.spent.calls == 2
    assert first.record()["calls"] == second.record()["calls"] == 1
    assert second.record()["spent"][2] == 1


def test_session_without_a_budget_passes_on_what_was_cut_off_before() -> None:
    first = RunUsage()
    first.go_on({"calls": 1, "prompt_tokens": 100, "completion_tokens": 20, "spent": [7, 500, 9]})
    first.pay(REPLY, None)
    assert first.record()["spent"] == [7, 620, 10]  # the reply has 120 tokens


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        ({}, False),
        ({"calls": 0, "failed": 3, "spent": [0, 0, 0]}, False),
        ({"calls": 1}, True),
        ({"calls": 0, "spent": [0, 0, 1]}, True),
    ],
)
def test_what_may_be_charged_or_counts_for_a_budget_is_known(
    record: dict[str, object], kept: bool
) -> None:
    assert may_be_charged(record) is kept
