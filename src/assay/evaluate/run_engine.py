"""Many examples at the same time: workers that take the next, judge it and keep the outcome."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar

from assay.core.examples import Judgement
from assay.detectors.judges.protocol import Judge
from assay.evaluate.run_tasks import Task
from assay.llm.client import CallError, Client, Wrapper
from assay.llm.requests import Reply, Request

BREATH = 0.02  # seconds of work without a pause

# What stopped calls for the example at hand: a vote may hide from its outcome that some were.
_stops: ContextVar[list[str] | None] = ContextVar("stops", default=None)


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


class Engine:
    """Judges tasks as they are found; `keep` is called as soon as an example is judged.

    `over` says why it ended early: an example that the budget left incomplete is not kept.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        judge_for: Callable[[Task], Judge],
        keep: Callable[[Task, Judgement], None],
        *,
        workers: int,
    ) -> None:
        self.over = ""
        self._tasks = iter(tasks)
        self._judge_for = judge_for
        self._keep = keep
        self._count = workers
        self._workers: list[asyncio.Task[None]] = []
        self._stopped = False
        self._breath = time.monotonic()

    async def run(self, client: Client) -> None:
        """Judges everything, with the client's connections open; the first error ends it all."""
        async with client:
            if not self._stopped:
                self._workers = [asyncio.create_task(self._work()) for _ in range(self._count)]
                await self._finish()

    def stop(self) -> None:
        """Calls off what is under way; to be called in the loop that runs it."""
        self._stopped = True
        for worker in self._workers:
            worker.cancel()

    async def _finish(self) -> None:
        try:
            done, _ = await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in self._workers:
                worker.cancel()
            ended = await asyncio.gather(*self._workers, return_exceptions=True)
        first = [worker.exception() for worker in done if not worker.cancelled()]
        for error in (*first, *ended):
            if isinstance(error, Exception):
                raise error

    async def _work(self) -> None:
        while not self._stopped and not self.over:
            task = next(self._tasks, None)
            if task is None:
                return
            stops: list[str] = []
            _stops.set(stops)
            judgement = await self._judge_for(task).judge(task.example)
            stops += [each.detail for each in judgement.failures if each.reason == "budget"]
            if stops:
                self.over = self.over or stops[0]
            else:
                self._keep(task, judgement)
            await self._breathe()

    async def _breathe(self) -> None:
        """Lets others work at times: kept replies need no waiting, and would let nobody in."""
        now = time.monotonic()
        if now - self._breath > BREATH:
            self._breath = now
            await asyncio.sleep(0)
