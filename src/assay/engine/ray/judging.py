"""One stream of examples, judged by workers; what they ask is answered here."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.engine.ray.messages import (
    Answer,
    BatchEnd,
    ExampleJudged,
    ModelQuestion,
    Question,
    QuestionAnswered,
    QuestionAsked,
    SentError,
    Work,
)
from assay.engine.ray.turns import BatchLimits, ExampleBatch, Turns
from assay.engine.ray.workers import RemoteWorker, WorkerLostError, Workers
from assay.knowledge.sources import KnowledgeSource
from assay.llm.client import ModelClient

WAITING = 64  # judgements that nobody has taken yet


class Desk:
    """Answers workers with the models and the knowledge of this process.

    What it has begun to ask it asks to the end, even if the worker dies: it is paid for, and found
    in the journal by the worker that is asked for the same example then.
    """

    def __init__(
        self, clients: Sequence[ModelClient], knowledge: KnowledgeSource | None = None
    ) -> None:
        self._clients = clients
        self._knowledge = knowledge
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, worker: RemoteWorker, asked: QuestionAsked) -> None:
        """Answers a worker as soon as there is an answer."""
        task = asyncio.create_task(self._answer(worker, asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Waits for the answers that are still to come."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Gives up what is still being asked."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, worker: RemoteWorker, asked: QuestionAsked) -> None:
        try:
            said: Answer | SentError = await self._ask(asked.what)
        except Exception as error:  # noqa: BLE001 - raised where the worker waits for the answer
            said = SentError.of(error)
        worker.put(QuestionAnswered(asked.question, said))

    async def _ask(self, what: Question) -> Answer:
        if isinstance(what, ModelQuestion):
            return await self._clients[what.client].ask(what.request)
        assert self._knowledge is not None  # workers search only where there is a place
        return await self._knowledge.search(what.query, what.most)


class RayJudging:
    """A stream of examples on its way through the workers."""

    def __init__(self, workers: Workers, desk: Desk, limits: BatchLimits) -> None:
        self._workers = workers
        self._desk = desk
        self._limits = limits
        self._found: asyncio.Queue[Judgement | None] = asyncio.Queue(WAITING)
        self._errors: list[Exception] = []
        self._refusals: list[ServiceError] = []  # of services; what is under way is judged first
        self._busy: set[int] = set()

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """The judgements as they come.

        A service that cannot be used ends it when those under way are judged, since they are paid
        for; any other error ends it at once.
        """
        turns = Turns(examples, self._limits)
        seats = range(self._workers.count)
        tasks = [asyncio.create_task(self._keep_busy(number, turns)) for number in seats]
        try:
            while not (self._found.empty() and (self._errors or turns.is_over)):
                if (judgement := await self._found.get()) is not None:
                    yield judgement
            if not self._errors:
                await self._desk.finish()
        finally:
            await self._end(tasks)
        for error in (*self._errors, *self._refusals):
            raise error

    async def _end(self, tasks: "Sequence[asyncio.Task[None]]") -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._workers.dismiss(self._busy)
        await self._desk.close()

    async def _keep_busy(self, seat: int, turns: Turns) -> None:
        """Gives the worker at a seat what it has room for; None tells the reader to look again."""
        try:
            while True:
                worker, has = await self._workers.at(seat), dict[int, ExampleBatch]()
                try:
                    await self._work(seat, worker, turns, has)
                except WorkerLostError as error:
                    self._workers.lose(seat, error)
                    self._busy.discard(seat)
                    turns.give_back(has)
                    if turns.is_over:  # nobody else may be there to say so
                        await self._found.put(None)
        except Exception as error:  # noqa: BLE001 - raised where the judgements are read
            self._errors.append(error)
        finally:
            if not self._found.full():  # otherwise the reader has something to look at
                self._found.put_nowait(None)

    async def _work(
        self, seat: int, worker: RemoteWorker, turns: Turns, has: dict[int, ExampleBatch]
    ) -> None:
        while True:
            while (batch := turns.next(has)) is not None:
                has[batch.number] = batch
                self._busy.add(seat)
                worker.put(Work(batch.number, tuple(each.example for each in batch.turns)))
            if has:
                await self._take(worker, turns, has)
                continue
            self._busy.discard(seat)
            if turns.is_over:
                await self._found.put(None)
            await turns.changed()

    async def _take(self, worker: RemoteWorker, turns: Turns, has: dict[int, ExampleBatch]) -> None:
        """Takes what has happened at a worker."""
        for event in await worker.take():
            if isinstance(event, QuestionAsked):
                self._desk.answer(worker, event)
            elif isinstance(event, ExampleJudged):
                has[event.batch].take(event.judgement)
                await self._found.put(event.judgement)
            else:
                worker.uses = event.uses
                self._end_batch(event, has.pop(event.batch), turns)

    def _end_batch(self, event: BatchEnd, batch: ExampleBatch, turns: Turns) -> None:
        turns.end(batch)
        error = event.error.error if event.error else None
        if isinstance(error, ServiceError):
            self._refusals.append(error)
            turns.stop()
        elif error:
            raise error
        elif batch.left:
            raise RuntimeError(f"the detector left out the example '{next(iter(batch.left))}'")
