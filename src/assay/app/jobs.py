"""Long checks as jobs, which are on disk before anybody is told that they are accepted.

A job is a run of its own, so that every judgement and every reply is kept before it counts.
Whatever ends the process that works on it, the next one goes on where it stopped.
"""

import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from assay.core.errors import AssayError, InputError, UnknownNameError
from assay.core.judgements import Manifest
from assay.core.problems import Problem, Unread
from assay.core.results import Result
from assay.engine.check import CheckRequest
from assay.engine.job_place import JobPlace, run_name
from assay.engine.job_worker import Closing, JobWorker
from assay.engine.kept_checks import OnProblem, Row, lines_of
from assay.store.jobs import jobs
from assay.store.jobs.records import ENDED as ENDED
from assay.store.jobs.records import JOB_STATES as JOB_STATES
from assay.store.jobs.records import Job as Job
from assay.store.jobs.records import JobState as JobState

_AT_ONCE = 2**20  # characters of rows that are written in one transaction
_LOOK = 0.2  # seconds between two looks at whether a job has changed
_GRACE = 5.0  # seconds in which work that is cut off ends
_ABANDONED = 1.0  # days after which rows of a job that stopped arriving are removed


class Jobs:
    """The jobs at a place, a folder or the URL of a PostgreSQL server, and those who work on them.

    `detectors` are those that can be asked for, by name. Any number of processes may serve the same
    place; without workers, one only accepts jobs and shows them.
    """

    def __init__(
        self, place: str, detectors: Mapping[str, CheckRequest], *, workers: int = 1
    ) -> None:
        if workers < 0:
            raise InputError(f"workers must be 0 or more, not {workers}", field="workers")
        self._place = JobPlace(place)
        self._detectors = dict(detectors)
        self._closing = Closing()
        self._workers = workers
        self._threads: tuple[threading.Thread, ...] = ()

    def submit(
        self,
        rows: Iterable[Row],
        detector: str,
        owner: str = "",
        on_problem: OnProblem | None = None,
    ) -> Job:
        """A new job; all of it is on disk then.

        A row that cannot be read raises; with `on_problem`, the job goes without it and counts it.
        """
        if detector not in self._detectors:
            raise UnknownNameError("detector", detector, self._detectors, field="detector")
        id = secrets.token_hex(16)
        with self._place.database.write() as connection:
            jobs.begin(connection, id, owner, detector)
        try:
            unread = _UnreadRows(on_problem or _refuse)
            examples = self._receive(id, rows, unread)
            with self._place.database.write() as connection:
                jobs.enqueue(connection, id, examples, unread.found)
        except BaseException:
            with suppress(AssayError), self._place.database.write() as connection:
                jobs.remove(connection, id)
            raise
        self._closing.news.set()
        return self.find(id)

    def _receive(self, id: str, rows: Iterable[Row], unread: "_UnreadRows") -> int:
        """Writes rows as they come, some in each transaction, and counts them."""
        count, waiting, size = 0, list[str](), 0

        def write() -> int:
            with self._place.database.write() as connection:
                jobs.add_rows(connection, id, count, waiting)
            return count + len(waiting)

        for line in lines_of(rows, unread):
            waiting.append(line.decode())
            size += len(line)
            if size >= _AT_ONCE:
                count, size = write(), 0
                waiting.clear()
        if waiting:
            count = write()
        if not count:
            raise InputError("a job needs at least one example", code="no-examples")
        return count

    def find(self, id: str, owner: str | None = None) -> Job:
        """The job of that id; where an owner is named, it must be theirs."""
        return self._place.find(id, owner)

    def unread(self, id: str, owner: str | None = None) -> Unread:
        """The rows that came with a job and could not be read."""
        found = self.find(id, owner)
        with self._place.database.read() as connection:
            return jobs.unread(connection, found.id)

    def changed(self, job: Job, patience: float = 30.0) -> Job:
        """The job as soon as anything about it has changed, or as it is after so many seconds."""
        end = time.monotonic() + patience
        while (now := self.find(job.id)) == job and not job.has_ended:
            if time.monotonic() > end:
                break
            time.sleep(_LOOK)
        return now

    def results(
        self, id: str, owner: str | None = None, after: int = -1, most: int | None = None
    ) -> Iterator[tuple[int, Result]]:
        """The results after a position in the order of the rows, each with its position.

        While the job goes on they end before the first row that has none yet: whoever asks again
        for those after the last one misses none.
        """
        found = self._place.results(self.find(id, owner), after)
        return islice(found, most)

    def manifest(self, id: str, owner: str | None = None) -> Manifest | None:
        """All that the verdicts depend on, besides the rows; None until the work has begun."""
        name = run_name(self.find(id, owner).id)
        if not self._place.runs.has(name):
            return None
        with self._place.runs.open(name) as journal:
            return replace(journal.manifest, dataset="")  # a file that is gone when the job ends

    def cancel(self, id: str, owner: str | None = None) -> Job:
        """Ends a job that waits at once, and one that runs soon; what was judged stays."""
        self.find(id, owner)
        with self._place.database.write() as connection:
            jobs.cancel(connection, id)
        return self.find(id)

    def remove(self, id: str, owner: str | None = None) -> None:
        """Removes a job with its rows and its results, unless somebody works on it."""
        busy = InputError(f"the job '{id}' is running: cancel it first", code="job-running")
        if self.find(id, owner).state == "running":
            raise busy
        try:
            with self._place.lock(id):
                if self.find(id, owner).state == "running":
                    raise busy
                self._place.remove(id)
        except InputError as error:
            raise busy if error.code == "run-locked" else error from None

    def clean(self, older_than_days: float) -> int:
        """Removes jobs that ended longer ago, and tells how many."""
        with self._place.database.write() as connection:
            jobs.remove_unfinished(connection, _days_ago(_ABANDONED))
            old = jobs.ended_before(connection, _days_ago(older_than_days))
        for id in old:
            with suppress(InputError):  # somebody else has just removed it
                self.remove(id)
        self._place.sweep()
        return len(old)

    def start(self) -> None:
        """Begins to work on what waits, and on what processes that are gone have left."""
        if self._threads:
            return
        self._place.sweep()
        self._threads = tuple(
            threading.Thread(
                target=JobWorker(self._place, self._detectors, self._closing).work,
                name=f"assay-jobs-{number}",
                daemon=True,
            )
            for number in range(self._workers)
        )
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Has the work end when the examples under way are judged."""
        self._closing.soon.set()
        self._closing.news.set()

    @property
    def are_at_work(self) -> bool:
        """True while somebody works here, or waits for work."""
        return any(thread.is_alive() for thread in self._threads)

    def close(self, patience: float = 10.0) -> None:
        """Ends the work when the examples under way are judged, or else after so many seconds.

        What is not finished waits again, and nothing of it is lost.
        """
        self.stop()
        self._wait(patience)
        self._closing.now.set()
        self._wait(_GRACE)
        self._place.close()

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def list(self, owner: str | None = None, most: int = 100) -> list[Job]:
        """The latest jobs, of one owner or of all, the newest first."""
        with self._place.database.read() as connection:
            return jobs.newest(connection, owner, most)

    def counts(self) -> dict[JobState, int]:
        """The number of jobs in each state."""
        with self._place.database.read() as connection:
            return {**dict.fromkeys(JOB_STATES, 0), **jobs.count_by_state(connection)}


class _UnreadRows:
    """Collects rows that cannot be read, and tells of them."""

    def __init__(self, on_problem: OnProblem) -> None:
        self.found = Unread()
        self._on_problem = on_problem

    def __call__(self, problem: Problem) -> None:
        self.found = self.found.plus(problem)
        self._on_problem(problem)


def _refuse(problem: Problem) -> None:
    raise InputError(str(problem))


def _days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
