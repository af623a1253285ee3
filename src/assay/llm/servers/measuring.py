"""The steps of a bench, within its time and its budget."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from assay.core.errors import BudgetError, InputError, ServiceError
from assay.core.results import count_of
from assay.core.system.notices import notify
from assay.llm.calls.http import HttpClient
from assay.llm.client import CallError, Reply, Request
from assay.llm.costs.budget import Budget, Budgeted
from assay.llm.servers.features import (
    Features,
    PrefixCache,
    keeps_to_schema,
    probability_question,
    schema_questions,
)
from assay.llm.servers.levels import ROUNDS, PaceLevel, grows
from assay.llm.servers.listing import listed_models
from assay.llm.servers.results import ServerBench
from assay.llm.servers.timing import TimedCall, TimedClient, TimedRound, ask_round
from assay.llm.settings.model_settings import ModelSettings

LARGEST = 512  # calls at the same time
PAIRS = 4
_LEAST = 4  # calls of a round
_FEATURE = 48  # tokens, for replies of a dozen


class BenchQuestions(Protocol):
    """BenchQuestions of a judge, each about texts that were not asked about before."""

    async def pair(self) -> tuple[Request, Request]:
        """About two responses to one new source."""

    async def several(self, count: int) -> list[Request]:
        """About source after source, with several responses to each."""


def size_of_round(concurrency: int) -> int:
    """The calls of a round: two for each place, so that few places are empty at its end."""
    return max(_LEAST, 2 * concurrency)


def plan_levels(wanted: Sequence[int]) -> tuple[int, ...]:
    """The concurrencies to measure, as far as time and calls suffice."""
    return tuple(wanted) or tuple(2**n for n in range(LARGEST.bit_length()))


@dataclass(frozen=True, slots=True)
class BenchLimits:
    """The levels that are wanted, if any are, the seconds for all of it, and the most calls."""

    wanted: tuple[int, ...]
    seconds: float
    calls: int


class ServerMeasuring:
    """One bench of one server."""

    def __init__(
        self, settings: ModelSettings, questions: BenchQuestions, detector: str, limits: BenchLimits
    ) -> None:
        self._settings = settings
        self._questions = questions
        self._detector = detector
        self._limits = limits
        self._budget = Budget(settings.budget_usd, settings.budget_tokens, limits.calls)
        self._timed, self._client = self._clients(settings.parameters.max_tokens)
        self._timed_short, self._short = self._clients(1)
        self._timed_features, self._asked = self._clients(_FEATURE)
        self._features = Features()
        self._pairs: list[tuple[TimedCall, TimedCall]] = []
        self._levels: list[PaceLevel] = []
        self._lost: list[str] = []

    def _clients(self, longest: int) -> tuple[TimedClient, Budgeted]:
        settings = self._settings
        parameters = replace(settings.parameters, max_tokens=longest)
        timed = TimedClient(HttpClient(settings.endpoint, parameters, timeout=settings.timeout))
        return timed, Budgeted(timed, self._budget, settings.price, longest)

    async def measure(self) -> ServerBench:
        """All of it; raises if the server cannot be asked, or too little is answered."""
        async with self._client, self._short, self._asked:
            try:
                async with asyncio.timeout(self._limits.seconds):
                    await self._begin()
                    await self._look_at_features()
                    await self._look_at_cache()
                    ended = await self._climb()
            except TimeoutError:
                ended = f"the {self._limits.seconds:g} s were over"
            except BudgetError as error:
                ended = str(error)
        if not self._levels and not self._lost:
            calls = count_of(self._budget.spent.calls, "call")
            problem = f"too little was answered to measure the server, in {calls}: {ended}"
            raise ServiceError(problem, field="seconds")
        return ServerBench(
            self._settings.endpoint,
            self._detector,
            self._settings.parameters.max_tokens,
            self._budget.spent.calls,
            self._features,
            PrefixCache(tuple(self._pairs)),
            tuple(self._levels),
            tuple(self._lost),
            ended,
        )

    async def _begin(self) -> None:
        """The first call, which is not measured: the server may have to load the model."""
        first, _ = await self._questions.pair()
        try:
            await self._short.ask(first)
        except CallError as error:
            raise ServiceError(f"nothing was measured: {error.detail}") from None
        except ServiceError as error:
            if error.code == "unknown-model":
                await self._name_models()
            raise

    async def _name_models(self) -> None:
        """Raises with the models that the server has, if it lists them."""
        endpoint = self._settings.endpoint
        if names := await listed_models(endpoint):
            problem = f"the server has no model '{endpoint.model}'; it has {', '.join(names)}"
            raise InputError(problem, field="model") from None

    async def _look_at_features(self) -> None:
        asked = schema_questions()
        kept = [keeps_to_schema(reply) for each in asked if (reply := await self._reply(each))]
        said = await self._reply(probability_question())
        tokens = said.tokens if said else ()
        self._features = Features(
            sum(kept),
            len(kept),
            bool(tokens) if said else None,
            max((len(each.alternatives) for each in tokens), default=0),
            self._timed_features.adaptations,
        )

    async def _reply(self, request: Request) -> Reply | None:
        """None if the call failed, which says nothing about what it asked for."""
        try:
            return await self._asked.ask(request)
        except CallError:
            return None

    async def _look_at_cache(self) -> None:
        for _ in range(PAIRS):
            pair = await self._questions.pair()
            done = await ask_round(self._short, self._timed_short, pair, 1)
            self._lost += [f"{error.reason}: {error.detail}" for error in done.failures]
            if len(done.calls) == 2:
                self._pairs.append((done.calls[0], done.calls[1]))

    async def _climb(self) -> str:
        """Measures level after level; why it ended."""
        for concurrency in plan_levels(self._limits.wanted):
            notify(f"measuring with {concurrency} at the same time")
            for _ in range(ROUNDS):
                size = size_of_round(concurrency)
                if self._budget.spent.calls + size > self._limits.calls:
                    return f"the next round would exceed {self._limits.calls:,} calls"
                requests = await self._questions.several(size)
                self._add(await ask_round(self._client, self._timed, requests, concurrency))
            if self._levels[-1].failures:
                return "calls failed"
            if not self._limits.wanted and not grows(self._levels):
                return "more at the same time were no faster"
        return "all that was wanted is measured"

    def _add(self, done: TimedRound) -> None:
        """Adds a round to its level."""
        if self._levels and self._levels[-1].concurrency == done.concurrency:
            done_before = self._levels.pop().rounds
            self._levels.append(PaceLevel(done.concurrency, (*done_before, done)))
        else:
            self._levels.append(PaceLevel(done.concurrency, (done,)))
