"""A budget that is never passed: each call is set aside in full before it is sent.

What a call will cost is not known before it is answered, but what it can cost at most is. That
much is reserved, and when the reply is there, only what it really cost is kept. Where calls under
way leave no room, a call waits for them. Where there is no room with nothing under way, it fails,
and from then on every call does. Only a server that counts more than it was allowed can pass it.
"""

import asyncio
import math
from dataclasses import dataclass

from assay.core.errors import InputError, ServiceError
from assay.llm.client import CallError, Client, Reply, Request, Wrapper
from assay.llm.costs import Price
from assay.llm.estimates import most_prompt_tokens
from assay.llm.retry import uncounted

_UNITS = 10**12  # money is counted in whole units of this part of a dollar, so that sums are exact


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
SENT = Amount(calls=1)  # what is turned down costs nothing, but it was a call


class Budget:
    """Limits, what was spent of them, and what is set aside for calls under way.

    Several clients may share one. None is no limit.
    """

    def __init__(
        self, usd: float | None = None, tokens: int | None = None, calls: int | None = None
    ) -> None:
        if any(limit is not None and not limit > 0 for limit in (usd, tokens, calls)):
            raise InputError("budget must be more than 0; leave it out for no limit")
        self.usd = usd
        self.tokens = tokens
        self.calls = calls
        self.spent = NOTHING
        self._reserved = NOTHING
        self._waiting: list[asyncio.Future[None]] = []
        self._over: str = ""

    @property
    def spent_usd(self) -> float:
        """US dollars spent, as far as prices are known."""
        return self.spent.money / _UNITS

    @property
    def committed(self) -> Amount:
        """What was spent, and what calls under way may still cost."""
        return self.spent + self._reserved

    async def reserve(self, most: Amount) -> None:
        """Sets aside what a call can cost at most, as soon as there is room for it."""
        while not self._over:
            problem = self._no_room(most)
            if not problem:
                self._reserved += most
                return
            if self._reserved.calls:
                await self._next_settlement()
            else:
                self._over = problem
        raise CallError("budget", self._over)

    def settle(self, most: Amount, spent: Amount) -> None:
        """Gives back what was set aside for a call, less what it cost."""
        self._reserved -= most
        self.spent += spent
        self._wake()

    def _no_room(self, most: Amount) -> str:
        """Which limit the call could pass; empty if none."""
        total = self.spent + self._reserved + most
        if self.usd is not None and total.money > math.floor(self.usd * _UNITS):
            spent, could = self.spent.money / _UNITS, most.money / _UNITS
            return _over(f"${spent:.4f} of ${self.usd:g}", f"cost up to ${could:.4f}", "usd")
        if self.tokens is not None and total.tokens > self.tokens:
            spent_tokens = f"{self.spent.tokens:,} of {self.tokens:,} tokens"
            return _over(spent_tokens, f"take up to {most.tokens:,}", "tokens")
        if self.calls is not None and total.calls > self.calls:
            return _over(f"{self.spent.calls:,} of {self.calls:,} calls", "be one more", "calls")
        return ""

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
    """Asks only what the budget has room for."""

    def __init__(
        self, client: Client, budget: Budget, price: Price | None, most_reply_tokens: int
    ) -> None:
        super().__init__(client)
        if budget.usd is not None and price is None:
            raise InputError(
                f"no price is known for '{client.model}', so a budget in dollars cannot be kept: "
                "give its price in a file with --prices, or use --budget-tokens"
            )
        self.budget = budget
        self._price = price
        self._most_reply_tokens = most_reply_tokens

    async def ask(self, request: Request) -> Reply:
        """Sets aside, asks, and settles."""
        most = self._amount(most_prompt_tokens(request), self._most_reply_tokens)
        await self.budget.reserve(most)
        spent = most  # unless it is known to be less: a call cut off may have been answered
        try:
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


def _over(spent: str, could: str, option: str) -> str:
    return (
        f"the budget is used up: {spent} are spent, and this call could {could}; "
        f"raise --budget-{option} to go on"
    )
