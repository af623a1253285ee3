"""A budget that is never exceeded: the most a call can cost is set aside before it is sent.

The cost of a call is known only once it is answered, but its upper bound is known before. That much
is reserved, and when the reply arrives, only the actual cost is kept. While calls under way leave
no room, a call waits for them. If there is no room with nothing under way, it raises `BudgetError`,
and so does every call after it. Only a server that reports more tokens than it was allowed to use
can exceed a budget.

A process can be killed while calls are under way. Before a call is sent, `Secure` writes down what
is set aside, so that it still counts when the work goes on.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assay.core.errors import BudgetError, InputError, ServiceError
from assay.llm.calls.retry import uncounted
from assay.llm.client import CallError, ModelClient, Reply, Request, Wrapper
from assay.llm.costs.estimates import most_prompt_tokens
from assay.llm.costs.prices import Price

Secure = Callable[[], Awaitable[None]]  # returns once all that is set aside has been written down

_UNITS = 10**12  # money is counted in whole units of this fraction of a dollar: sums are exact


@dataclass(frozen=True, slots=True)
class Amount:
    """Money in trillionths of a dollar, tokens and calls."""

    money: int = 0
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.money + other.money, self.tokens + other.tokens, self.calls + other.calls
        )

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(
            self.money - other.money, self.tokens - other.tokens, self.calls - other.calls
        )


NOTHING = Amount()
SENT = Amount(calls=1)  # a rejected call costs nothing, but it was a call


class Budget:
    """Limits, what has been spent, and what is set aside for calls under way.

    Several clients may share one. None means no limit.
    """

    def __init__(
        self, usd: float | None = None, tokens: int | None = None, calls: int | None = None
    ) -> None:
        for name, limit in (("usd", usd), ("tokens", tokens), ("calls", calls)):
            if limit is not None and not limit > 0:
                field = f"budget_{name}"
                problem = f"{field} must be more than 0, not {limit:g}; leave it out for no limit"
                raise InputError(problem, field=field)
        self.usd = usd
        self.tokens = tokens
        self.calls = calls
        self.spent = NOTHING
        self._reserved = NOTHING
        self._waiting: list[asyncio.Future[None]] = []
        self._exhausted: tuple[str, str] | None = None  # the field of the limit, and a message

    @property
    def committed(self) -> Amount:
        """All that was spent, and all that calls under way may still cost."""
        return self.spent + self._reserved

    async def reserve(self, most: Amount) -> None:
        """Sets aside the most that a call can cost, as soon as there is room for it."""
        while not self._exhausted:
            problem = self._no_room(most)
            if not problem:
                self._reserved += most
                return
            if self._reserved.calls:
                await self._next_settlement()
            else:
                self._exhausted = problem
        field, message = self._exhausted
        raise BudgetError(message, field=field)

    def settle(self, most: Amount, spent: Amount) -> None:
        """Releases what was set aside for a call and keeps what it cost."""
        self._reserved -= most
        self.spent += spent
        self._wake()

    def _no_room(self, most: Amount) -> tuple[str, str] | None:
        """The limit that the call could exceed, and how; None if there is room."""
        total = self.spent + self._reserved + most
        if self.usd is not None and total.money > math.floor(self.usd * _UNITS):
            spent, could = self.spent.money / _UNITS, most.money / _UNITS
            next_call = f", and the next call could cost up to ${could:.4f}"
            return _used_up("usd", f"${spent:.4f} of ${self.usd:g} spent{next_call}")
        if self.tokens is not None and total.tokens > self.tokens:
            next_call = f", and the next call could use up to {most.tokens:,}"
            used = f"{self.spent.tokens:,} of {self.tokens:,} tokens used"
            return _used_up("tokens", used + next_call)
        if self.calls is not None and total.calls > self.calls:
            return _used_up("calls", f"{self.spent.calls:,} of {self.calls:,} calls made")
        return None

    async def _next_settlement(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        with uncounted():
            await turn

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)


class Budgeted(Wrapper):
    """Makes only the calls that the budget has room for."""

    def __init__(
        self,
        client: ModelClient,
        budget: Budget,
        price: Price | None,
        most_reply_tokens: int,
        secure: Secure | None = None,
    ) -> None:
        super().__init__(client)
        if budget.usd is not None and price is None:
            raise InputError(
                f"a budget in dollars cannot be kept: no price is known for '{client.model}'",
                field="budget_usd",
                code="no-price",
            )
        self.budget = budget
        self._price = price
        self._most_reply_tokens = most_reply_tokens
        self._secure = secure

    async def ask(self, request: Request) -> Reply:
        """Reserves, has that written down, asks and settles."""
        most = self._amount(most_prompt_tokens(request), self._most_reply_tokens)
        await self.budget.reserve(most)
        spent = NOTHING
        try:
            if self._secure:
                await self._secure()
            spent = most  # unless it is known to be less: a call cut off may have been answered
            reply = await self.client.ask(request)
            if not reply.usage.estimated:
                spent = self._amount(reply.usage.prompt, reply.usage.completion)
            return reply
        except CallError as error:
            spent = most if error.maybe_charged else SENT
            raise
        except ServiceError:
            spent = SENT
            raise
        finally:
            self.budget.settle(most, spent)

    def _amount(self, prompt: int, completion: int) -> Amount:
        usd = self._price.cost(prompt, completion) if self._price else 0.0
        return Amount(math.ceil(usd * _UNITS), prompt + completion, 1)


def _used_up(name: str, how: str) -> tuple[str, str]:
    return f"budget_{name}", f"the budget is used up: {how}"
