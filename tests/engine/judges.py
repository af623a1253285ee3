"""A judge of sentences that asks once for each, and clients that do not answer at once."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.protocol import Capabilities, concurrently, judgement_of
from assay.llm.client import CallError, Message, ModelClient, Reply, Request, Wrapper
from assay.text.sentences import response_unit, sentence_units

GOOD = "explicitly-supported"
WORKERS = 4
AUTHOR = Author("asking")


@dataclass(frozen=True)
class Asking:
    """Asks for the label of each unit, in its own words."""

    client: ModelClient
    unit_kind: UnitKind = "sentence"
    author: Author = AUTHOR
    prompt_digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(self.unit_kind, GRAY7, asks_model=True)

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        return concurrently(examples, self._judge, WORKERS)

    async def _judge(self, example: Example) -> Judgement:
        is_whole = self.unit_kind == "response"
        units = (response_unit(example),) if is_whole else sentence_units(example)
        findings = [Finding(unit, await self._ask(unit)) for unit in units]
        return judgement_of(example, self.author, findings)

    async def _ask(self, unit: Unit) -> Outcome:
        try:
            reply = await self.client.ask(Request((Message("user", unit.text),)))
        except CallError as error:
            return Failure(unit.id, error.reason, error.detail, error.raw)
        return Verdict(unit.id, GRAY7[reply.text])


class Slow(Wrapper):
    """Waits for a moment before it asks, and counts how many wait at once."""

    waiting = 0
    most = 0

    async def ask(self, request: Request) -> Reply:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await asyncio.sleep(0.002)
        self.waiting -= 1
        return await self.client.ask(request)


class Backwards(Wrapper):
    """Of each few questions, answers the last one first."""

    def __init__(self, client: ModelClient) -> None:
        super().__init__(client)
        self._waiting: list[asyncio.Event] = []

    async def ask(self, request: Request) -> Reply:
        turn = asyncio.Event()
        self._waiting.append(turn)
        if len(self._waiting) < WORKERS:
            asyncio.get_running_loop().call_later(0.01, self._answer)
        else:
            self._answer()
        await turn.wait()
        return await self.client.ask(request)

    def _answer(self) -> None:
        if self._waiting:
            self._waiting.pop().set()
            asyncio.get_running_loop().call_soon(self._answer)


class Stuck(Wrapper):
    """Answers so many questions; the others wait for ever, and take a while to end."""

    def __init__(self, client: ModelClient, most: int) -> None:
        super().__init__(client)
        self.left = most
        self.under_way = 0

    async def ask(self, request: Request) -> Reply:
        self.left -= 1
        self.under_way += 1
        try:
            if self.left < 0:
                await asyncio.sleep(3600)
            return await self.client.ask(request)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
            raise
        finally:
            self.under_way -= 1
