"""The jobs of a service: the database is synchronous, so it is asked in threads of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import ParamSpec, TypeVar

from assay import Manifest
from assay.app.check import Row
from assay.app.jobs import Job, Jobs
from assay.app.rows import error_of
from assay.core.errors import AssayError, InputError
from assay.core.problems import Problem, Unread
from assay.service.bodies import blaming
from assay.service.detectors import BusyError
from assay.service.logs import tell

P = ParamSpec("P")
R = TypeVar("R")

_AT_ONCE = 50  # items that are taken from an iterator in one go
_HOUR = 3600.0
_PATIENCE = 5.0  # seconds for the database to answer
_FULL_WAIT = 30  # seconds, after which a job may have ended


class ServedJobs:
    """Accepts jobs, shows them, and has them worked on."""

    def __init__(self, jobs: Jobs, *, most: int, keep_days: int) -> None:
        self._jobs = jobs
        self._most = most
        self._keep_days = keep_days
        self._threads = ThreadPoolExecutor(8, "jobs")
        self._workers: set[asyncio.Task[None]] = set()

    async def do(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of a function, worked out in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(function, *args, **kwargs))

    async def submit(self, rows: Iterable[Row], detector: str, owner: str) -> tuple[Job, Unread]:
        """A new job with the rows that can be read, and the problems of the others."""
        return await self.do(self._submit, rows, detector, owner)

    def _submit(self, rows: Iterable[Row], detector: str, owner: str) -> tuple[Job, Unread]:
        self._require_room()
        unread = Unread()

        def note(problem: Problem) -> None:
            nonlocal unread
            unread = unread.plus(problem)

        try:
            return self._jobs.submit(self._arriving(rows), detector, owner, note), unread
        except InputError as error:
            if error.code == "no-examples" and unread.count:
                raise error_of(blaming(unread.first[0])) from None
            raise

    def _arriving(self, rows: Iterable[Row]) -> Iterator[Row]:
        yield from rows
        self._require_room()  # others may have come meanwhile

    def _require_room(self) -> None:
        counts = self.counts()
        if counts["queued"] + counts["running"] >= self._most:
            raise BusyError("as many jobs are waiting as may wait", _FULL_WAIT, code="queue-full")

    async def find(self, id: str, owner: str | None) -> Job:
        """A job of somebody."""
        return await self.do(self._jobs.find, id, owner)

    async def unread(self, id: str, owner: str | None) -> Unread:
        """The rows of a job that could not be read."""
        return await self.do(self._jobs.unread, id, owner)

    async def list(self, owner: str | None, most: int) -> list[Job]:
        """The latest jobs of somebody."""
        return await self.do(self._jobs.list, owner, most)

    async def cancel(self, id: str, owner: str | None) -> Job:
        """A job that is ended, at once or soon."""
        return await self.do(self._jobs.cancel, id, owner)

    async def remove(self, id: str, owner: str | None) -> None:
        """Removes a job that nobody works on."""
        await self.do(self._jobs.remove, id, owner)

    async def results(
        self, id: str, owner: str | None, after: int, most: int | None
    ) -> AsyncIterator[tuple[int, bytes]]:
        """The lines of the results after a position, each with its own."""
        found = await self.do(self._jobs.results, id, owner, after, most)
        lines = ((position, result.to_json()) for position, result in found)
        while some := await self.do(lambda: list(islice(lines, _AT_ONCE))):
            for each in some:
                yield each

    async def require_reachable(self) -> None:
        """Raises where the place of the jobs cannot be reached."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self.do(self._jobs.counts)
        except (AssayError, TimeoutError):
            raise BusyError("the place of the jobs cannot be reached", 5) from None

    def counts(self) -> Mapping[str, int]:
        """The number of jobs in each state."""
        return {str(state): count for state, count in self._jobs.counts().items()}

    async def manifest(self, job: Job) -> Manifest | None:
        """All that the verdicts of a job depend on; None until the work on it has begun."""
        return await self.do(self._jobs.manifest, job.id, job.owner)

    async def start(self) -> None:
        """Begins to work on what waits, and to remove what is old."""
        self._jobs.start()
        cleaning = asyncio.create_task(self._clean())
        self._workers.add(cleaning)

    async def _clean(self) -> None:
        while True:
            try:
                await self.do(self._jobs.clean, self._keep_days)
            except AssayError as error:
                tell("jobs not cleaned", logging.WARNING, error=error.message)
            await asyncio.sleep(_HOUR)

    def stop(self) -> None:
        """Has the work end when the examples under way are judged."""
        self._jobs.stop()

    @property
    def are_at_work(self) -> bool:
        """True while examples of jobs are judged."""
        return self._jobs.are_at_work

    async def close(self) -> None:
        """Ends the work; what is not finished waits for the next start."""
        for each in self._workers:
            each.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        await self.do(self._jobs.close, 0.0)
        self._threads.shutdown(wait=False)
