"""A budget that is never passed, whatever comes back and in which order."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import BudgetError, InputError, ServiceError
from assay.llm.asking import ask as ask_and_read
from assay.llm.calls.retry import Retrying
from assay.llm.client import CallError, Line, Message, Reply, Request, Scripted, Usage
from assay.llm.costs.budget import Amount, Budget, Budgeted
from assay.llm.costs.estimates import AROUND_A_CALL, AROUND_A_MESSAGE, most_prompt_tokens
from assay.llm.costs.prices import Meter, Metered, Price

MOST_REPLY = 100
AROUND = AROUND_A_CALL + AROUND_A_MESSAGE


def request(size: int) -> Request:
    """A request whose prompt has at most `size` tokens."""
    return Request((Message("user", "x" * (size - AROUND)),))


def budgeted(budget: Budget, *lines: Line, price: Price | None = None) -> Budgeted:
    return Budgeted(Scripted(lines), budget, price, MOST_REPLY)


def ask(client: Budgeted, size: int) -> Reply:
    return asyncio.run(client.ask(request(size)))


def test_bound_is_what_the_tests_take_it_for() -> None:
    assert most_prompt_tokens(request(900)) == 900


def test_only_what_a_call_really_took_is_spent() -> None:
    budget = Budget(tokens=5000)
    ask(budgeted(budget, Reply("a", Usage(200, 30))), 900)
    assert budget.spent == Amount(0, 230, 1)


def test_money_is_counted_with_the_price() -> None:
    budget = Budget(usd=1)
    ask(budgeted(budget, Reply("a", Usage(200, 30)), price=Price(2, 10)), 900)
    # 200 at 2 a million and 30 at 10 a million
    assert budget.spent.money / 1e12 == pytest.approx(0.0007)


def test_call_that_could_pass_the_limit_is_not_made() -> None:
    inside = Scripted(["a"])
    with pytest.raises(BudgetError, match="used up") as caught:
        asyncio.run(Budgeted(inside, Budget(tokens=999), None, MOST_REPLY).ask(request(900)))
    assert (caught.value.code, caught.value.field) == ("budget", "budget_tokens")
    assert inside.requests == []


def test_call_that_just_fits_is_made() -> None:
    assert ask(budgeted(Budget(tokens=1000), "a"), 900).text == "a"


def test_message_names_what_was_spent_the_limit_and_what_the_call_could_cost() -> None:
    budget = Budget(usd=0.004)
    client = budgeted(budget, Reply("a", Usage(400, 40)), price=Price(2, 10))
    ask(client, 900)
    # spent 0.0008 + 0.0004; the next could cost 1,000 at 2 and 100 at 10 a million: 0.003
    with pytest.raises(BudgetError) as caught:
        ask(client, 1000)
    said = str(caught.value)
    assert "$0.0012 of $0.004" in said
    assert "up to $0.0030" in said
    assert caught.value.field == "budget_usd"


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(tokens=1100), r"230 of 1,100 tokens used.*could use up to 1,000"),
        (Budget(calls=1), r"1 of 1 calls made"),
    ],
)
def test_every_limit_says_its_own(budget: Budget, said: str) -> None:
    client = budgeted(budget, Reply("a", Usage(200, 30)), "b")
    ask(client, 900)
    with pytest.raises(BudgetError, match=said):
        ask(client, 900)


def test_after_the_first_call_too_many_no_call_is_made() -> None:
    client = budgeted(Budget(tokens=1500), "a", "b")
    with pytest.raises(BudgetError):
        ask(client, 2000)
    with pytest.raises(BudgetError, match="used up"):
        ask(client, 600)


def test_reply_that_the_server_did_not_count_keeps_all_that_was_set_aside() -> None:
    budget = Budget(tokens=5000)
    ask(budgeted(budget, Reply("a", Usage(200, 30, estimated=True))), 900)
    assert budget.spent.tokens == 1000


@pytest.mark.parametrize(
    ("error", "spent"),
    [
        (CallError("transport", "refused at the door"), 0),
        (CallError("transport", "lost on the way", maybe_charged=True), 1000),
        (ServiceError("wrong key"), 0),
        (ValueError("a mistake of ours"), 1000),
    ],
)
def test_failed_call_costs_nothing_unless_it_may_have_been_charged(
    error: Exception, spent: int
) -> None:
    budget = Budget(tokens=1000)
    with pytest.raises(type(error)):
        ask(budgeted(budget, error), 900)
    assert budget.spent.tokens == spent
    assert budget.spent.calls == 1


def test_calls_that_are_turned_down_count_as_calls() -> None:
    budget = Budget(calls=3)
    client = budgeted(budget, *[CallError("transport", "500", worth_retrying=True)] * 9)
    for _ in range(3):
        with pytest.raises(CallError, match="500"):
            ask(client, 10)
    with pytest.raises(BudgetError, match="3 of 3 calls"):
        ask(client, 10)


def test_calls_under_way_are_committed_before_they_are_spent() -> None:
    budget = Budget(tokens=1000)

    async def reserve() -> None:
        await budget.reserve(Amount(tokens=700, calls=1))

    asyncio.run(reserve())
    assert (budget.spent.tokens, budget.committed.tokens) == (0, 700)


@dataclass
class Gate:
    """A script that holds calls back until it is opened."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    inside: int = 0
    most: int = 0


class Held(Scripted):
    """Answers each call when the gate is open."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(lambda _: Reply("a", Usage(10, 10)))
        self._gate = gate

    async def ask(self, request: Request) -> Reply:
        self._gate.inside += 1
        self._gate.most = max(self._gate.most, self._gate.inside)
        try:
            await self._gate.open.wait()
            return await super().ask(request)
        finally:
            self._gate.inside -= 1


def test_call_waits_for_room_that_calls_under_way_may_leave() -> None:
    async def run() -> None:
        gate, budget = Gate(), Budget(tokens=2500)
        client = Budgeted(Held(gate), budget, None, MOST_REPLY)
        asking = [asyncio.create_task(client.ask(request(900))) for _ in range(5)]
        await asyncio.sleep(0.01)
        assert gate.inside == 2
        gate.open.set()
        await asyncio.gather(*asking)
        assert gate.most == 2
        assert budget.spent == Amount(0, 100, 5)

    asyncio.run(run())


def test_waiting_calls_end_when_the_budget_does() -> None:
    async def run() -> None:
        gate = Gate()
        client = Budgeted(Held(gate), Budget(calls=2), None, MOST_REPLY)
        asking = [asyncio.create_task(client.ask(request(900))) for _ in range(9)]
        await asyncio.sleep(0.01)
        gate.open.set()
        ended = await asyncio.gather(*asking, return_exceptions=True)
        assert sum(isinstance(each, Reply) for each in ended) == 2
        assert sum(isinstance(each, BudgetError) for each in ended) == 7

    asyncio.run(run())


def test_cancelled_while_waiting_costs_nothing_and_holds_nobody_up() -> None:
    async def run() -> None:
        gate, budget = Gate(), Budget(tokens=1000)
        client = Budgeted(Held(gate), budget, None, MOST_REPLY)
        first, second, third = (asyncio.create_task(client.ask(request(900))) for _ in range(3))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0.01)
        assert second.cancelled()
        gate.open.set()
        with pytest.raises(BudgetError):
            await third
        assert (await first).text == "a"
        assert budget.spent == Amount(0, 20, 1)

    asyncio.run(run())


def test_cancelled_under_way_counts_as_spent_and_lets_the_others_on() -> None:
    async def run() -> None:
        gate, budget = Gate(), Budget(tokens=2000)
        client = Budgeted(Held(gate), budget, None, MOST_REPLY)
        first, second = (asyncio.create_task(client.ask(request(1200))) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        with pytest.raises(BudgetError, match="1,300 of 2,000"):
            await second
        assert budget.spent == Amount(0, 1300, 1)

    asyncio.run(run())


def test_two_clients_can_share_a_budget() -> None:
    budget = Budget(calls=1)
    ask(budgeted(budget, "a"), 900)
    with pytest.raises(BudgetError):
        ask(budgeted(budget, "b"), 900)


def test_money_without_a_price_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InputError, match=r"no price is known for 'scripted'") as caught:
        budgeted(Budget(usd=1), "a", price=None)
    assert (caught.value.code, caught.value.field) == ("no-price", "budget_usd")


def test_limit_of_nothing_is_refused() -> None:
    for limits in ({"usd": 0.0}, {"tokens": 0}, {"calls": -1}, {"usd": float("nan")}):
        with pytest.raises(InputError, match="leave it out for no limit"):
            Budget(**limits)


Ending = Literal["reply", "uncounted", "lost", "refused", "service", "cancelled"]
PRICE = Price(0.15, 0.6, long_after=800, long_input=0.3, long_output=1.2)


@dataclass(frozen=True)
class Plan:
    """How one call goes: its size, what it takes of what it may, how long, and how it ends."""

    size: int
    share: float
    steps: int
    ending: Ending


class Server(Scripted):
    """Charges as planned, and checks with each charge that no limit is passed."""

    def __init__(self, plans: list[Plan], limits: Amount) -> None:
        super().__init__(())
        self.plans = plans
        self.limits = limits
        self.money = 0.0
        self.tokens = self.calls = 0

    def charge(self, prompt: int, completion: int) -> Usage:
        self.money += PRICE.cost(prompt, completion)
        self.tokens += prompt + completion
        self.calls += 1
        assert self.money <= self.limits.money / 1e12 + 1e-12
        assert self.tokens <= self.limits.tokens
        assert self.calls <= self.limits.calls
        return Usage(prompt, completion)

    async def ask(self, request: Request) -> Reply:
        plan = self.plans[request.sample]
        for _ in range(plan.steps):
            await asyncio.sleep(0)
        if plan.ending == "refused":
            raise CallError("transport", "429", worth_retrying=True)
        if plan.ending == "service":
            raise ServiceError("no such model")
        most = plan.ending in ("uncounted", "lost", "cancelled")
        share = 1.0 if most else plan.share
        used = self.charge(int(plan.size * share), int(MOST_REPLY * share))
        if plan.ending == "lost":
            raise CallError("transport", "reset", maybe_charged=True)
        if plan.ending == "cancelled":
            await asyncio.sleep(60)
        return Reply("a", Usage(1, 1, True) if plan.ending == "uncounted" else used)


plans = st.builds(
    Plan,
    st.integers(AROUND, 1200),
    st.floats(0, 1),
    st.integers(0, 5),
    st.sampled_from(get_args(Ending)),
)


@given(
    st.lists(plans, max_size=25),
    st.floats(0.00005, 0.003),
    st.integers(1, 15_000),
    st.integers(1, 20),
)
def test_no_limit_is_ever_passed(
    calls: list[Plan], usd: float, tokens: int, most_calls: int
) -> None:
    async def run() -> None:
        budget = Budget(usd, tokens, most_calls)
        server = Server(calls, Amount(int(usd * 1e12), tokens, most_calls))
        client = Budgeted(server, budget, PRICE, MOST_REPLY)

        async def one(number: int, plan: Plan) -> None:
            content = "x" * (plan.size - AROUND)
            asked = client.ask(Request((Message("user", content),), sample=number))
            try:
                await asyncio.wait_for(asked, 0.01 if plan.ending == "cancelled" else None)
            except (CallError, ServiceError, TimeoutError):
                return

        together = (one(number, plan) for number, plan in enumerate(calls))
        await asyncio.wait_for(asyncio.gather(*together), 5)
        assert server.money - 1e-12 <= budget.spent.money / 1e12 <= usd
        assert server.tokens <= budget.spent.tokens <= tokens
        assert server.calls <= budget.spent.calls <= most_calls

    asyncio.run(run())


def test_a_used_up_budget_passes_through_retries_meter_and_reading_untouched() -> None:
    inside, meter = Scripted(["a"]), Meter()
    budgeted_client = Budgeted(inside, Budget(tokens=10), None, MOST_REPLY)
    client = Metered(Retrying(budgeted_client), meter, None)
    with pytest.raises(BudgetError, match="used up"):
        asyncio.run(ask_and_read(client, request(900), str))
    assert (inside.requests, meter.failed, meter.calls) == ([], 0, 0)


def test_what_is_set_aside_is_written_down_before_the_call_is_sent() -> None:
    budget, inside, seen = Budget(calls=2), Scripted(["a"]), []

    async def secure() -> None:
        seen.append((len(inside.requests), budget.committed.calls))

    asyncio.run(Budgeted(inside, budget, None, MOST_REPLY, secure).ask(request(900)))
    assert (seen, len(inside.requests)) == ([(0, 1)], 1)


def test_call_that_cannot_be_written_down_is_not_sent_and_spends_nothing() -> None:
    budget, inside = Budget(calls=2), Scripted(["a"])

    async def secure() -> None:
        raise InputError("the disk is full")

    with pytest.raises(InputError, match="full"):
        asyncio.run(Budgeted(inside, budget, None, MOST_REPLY, secure).ask(request(900)))
    assert (inside.requests, budget.committed) == ([], Amount())
