"""Many examples at the same time: workers that take the next, judge it and keep the outcome."""

import asyncio
import time
from collections.abc import Callable, Iterable

from assay.core.errors import ServiceError
from assay.core.examples import Judgement
from assay.detectors.judges.protocol import Judge
from assay.evaluate.runs.clients import watch_budget
from assay.evaluate.runs.tasks import Task
from assay.llm.client import Client

BREATH = 0.02  # seconds of work without a pause
PATIENCE = 20  # examples in a row that a service may leave without an answer


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
        self._refusal: ServiceError | None = None
        self._lost = 0
        self._breath = time.monotonic()

    async def run(self, client: Client) -> None:
        """Judges everything, with the client's connections open.

        A service that cannot be used ends it when the calls under way are answered, since these
        are paid for; any other error ends it at once.
        """
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
        if self._refusal and not self._stopped:
            raise self._refusal

    async def _work(self) -> None:
        while not (self._stopped or self.over or self._refusal):
            task = next(self._tasks, None)
            if task is None:
                return
            try:
                await self._judge(task)
            except ServiceError as error:
                self._refusal = self._refusal or error
            await self._breathe()

    async def _judge(self, task: Task) -> None:
        stops = watch_budget()
        judgement = await self._judge_for(task).judge(task.example)
        stops += [each.detail for each in judgement.failures if each.reason == "budget"]
        if stops:
            self.over = self.over or stops[0]
            return
        self._keep(task, judgement)
        self._watch_service(judgement)

    def _watch_service(self, judgement: Judgement) -> None:
        """Ends it where nothing comes back any more: the rest would only become failures."""
        failures = judgement.failures
        is_lost = len(failures) == len(judgement.outcomes) and all(
            each.reason == "transport" for each in failures
        )
        self._lost = self._lost + 1 if failures and is_lost else 0
        if self._lost >= max(PATIENCE, self._count):
            self._refusal = self._refusal or ServiceError(
                f"nothing came back for {self._lost:,} examples in a row ({failures[-1].detail}): "
                "the service seems to be down; when it is back, --retry-failures asks them again"
            )

    async def _breathe(self) -> None:
        """Lets others work at times: kept replies need no waiting, and would let nobody in."""
        now = time.monotonic()
        if now - self._breath > BREATH:
            self._breath = now
            await asyncio.sleep(0)
