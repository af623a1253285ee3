"""A run opened: a new one, or one that goes on if nothing about it has changed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from assay.core.errors import AssayError, InputError
from assay.core.runs import Run, differences
from assay.detectors.consult import consult
from assay.detectors.protocol import Detector
from assay.evaluate.runs.clients import RunClients
from assay.evaluate.runs.data import survey
from assay.evaluate.runs.request import RunRequest, describe_run, run_name
from assay.evaluate.runs.searches import RunSearches, open_searches
from assay.evaluate.runs.session import Session
from assay.evaluate.runs.tasks import Tasks
from assay.evaluate.runs.writer import Writer
from assay.llm.background import background
from assay.llm.client import Client
from assay.store.folder import RunsFolder
from assay.store.journal import Journal
from assay.store.locking import is_locked, locked


@contextmanager
def open_run(
    request: RunRequest, folder: RunsFolder, *, resume: bool = False, retry: bool = False
) -> Iterator[Session]:
    """A session of the run; whatever is wrong and can be known raises before anything is asked.

    `retry` asks again for what failed, besides going on.
    """
    models = RunClients(request.judge)
    name, goes_on = run_name(request, models.models), resume or retry
    _require_state(folder, name, exists=goes_on)
    with open_searches(request.knowledge) as searches:
        load = _loading(request, searches)
        seen = survey(request.data)
        detector = load(models.clients)
        run = describe_run(request, seen, detector, searches)
        with _journal(folder, name, run, goes_on=goes_on) as journal:
            soon = background().loop.call_soon if models.clients else None
            writer = Writer(journal, models.usage, soon)
            models.open(writer)
            if searches:
                searches.open(writer)
            attempt = _next_attempt(journal) if retry else 0
            detectors = (detector, load(models.asking_again(attempt)) if attempt else detector)
            tasks = Tasks(request.data, request.choose(seen), journal, attempt, detector.taxonomy)
            yield Session(writer, tasks, detectors, models.usage, workers=models.workers)


def _loading(
    request: RunRequest, searches: RunSearches | None
) -> Callable[[Sequence[Client]], Detector]:
    """Makes the detector of the run, whichever clients it asks."""
    peers = request.find_peers()

    def load(clients: Sequence[Client]) -> Detector:
        detector = request.judge.load(clients, peers)
        return consult(detector, searches) if searches else detector

    return load


@contextmanager
def _journal(folder: RunsFolder, name: str, run: Run, *, goes_on: bool) -> Iterator[Journal]:
    """The file of the run, which no other process has meanwhile."""
    folder.make()
    with locked(folder.path(name)):
        _require_state(folder, name, exists=goes_on)
        with _resumed(folder, name, run) if goes_on else _begun(folder, name, run) as journal:
            yield journal


@contextmanager
def _begun(folder: RunsFolder, name: str, run: Run) -> Iterator[Journal]:
    """A new run; if an error ends it before anything was judged or paid, nothing is left of it."""
    is_empty = False
    try:
        with folder.create(name, run) as journal:
            try:
                yield journal
            except AssayError:
                is_empty = not journal.count() and not journal.fact("usage", {}).get("calls")
                raise
    finally:
        if is_empty:
            folder.remove(name)


def _require_state(folder: RunsFolder, name: str, *, exists: bool) -> None:
    """Raises where a run that should be new is there already, or one to go on with is not."""
    if folder.has(name) == exists:
        return
    if exists:
        raise InputError(f"there is no run '{name}' at {folder.folder}; begin it without --resume")
    with folder.open(name) as journal:
        done, total = journal.count(), journal.run.chosen
    if is_locked(folder.path(name)):
        raise InputError(f"the run '{name}' is being run by another process: {done:,} of {total:,}")
    how = "go on with --resume, " if done < total else ""
    raise InputError(
        f"the run '{name}' exists, {done:,} of {total:,} examples are judged: {how}"
        f"begin another with --name NAME, or remove it with: assay runs delete {name}"
    )


@contextmanager
def _resumed(folder: RunsFolder, name: str, run: Run) -> Iterator[Journal]:
    """The run of that name, if it is the same; otherwise raises and lists what changed."""
    with folder.open(name, to_write=True) as journal:
        changes = differences(journal.run, run)
        if changes:
            lines = "\n  ".join(changes)
            raise InputError(
                f"the run '{name}' cannot go on, because it is not the same any more:\n  {lines}\n"
                "Put that back, or begin another run with --name NAME"
            )
        yield journal


def _next_attempt(journal: Journal) -> int:
    """The number of this pass over the failures; one that was cut off goes on."""
    retry = journal.fact("retry", {"attempt": 0, "open": False})
    attempt = int(retry["attempt"]) + (not retry["open"])
    journal.keep("retry", {"attempt": attempt, "open": True})
    return attempt
