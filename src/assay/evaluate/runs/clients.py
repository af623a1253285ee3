"""The models of a run: their replies go into its file, with what they cost."""

import asyncio
from contextvars import ContextVar

from assay.checking.loading import JudgeChoice
from assay.evaluate.runs.usage import RunUsage
from assay.evaluate.runs.writer import Writer
from assay.llm.budget import Budget
from assay.llm.cache import SqliteReplies
from assay.llm.client import CallError, Client, Numbered, Reply, Request, Wrapper
from assay.llm.connection import connect
from assay.llm.costs import Price
from assay.llm.options import Options

# What stopped calls for the example at hand: a vote may hide from its outcome that some were.
_stops: ContextVar[list[str] | None] = ContextVar("stops", default=None)


class RunClients:
    """A client for each model; all share one budget and, once a run is open, its file."""

    def __init__(self, choice: JudgeChoice) -> None:
        self.usage = RunUsage()
        self.workers = 1
        self._replies: list[RunReplies] = []
        self._budget: Budget | None = None
        self.clients = choice.connect_all(self._connect) if choice.asks_model else ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models as the user names them."""
        return tuple(client.model for client in self.clients)

    def open(self, writer: Writer) -> None:
        """Goes on with what a run has: its replies, its costs and its budget."""
        self.usage.go_on(writer.journal.fact("usage", {}))
        for replies in self._replies:
            replies.open(writer)

    def asking_again(self, attempt: int) -> tuple[Client, ...]:
        """The same clients, which do not give an earlier reply back."""
        return tuple(Numbered(client, attempt=attempt) for client in self.clients)

    def _connect(self, model: str, options: Options) -> Client:
        replies = RunReplies(self.usage)
        connection = connect(model, options, replies=replies, budget=self._budget)
        replies.price = connection.settings.price
        self._replies.append(replies)
        self._budget = connection.budget
        self.workers = max(self.workers, connection.settings.concurrency)
        self.usage.watch(connection)
        return Watched(connection)


class RunReplies:
    """The replies of one model in the file of a run; empty until the run is open."""

    def __init__(self, usage: RunUsage) -> None:
        self.price: Price | None = None
        self._usage = usage
        self._writer: Writer | None = None
        self._kept: SqliteReplies | None = None

    def open(self, writer: Writer) -> None:
        """Keeps replies there from now on."""
        self._writer = writer
        self._kept = SqliteReplies(writer.journal.connection)

    def get(self, key: str) -> Reply | None:
        """The reply under a key, if there is one."""
        return self._kept.get(key) if self._kept else None

    def put(self, key: str, reply: Reply) -> None:
        """Keeps a reply and what it cost, at once or not at all."""
        if self._writer is None or self._kept is None or reply.cached:
            return  # a cached one is from the user's own cache, where it stays
        self._writer.begin()
        self._kept.put(key, reply)
        self._usage.pay(reply, self.price)


class Watched(Wrapper):
    """Lets replies reach the disk before they are used, and tells what the budget did not allow."""

    async def ask(self, request: Request) -> Reply:
        """Asks the client inside."""
        try:
            reply = await self.client.ask(request)
        except CallError as error:
            stops = _stops.get()
            if error.reason == "budget" and stops is not None:
                stops.append(error.detail)
            raise
        if not reply.cached:
            await asyncio.sleep(0)  # in the next turn of the loop it has been written
        return reply


def watch_budget() -> list[str]:
    """The list that tells what the budget does not allow from here on, in this task."""
    stops: list[str] = []
    _stops.set(stops)
    return stops
