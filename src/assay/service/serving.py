"""The parts of a running service that its routes share."""

import asyncio
import time
from collections.abc import Awaitable, Iterable, Iterator
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect

from assay import Manifest
from assay.app.check import Row
from assay.app.jobs import Job
from assay.app.rows import limited
from assay.core.errors import AssayError
from assay.service.admission import Admission
from assay.service.detectors import ServedDetectors
from assay.service.jobs import ServedJobs
from assay.service.logs import tell
from assay.service.metrics import ServiceMetrics
from assay.service.request import ServeRequest

T = TypeVar("T")
PATIENCE = 10.0  # seconds for what is under way when the service is to end
_LOOK = 0.1  # seconds between two looks at whether it has ended


class NotBegunError(AssayError):
    """A job of which nothing is known yet."""

    code = "conflict"


class RunningService:
    """A running service: its detectors, its jobs, its admission, its figures and its limits.

    What keeps it from beginning is its `fault`.
    """

    def __init__(
        self,
        detectors: ServedDetectors,
        jobs: ServedJobs,
        admission: Admission,
        metrics: ServiceMetrics,
        request: ServeRequest,
    ) -> None:
        self.detectors = detectors
        self.jobs = jobs
        self.admission = admission
        self.metrics = metrics
        self.limits = request.limits
        self.logs_texts = request.log_texts
        self.fault: BaseException | None = None
        self.until = float("inf")  # on the clock: when the service has to end

    def limited(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows of a check, where those with too much of a text are problems."""
        most = self.limits
        return limited(rows, characters=most.characters, sentences=most.sentences)

    def limited_for_job(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same for a job, which keeps nobody waiting."""
        return limited(rows, characters=self.limits.characters)

    async def open(self) -> None:
        """Loads the models, then begins to work on jobs."""
        try:
            await self.detectors.open()
            await self.jobs.start()
            tell("ready")
        except Exception as error:
            self.fault = error
            raise

    def stop(self, patience: float = PATIENCE) -> None:
        """Turns new requests away, and gives what is under way so many seconds."""
        self.admission.is_closing = True
        self.until = min(self.until, time.monotonic() + patience)

    async def close(self) -> None:
        """Ends what is under way; what is not finished goes on at the next start."""
        self.stop()
        self.jobs.stop()
        while self.jobs.are_at_work and time.monotonic() < self.until:
            await asyncio.sleep(_LOOK)
        await self.jobs.close()
        await self.detectors.close()

    async def manifest(self, job: Job) -> Manifest:
        """All that the verdicts of a job depend on."""
        found = await self.jobs.manifest(job)
        if found is None and job.detector in self.detectors.checkers:
            found = self.detectors.checkers[job.detector].manifest
        if found is None:
            raise NotBegunError("nobody has begun with the job yet, nor is its detector served")
        return found


async def _service(request: Request) -> RunningService:
    return cast(RunningService, request.app.state.service)


TheService = Annotated[RunningService, Depends(_service)]


async def unless_left(request: Request, work: Awaitable[T]) -> T:
    """The result of some work; if the client leaves before, the work is cancelled.

    The body has to be read already, since whatever comes after it is taken to be the end.
    """
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect
    finally:
        for each in (task, leaving):
            each.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)
