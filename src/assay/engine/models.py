"""The models that are asked: their replies go into a journal, with what they cost."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, Self

from assay.core.codec import Reader, encode
from assay.detectors.registry import DetectorSpec
from assay.engine.usage import RunUsage
from assay.llm.client import Client, Numbered, Reply, Request, Setting, Wrapper
from assay.llm.connection import Connection, connect
from assay.llm.costs.budget import Budget
from assay.llm.costs.prices import Price
from assay.llm.settings.model_settings import settings_file_options
from assay.llm.settings.options import Options
from assay.store.journal import Journal

SAMPLING = 0.7  # the temperature of votes over samples; at 0 they would all be the same

_replies = Reader(Reply)


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

    def asking_again(self, attempt: int) -> tuple[Client, ...]:
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

    def _connect(self, model: str, options: Options) -> Client:
        kept = KeptReplies(self.usage)
        connection = connect(
            model, options, replies=kept, budget=self._budget.budget, secure=kept.secure
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

    def __init__(self, client: Client, kept: KeptReplies) -> None:
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
