"""Estimates and bounds of the tokens of a request, and of what a run would cost.

No tokenizer is used: every model has its own, and most are not public. The estimate assumes four
bytes of UTF-8 per token, which is four letters of English, two of Cyrillic and one to two
characters of Chinese. The bound counts every byte as a token, since no tokenizer in use makes more
tokens of a text than that, and adds what servers put around the messages.
"""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay.core.system.notices import notify
from assay.llm.client import CONCURRENCY, Reply, Request, Setting, Usage
from assay.llm.costs.prices import Price
from assay.llm.settings.options import Endpoint, Parameters

BYTES_A_TOKEN = 4
_BYTES_A_TOKEN_AT_BEST = 5  # long plain English words
# Role names and separators around a message, and instructions that servers add, for example when
# replies follow a schema: far more than chat templates are known to add.
AROUND_A_MESSAGE = 16
AROUND_A_CALL = 512


def estimate_tokens(text: str, bytes_a_token: float = BYTES_A_TOKEN) -> int:
    """About how many tokens a text has."""
    return round(_bytes(text) / bytes_a_token)


def estimate_prompt(request: Request, bytes_a_token: float = BYTES_A_TOKEN) -> int:
    """About how many tokens a request has."""
    texts = sum(_bytes(message.content) for message in request.messages)
    size = texts + len(as_text(request.schema)) + len(as_text(request.template))
    return round(size / bytes_a_token) + 4 * len(request.messages)


def most_prompt_tokens(request: Request) -> int:
    """An upper bound on the tokens of a request."""
    texts = sum(_most_bytes(message.content) for message in request.messages)
    around = AROUND_A_CALL + AROUND_A_MESSAGE * len(request.messages)
    return texts + len(as_text(request.schema)) + len(as_text(request.template)) + around


def as_text(value: Mapping[str, Any] | None) -> str:
    """A schema, or arguments of a template, as text; the order is kept, because it matters."""
    return json.dumps(value) if value else ""


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _most_bytes(text: str) -> int:
    """The size of a text, even for a tokenizer that first normalizes it."""
    if text.isascii():
        return len(text)
    return max(_bytes(text), _bytes(unicodedata.normalize("NFKC", text)))


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """The cost of some calls in US dollars; None if the price is not known.

    `low` assumes five bytes per token and replies of half the usual length, `expected` four bytes
    and the usual length, and `high` is the most these calls can cost. Calls that are repeated,
    because a reply was unreadable or lost, come on top of all three.
    """

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    most_tokens: int = 0
    low: float | None = None
    expected: float | None = None
    high: float | None = None


class DryRun:
    """Sends nothing: answers each request with its example and counts what it would cost."""

    def __init__(self, endpoint: Endpoint, parameters: Parameters, price: Price | None) -> None:
        self.model = endpoint.name
        self.concurrency = CONCURRENCY
        self._endpoint = endpoint
        self._most_reply_tokens = parameters.max_tokens
        self._price = price
        self._calls = self._prompt = self._reply = self._most = 0
        self._low = self._expected = self._high = 0.0

    @property
    def estimate(self) -> CallEstimate:
        """All calls so far."""
        costs = (self._low, self._expected, self._high) if self._price else (None, None, None)
        return CallEstimate(self._calls, self._prompt, self._reply, self._most, *costs)

    def describe(self) -> Mapping[str, Setting]:
        """The model, and a note that it is not really asked."""
        return {"model": self.model, "base_url": self._endpoint.base_url, "dry_run": True}

    async def ask(self, request: Request) -> Reply:
        """The example of the request."""
        if not self._calls:
            endpoint = self._endpoint
            notify(f"texts would go to {endpoint.place}", from_folder=endpoint.from_folder)
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
