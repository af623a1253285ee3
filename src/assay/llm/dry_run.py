"""What a run would cost, found by making it without sending anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from assay.llm.client import Setting
from assay.llm.endpoints import Endpoint, Parameters
from assay.llm.prices import Price
from assay.llm.requests import Reply, Request, Usage
from assay.llm.tokens import estimate_prompt, most_prompt_tokens

_BYTES_A_TOKEN_AT_BEST = 5  # long plain English words


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some calls would take; money in US dollars, and None where no price is known.

    `low` takes five bytes a token and replies of half the usual length, `expected` four bytes and
    the usual length, and `high` is what these calls cannot pass. Questions that are asked again
    because a reply cannot be read, or was lost on its way, come on top of all three.
    """

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    most_tokens: int = 0
    low: float | None = None
    expected: float | None = None
    high: float | None = None


class DryRun:
    """Sends nothing: it answers with each request's example and counts what it would take."""

    def __init__(self, endpoint: Endpoint, parameters: Parameters, price: Price | None) -> None:
        self.model = endpoint.name
        self._endpoint = endpoint
        self._most_reply_tokens = parameters.max_tokens
        self._price = price
        self._calls = self._prompt = self._reply = self._most = 0
        self._low = self._expected = self._high = 0.0

    @property
    def estimate(self) -> Estimate:
        """All calls so far."""
        costs = (self._low, self._expected, self._high) if self._price else (None, None, None)
        return Estimate(self._calls, self._prompt, self._reply, self._most, *costs)

    def describe(self) -> Mapping[str, Setting]:
        """The model, and that it is not really asked."""
        return {"model": self.model, "base_url": self._endpoint.base_url, "dry_run": True}

    async def ask(self, request: Request) -> Reply:
        """The example of the request."""
        prompt = estimate_prompt(request)
        reply = min(request.reply_tokens, self._most_reply_tokens)
        self._count(request, prompt, reply)
        return Reply(request.example, Usage(prompt, reply, estimated=True))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def _count(self, request: Request, prompt: int, reply: int) -> None:
        most_prompt, most_reply = most_prompt_tokens(request), self._most_reply_tokens
        self._calls += 1
        self._prompt += prompt
        self._reply += reply
        self._most += most_prompt + most_reply
        if self._price:
            least = estimate_prompt(request, _BYTES_A_TOKEN_AT_BEST)
            self._low += self._price.cost(least, reply // 2)
            self._expected += self._price.cost(prompt, reply)
            self._high += self._price.cost(most_prompt, most_reply)
