"""Calls with the time that each takes, in rounds of several at the same time."""

import asyncio
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Self

from assay.llm.calls.http import HttpClient
from assay.llm.client import CallError, ModelClient, Reply, Request, Usage, Wrapper
from assay.llm.costs.estimates import estimate_prompt


@dataclass(frozen=True, slots=True)
class FigureSpread:
    """The median of some figures, the least and the greatest of them, and how many they are."""

    median: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Self | None:
        """None if there are no figures."""
        found = list(values)
        if not found:
            return None
        return cls(statistics.median(found), min(found), max(found), len(found))


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A call that was answered; `known` tokens of its prompt the server had already, if it says.

    `expected` is our estimate of the tokens of the prompt.
    """

    seconds: float
    usage: Usage
    known: int | None = None
    cut_off: bool = False
    expected: int = 0

    @property
    def is_shortened(self) -> bool:
        """True if the server counts under half of the tokens that the prompt should have."""
        return not self.usage.estimated and self.usage.prompt < self.expected / 2


@dataclass(frozen=True, slots=True)
class TimedRound:
    """Calls made with so many at the same time, from the first sent to the last answered."""

    concurrency: int
    seconds: float
    calls: tuple[TimedCall, ...]
    failures: tuple[CallError, ...] = ()

    @property
    def calls_per_second(self) -> float:
        return len(self.calls) / self.seconds

    @property
    def prompt_tokens_per_second(self) -> float:
        return sum(each.usage.prompt for each in self.calls) / self.seconds

    @property
    def reply_tokens_per_second(self) -> float:
        return sum(each.usage.completion for each in self.calls) / self.seconds


class TimedClient(Wrapper):
    """Keeps the time of each call that is answered."""

    def __init__(self, client: HttpClient) -> None:
        super().__init__(client)
        self._http = client
        self.calls: list[TimedCall] = []

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Settings that the server rejects, and what was sent instead, in short sentences."""
        return self._http.adaptations

    async def ask(self, request: Request) -> Reply:
        """Asks once; what fails is not kept."""
        begun = perf_counter()
        reply, data = await self._http.exchange(request)
        seconds = perf_counter() - begun
        self.calls.append(
            TimedCall(
                seconds,
                reply.usage,
                known_tokens(data),
                reply.finish == "length",
                estimate_prompt(request),
            )
        )
        return reply


async def ask_round(
    client: ModelClient, timed: TimedClient, requests: Iterable[Request], concurrency: int
) -> TimedRound:
    """Asks all of them, with so many calls under way at any time; each is asked once."""
    waiting, failures, before = iter(requests), list[CallError](), len(timed.calls)
    begun = perf_counter()
    workers = [asyncio.create_task(_work(client, waiting, failures)) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    seconds = perf_counter() - begun
    return TimedRound(concurrency, seconds, tuple(timed.calls[before:]), tuple(failures))


async def _work(client: ModelClient, waiting: Iterator[Request], failures: list[CallError]) -> None:
    for request in waiting:
        try:
            await client.ask(request)
        except CallError as error:
            failures.append(error)


def known_tokens(data: Mapping[str, Any]) -> int | None:
    """The tokens of a prompt that its server had in a cache, if it says so.

    OpenAI's field comes first; llama.cpp also has one of its own.
    """
    usage, timings = data.get("usage"), data.get("timings")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    found = details.get("cached_tokens") if isinstance(details, dict) else None
    if found is None and isinstance(timings, dict):
        found = timings.get("cache_n")
    return found if type(found) is int and found >= 0 else None


def known_share(calls: Iterable[TimedCall]) -> FigureSpread | None:
    """The shares of prompts that their server had already, where it says so."""
    return FigureSpread.of(
        each.known / each.usage.prompt for each in calls if each.known is not None
    )


def percentile(values: Iterable[float], share: float) -> float:
    """The least value that this share of all values does not exceed."""
    found = sorted(values)
    return found[max(0, math.ceil(share * len(found)) - 1)]
