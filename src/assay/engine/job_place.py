"""Where jobs are kept: their list, their runs, and the file that a run reads while it is judged."""

import errno
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from assay.core.codec import read_example
from assay.core.errors import InputError
from assay.core.judgements import Judgement
from assay.core.results import Result
from assay.core.texts import shortened
from assay.engine.kept_checks import result_of, state_folder
from assay.store.database import is_url
from assay.store.jobs import jobs
from assay.store.jobs.database import open_jobs
from assay.store.jobs.records import Job, JobClaim
from assay.store.runs import FolderRuns, lock_path, open_store

_PAGE = 50  # rows with their texts that are read at once
_ASIDE = re.compile(r"job-([0-9a-f]{32})\.jsonl")
_FULL = (errno.ENOSPC, errno.EDQUOT)


def run_name(id: str) -> str:
    """The name of the run in which a job is judged."""
    return f"job-{id}"


class JobPlace:
    """A folder, or the URL of a PostgreSQL server."""

    def __init__(self, place: str) -> None:
        self.database = open_jobs(place)
        self.runs = open_store(place)
        self._aside = _folder_aside(place)

    def lock(self, id: str) -> AbstractContextManager[None]:
        """Keeps other processes from working on a job; raises at once where one does."""
        return self.runs.lock(f"claim-{id}")

    def find(self, id: str, owner: str | None = None) -> Job:
        """The job of that id; one that is somebody else's is unknown to an owner."""
        found = None
        if id.isascii() and id.isalnum():  # what else there is, a server may not hold as text
            with self.database.read() as connection:
                found = jobs.find(connection, id)
        if found is None or owner not in (None, found.owner):
            raise InputError(f"there is no job '{shortened(id, 40)}'", code="no-such-job")
        return found

    def results(self, job: Job, after: int) -> Iterator[tuple[int, Result]]:
        """The results after a position, as far as they are known; few texts are read at once.

        While a job goes on, they end before the first example that has none yet, so that nobody who
        asks again for what follows misses any.
        """
        found = self._judged(job, after)
        while page := list(islice(found, _PAGE)):
            with self.database.read() as connection:
                records = jobs.records_at(connection, job.id, [position for position, _ in page])
            for position, judgement in page:
                if position not in records:  # the job was removed meanwhile
                    return
                example = read_example(records[position], f"a row of the job {job.id}").example
                yield position, result_of(example, judgement)

    def _judged(self, job: Job, after: int) -> Iterator[tuple[int, Judgement]]:
        name = run_name(job.id)
        if not self.runs.has(name):
            return
        with self.runs.open(name) as journal:
            for expected, (position, judgement) in enumerate(journal.read_after(after), after + 1):
                if position != expected and not job.has_ended:
                    return
                yield position, judgement

    @contextmanager
    def set_aside(self, id: str) -> Iterator[Path]:
        """A file with the rows of a job, for whoever holds its lock."""
        path = self._path(id)
        try:
            self._write(id, path)
            yield path
        finally:
            with suppress(OSError):  # then it is swept later
                path.unlink(missing_ok=True)

    def _write(self, id: str, path: Path) -> None:
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with path.open("wb") as file:
                for record in self._records(id):
                    file.write(record.encode() + b"\n")
        except OSError as error:
            message = f"cannot write {path}: {error.strerror or error}"
            code = "disk-full" if error.errno in _FULL else "store"
            raise InputError(message, code=code) from None

    def _records(self, id: str) -> Iterator[str]:
        count = 0
        while True:
            with self.database.read() as connection:
                page = jobs.records_from(connection, id, count, _PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            count += len(page)

    def begin_anew(self, claim: JobClaim) -> JobClaim:
        """Removes the run of a job, for the worker that has it."""
        with self.database.write() as connection:
            jobs.restart(connection, claim)
        self._remove_run(run_name(claim.job.id))
        return replace(claim, job=replace(claim.job, done=0, failures=0))

    def remove(self, id: str) -> None:
        """Removes a job and its run; the caller holds its lock."""
        name = run_name(id)
        self._remove_run(name)
        with self.database.write() as connection:
            jobs.remove(connection, id)
        self._path(id).unlink(missing_ok=True)
        if isinstance(self.runs, FolderRuns):
            for each in (name, f"claim-{id}"):
                lock_path(self.runs.path(each)).unlink(missing_ok=True)

    def _remove_run(self, name: str) -> None:
        if self.runs.has(name):
            with self.runs.lock(name):
                self.runs.remove(name)

    def sweep(self) -> None:
        """Removes files that were set aside by processes that are gone."""
        for path in self._aside.glob("*.jsonl"):
            if named := _ASIDE.fullmatch(path.name):
                with suppress(InputError, OSError), self.lock(named[1]):
                    path.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the connections."""
        self.database.close()

    def _path(self, id: str) -> Path:
        return self._aside / f"{run_name(id)}.jsonl"


def _folder_aside(place: str) -> Path:
    """The folder of the files that are set aside, in which a place has nothing else."""
    if is_url(place):  # one folder of state serves any number of databases
        return state_folder() / f"jobs-{blake2b(place.encode(), digest_size=8).hexdigest()}"
    return Path(place) / "aside"
