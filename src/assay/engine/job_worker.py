"""The work on jobs: one is taken, judged in a run of its own, and its end is written down.

Several workers, in any number of processes, share a place. Whoever works on a job holds a lock,
which the system lets go when the process dies, and writes down a claim of its own.
"""

import logging
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Event

from assay.core.errors import AssayError, InputError
from assay.core.system.notices import LOGGER, warn
from assay.datasets.selection import DataChoice
from assay.engine.check import CheckRequest
from assay.engine.job_place import JobPlace, run_name
from assay.engine.opened_detectors import OpenedDetectors
from assay.engine.opening import open_run
from assay.engine.request import RunRequest
from assay.engine.session import Ending, Session
from assay.store.jobs import jobs
from assay.store.jobs.records import JobClaim, JobEnding

MOST_ATTEMPTS = 5  # to get further with a job
_POLL = 1.0  # seconds between two looks for jobs that other processes accepted
_BEAT = 0.5  # seconds between two looks at whether a job is still wanted
_SEARCH = 5.0  # seconds between two looks for jobs whose process is gone
_CANDIDATES = 16
_DRAIN = 10.0  # seconds in which a job that was cancelled may finish what is paid for
_PAUSE = 5.0  # seconds before another attempt, where the place of the jobs was in trouble
_MAY_PASS = (
    "store",
    "store-gone",
    "disk-full",
    "run-locked",
)  # codes of errors that may be over by then

# What the owner of a job is told, by the code of an error that is for whoever runs the service.
_TOLD = {
    "store": "the place of the jobs cannot be used",
    "store-gone": "the database of the jobs cannot be reached",
    "disk-full": "there is no room left where jobs are kept",
    "damaged": "what is kept of the job is damaged",
    "newer-run": "a newer version of Assay has begun the job",
    "newer-jobs": "a newer version of Assay keeps the jobs",
    "run-locked": "another process uses what is kept of the job",
}

log = logging.getLogger(LOGGER)


@dataclass(frozen=True, slots=True)
class Closing:
    """Signals to the workers of a process; `news` wakes those that wait."""

    soon: Event = field(default_factory=Event)  # begin nothing more
    now: Event = field(default_factory=Event)  # end what is under way
    news: Event = field(default_factory=Event)


class JobWorker:
    """Works on one job after the other, until it is told to close."""

    def __init__(
        self, place: JobPlace, detectors: Mapping[str, CheckRequest], closing: Closing
    ) -> None:
        self._place = place
        self._detectors = detectors
        self._closing = closing
        self._opened = OpenedDetectors()
        self._searched = float("-inf")
        self._problem = ""

    def work(self) -> None:
        """Works until the process closes; where the place cannot be reached, it tries again."""
        while not self._closing.soon.is_set():
            try:
                is_busy = self._work_on_next()
                self._problem = ""
            except AssayError as error:
                is_busy = False
                self._tell(str(error))
            except Exception:
                is_busy = False
                log.exception("a fault in Assay; the work on jobs goes on")
            if not is_busy and self._closing.news.wait(_POLL):
                self._closing.news.clear()

    def _tell(self, problem: str) -> None:
        if problem != self._problem:  # once, however long it lasts
            warn(f"{problem}; the work on jobs goes on when this is over")
        self._problem = problem

    def _work_on_next(self) -> bool:
        """True if there was a job to work on."""
        with self._next() as claim:
            if claim is None:
                return False
            ending = self._ending_of(claim)
            with self._place.database.write() as connection:
                jobs.end(connection, claim, ending)
        if ending.state == "queued" and ending.error:
            self._closing.soon.wait(_PAUSE)
        return True

    @contextmanager
    def _next(self) -> Iterator[JobClaim | None]:
        """The next job, while its lock is held."""
        for id in self._candidates():
            with ExitStack() as held:
                try:
                    held.enter_context(self._place.lock(id))
                except InputError as error:
                    if error.code == "run-locked":  # somebody works on it
                        continue
                    raise
                with self._place.database.write() as connection:
                    claim = jobs.take(connection, id, secrets.token_hex(16))
                if claim:
                    yield claim
                    return
        yield None

    def _candidates(self) -> list[str]:
        """Jobs whose process may be gone, first, and those that wait."""
        is_time = time.monotonic() > self._searched + _SEARCH
        with self._place.database.read() as connection:
            waiting = jobs.open_ones(connection, "queued", self._detectors, _CANDIDATES)
            running = jobs.open_ones(connection, "running", self._detectors) if is_time else []
        if is_time:
            self._searched = time.monotonic()
        return running + waiting

    def _ending_of(self, claim: JobClaim) -> JobEnding:
        """Works on a job; whatever goes wrong is written down for its owner in one line."""
        if claim.job.is_unwanted:
            return JobEnding("cancelled")
        if claim.attempts > MOST_ATTEMPTS:
            why = claim.job.error or "its process ended each time"
            tried = f"given up after {MOST_ATTEMPTS} attempts that got no further: {why}"
            return JobEnding("failed", tried, claim.job.code or "no-progress")
        try:
            return self._judge(claim)
        except AssayError as error:
            if error.code in _TOLD:
                warn(f"the job {claim.job.id}: {error}")
            said = _TOLD.get(error.code, _line(str(error)))
            return JobEnding("queued" if error.code in _MAY_PASS else "failed", said, error.code)
        except Exception as error:
            log.exception("the job %s failed", claim.job.id)
            said = f"a fault in Assay, not in the job: {type(error).__name__}"
            return JobEnding("failed", said, "fault")

    def _judge(self, claim: JobClaim) -> JobEnding:
        """Goes on with a job, or begins it anew where that would mix what two detectors say."""
        try:
            return self._go_on(claim)
        except InputError as error:
            if error.code != "run-changed":
                raise
            changes = "; ".join(each.strip() for each in str(error).splitlines()[1:-1])
            warn(f"the job {claim.job.id} begins anew, its budget too, after a change: {changes}")
        return self._go_on(self._place.begin_anew(claim))

    def _go_on(self, claim: JobClaim) -> JobEnding:
        asked = self._detectors[claim.job.detector]
        name = run_name(claim.job.id)
        with self._place.set_aside(claim.job.id) as path:
            data = DataChoice(str(path))
            request = RunRequest(
                data, asked.detector, asked.peers, asked.knowledge, name, any_version=True
            )
            with open_run(request, self._place.runs, resume=None, opened=self._opened) as session:
                watched = _Watched(self._place, claim, session, self._closing)
                try:
                    ending = session.go(watched.tick)
                finally:
                    watched.note()
        return watched.ending(ending)


class _Watched:
    """A job under way: how far it is gets written down, and who wants it to end is heard."""

    def __init__(
        self, place: JobPlace, claim: JobClaim, session: Session, closing: Closing
    ) -> None:
        self._place = place
        self._claim = claim
        self._session = session
        self._closing = closing
        self._noted = claim.job.done
        self._due = 0.0
        self._until = float("inf")
        self._wanted: bool | None = True  # None where somebody else has the job

    def tick(self) -> None:
        """Called again and again while it is judged; ends it where it has to end now."""
        now = time.monotonic()
        if self._closing.now.is_set() or now > self._until or self._wanted is None:
            raise KeyboardInterrupt
        if self._closing.soon.is_set():
            self._session.end_early()
        if now < self._due:
            return
        self._due = now + _BEAT
        self.note()
        with self._place.database.read() as connection:
            self._wanted = jobs.is_wanted(connection, self._claim)
        if self._wanted is False and self._until == float("inf"):
            self._until = now + _DRAIN
            self._session.end_early()

    def note(self) -> None:
        """Writes down how far it is."""
        standing = self._session.standing
        if standing.done > self._noted:
            self._noted = standing.done
            with self._place.database.write() as connection:
                jobs.advance(connection, self._claim, standing.done, standing.failures)

    def ending(self, ending: Ending) -> JobEnding:
        """The end of the job where its session ended so."""
        if ending.state == "complete":
            return JobEnding("done")
        if ending.state == "budget":
            return JobEnding("failed", _line(ending.detail), "budget")
        if self._wanted is False:
            return JobEnding("cancelled")
        return JobEnding("queued")


def _line(text: str) -> str:
    return " ".join(text.split())
