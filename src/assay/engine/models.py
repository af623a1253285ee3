"""The models that are asked: their replies go into a journal, with what they cost and take."""

import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from assay.core.codec import Reader, encode
from assay.core.stages import StageUses, add_stages, read_stages
from assay.detectors.protocol import Detector, uses_of
from assay.detectors.registry import DetectorSpec
from assay.llm.client import ModelClient, Numbered, Reply, Request, Setting, Wrapper
from assay.llm.connection import Connection, connect
from assay.llm.costs.budget import NOTHING, Amount, Budget
from assay.llm.costs.prices import Meter, Price
from assay.llm.settings.model_settings import settings_file_options
from assay.llm.settings.options import Options
from assay.store.journal import Journal
from assay.store.reply_cache import open_server_replies

SAMPLING = 0.7  # the temperature of votes over samples; at 0 they would all be the same

_TRILLION = 10**12  # budgets count money in trillionths of a dollar
_COUNTS = tuple(each.name for each in fields(Meter))
_replies = Reader(Reply)


class RunUsage:
    """Counts on from where earlier sessions ended."""

    def __init__(self) -> None:
        self._paid = Meter()
        self._free = Meter()  # cached and failed calls of earlier sessions
        self._connections: list[Connection] = []
        self._detectors: tuple[Detector, ...] = ()
        self._stages: StageUses = ()  # of earlier sessions
        self._seconds = 0.0
        self._began = time.monotonic()
        self._uncounted = NOTHING  # spent by earlier sessions on calls that were not answered
        self._others = NOTHING  # committed of the same budget, by other work

    def go_on(self, earlier: Mapping[str, Any]) -> None:
        """Adds what earlier sessions used; of a shared budget, that much is spent."""
        self._paid = Meter(**{name: earlier.get(name, getattr(Meter(), name)) for name in _COUNTS})
        self._free = Meter(cached=self._paid.cached, failed=self._paid.failed)
        self._seconds = earlier.get("seconds", 0.0)
        self._stages = read_stages(earlier.get("stages", ()))
        self._began = time.monotonic()
        before = _most(self._answered, earlier.get("spent", (0, 0, 0)))
        self._uncounted = before - self._answered
        for budget in self._budgets():
            self._others = budget.committed
            budget.spent += before

    def watch(self, connection: Connection) -> None:
        """Counts also what this connection answers from a cache or not at all."""
        self._connections.append(connection)

    def watch_stages(self, *detectors: Detector) -> None:
        """Measures also the work of the parts of these detectors, which are all of one kind."""
        self._detectors = detectors

    @property
    def stages(self) -> StageUses:
        """The work of each part of the detector over all sessions; nothing where it has none."""
        found = self._stages
        for detector in self._detectors:
            found = add_stages(found, uses_of(detector))
        return found

    def pay(self, reply: Reply, price: Price | None) -> None:
        """Counts a reply that was paid for."""
        self._paid.add(reply, price)

    def record(self) -> dict[str, Any]:
        """Everything so far as plain JSON values."""
        meters = [connection.meter for connection in self._connections]
        counts: dict[str, Any] = {name: getattr(self._paid, name) for name in _COUNTS}
        counts["cached"] = self._free.cached + sum(meter.cached for meter in meters)
        counts["failed"] = self._free.failed + sum(meter.failed for meter in meters)
        counts["seconds"] = round(self._seconds + time.monotonic() - self._began, 3)
        spent = self.spent
        counts["spent"] = [spent.money, spent.tokens, spent.calls]
        if stages := self.stages:
            counts["stages"] = [each.to_dict() for each in stages]
        return counts

    @property
    def spent(self) -> Amount:
        """The most that all sessions have spent: calls that were cut off may have been charged.

        A session without a budget knows only what was answered.
        """
        for budget in self._budgets():
            return budget.committed - self._others
        return self._answered + self._uncounted

    def describe(self) -> str:
        """The calls of this session and their cost, in words; empty where no model was asked."""
        meters = [connection.meter for connection in self._connections]
        calls, failed = (sum(getattr(each, n) for each in meters) for n in ("calls", "failed"))
        if not calls and not failed:
            return ""
        tokens = sum(meter.prompt_tokens + meter.completion_tokens for meter in meters)
        cost = self.session_cost
        money = "unknown" if cost is None else f"${cost:.4f}"
        note = f", {failed:,} failed" if failed else ""
        return f"{calls:,} calls{note}, {tokens:,} tokens, cost {money}"

    @property
    def session_cost(self) -> float | None:
        """US dollars of this session; None where a price is not known."""
        costs = [connection.meter.cost for connection in self._connections]
        return None if None in costs else sum(cost for cost in costs if cost)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Settings that the servers reject, and what was sent instead."""
        told = (each for connection in self._connections for each in connection.adaptations)
        return tuple(dict.fromkeys(told))

    @property
    def _answered(self) -> Amount:
        """The cost of the replies of all sessions."""
        paid = self._paid
        money = round((paid.cost or 0.0) * _TRILLION)
        return Amount(money, paid.prompt_tokens + paid.completion_tokens, paid.calls)

    def _budgets(self) -> list[Budget]:
        """The one budget that all connections share, if there is one."""
        return [each.budget for each in self._connections[:1] if each.budget]


def may_be_charged(record: Mapping[str, Any]) -> bool:
    """True if a run may have cost something, or has used up some of a budget."""
    return bool(record.get("calls")) or any(record.get("spent", ()))


def _most(answered: Amount, kept: Sequence[int]) -> Amount:
    """The spending of earlier sessions; earlier versions without a budget kept no such record."""
    counted = (answered.money, answered.tokens, answered.calls)
    return Amount(*map(max, kept, counted))


@dataclass(slots=True)
class SharedBudget:
    """The one budget of all models that a command asks; the first of them brings its limits."""

    budget: Budget | None = None


class ModelPool:
    """A client for each model; all share one budget and, once it is attached, one journal."""

    def __init__(
        self,
        models: Sequence[str],
        options: Options,
        *,
        budget: SharedBudget | None = None,
        usage: RunUsage | None = None,
    ) -> None:
        """The models, asked with these options; budget and usage may be shared with others."""
        self.usage = usage or RunUsage()
        self._kept: list[KeptReplies] = []
        self._budget = budget or SharedBudget()
        self._stack: AsyncExitStack | None = None
        self._connections: list[Connection] = []
        self.clients = tuple(self._connect(model, options) for model in models)

    @classmethod
    def of(cls, spec: DetectorSpec, budget: SharedBudget | None = None) -> "ModelPool":
        """The models of a detector; none for one that needs no model."""
        if not spec.capabilities.asks_model:
            return cls((), spec.options)
        return cls(spec.models or ("",), sampling(spec), budget=budget)

    @property
    def models(self) -> tuple[str, ...]:
        """The models as the user names them."""
        return tuple(client.model for client in self.clients)

    @property
    def workers(self) -> int:
        """The number of calls that may be under way at the same time."""
        return max((client.concurrency for client in self.clients), default=1)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Settings that the servers of these models reject, and what was sent instead."""
        told = (each for connection in self._connections for each in connection.adaptations)
        return tuple(dict.fromkeys(told))

    def describe(self, voters: int = 1) -> dict[str, Setting]:
        """The descriptions of all clients: one if they are the same, otherwise numbered."""
        said = [client.describe() for client in self.clients]
        if not said:
            return {}
        if any(each != said[0] for each in said):
            return {f"{n}. {name}": each[name] for n, each in enumerate(said, 1) for name in each}
        return {**said[0], "voters": voters} if voters > 1 else dict(said[0])

    def attach(self, journal: Journal) -> None:
        """Goes on with what a journal has: its replies, its costs and its budget."""
        if journal.measure != self.usage.record:  # another pool beside this one may have done it
            self.usage.go_on(journal.fact("usage", {}))
            journal.measure = self.usage.record
        for each in self._kept:
            each.journal = journal

    def asking_again(self, attempt: int) -> tuple[ModelClient, ...]:
        """The same clients, which do not give an earlier reply back."""
        return tuple(Numbered(client, attempt=attempt) for client in self.clients)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for client in self.clients:
                await stack.enter_async_context(client)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error: Any) -> None:
        if self._stack:
            await self._stack.__aexit__(*error)

    def _connect(self, model: str, options: Options) -> ModelClient:
        kept = KeptReplies(self.usage)
        connection = connect(
            model,
            options,
            replies=kept,
            budget=self._budget.budget,
            secure=kept.secure,
            open_texts=open_server_replies,
        )
        kept.price = connection.settings.price
        self._kept.append(kept)
        self._budget.budget = connection.budget
        self.usage.watch(connection)
        self._connections.append(connection)
        return OnDisk(connection, kept)


class KeptReplies:
    """The replies of one model in a journal; nothing is kept until there is one."""

    def __init__(self, usage: RunUsage) -> None:
        self.price: Price | None = None
        self.journal: Journal | None = None
        self._usage = usage

    def get(self, key: str) -> Reply | None:
        found = self.journal.find_reply(key) if self.journal else None
        return None if found is None else replace(_replies.read(found, "a reply"), cached=True)

    def put(self, key: str, reply: Reply) -> None:
        """Keeps a reply and what it cost."""
        if reply.cached:
            return  # it is from the user's own cache, where it stays
        self._usage.pay(reply, self.price)
        if self.journal:
            self.journal.add_reply(key, encode(reply).decode())

    async def secure(self) -> None:
        """Waits until what is set aside of the budget is on disk, with all else that was used."""
        if self.journal:
            self.journal.touch()
            await self.journal.written()


class OnDisk(Wrapper):
    """Lets a reply reach the disk before it is used."""

    def __init__(self, client: ModelClient, kept: KeptReplies) -> None:
        super().__init__(client)
        self._kept = kept

    async def ask(self, request: Request) -> Reply:
        reply = await self.client.ask(request)
        if not reply.cached and self._kept.journal:
            await self._kept.journal.written()
        return reply


def sampling(spec: DetectorSpec) -> Options:
    """The options of a detector; votes over samples vary, unless the user said how."""
    options = spec.options
    if (
        spec.votes == 1
        or options.temperature is not None
        or "temperature" in settings_file_options()
    ):
        return options
    return replace(options, temperature=SAMPLING)
