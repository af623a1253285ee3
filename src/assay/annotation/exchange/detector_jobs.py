"""Detectors that judge the items of a project in the background, one after the other."""

import json
import logging
import queue
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from assay.annotation.access import require
from assay.annotation.exchange.attachments import judge_items, without_model
from assay.annotation.studio import Person, Studio
from assay.core.errors import AssayError, InputError
from assay.detectors.registry import detector_names
from assay.store.annotation import exchange
from assay.store.annotation.database import Connection
from assay.store.annotation.events import event_details
from assay.store.annotation.items import count_items

log = logging.getLogger("assay.studio")

MOST_WAITING = 100
ASKED = "detector"  # the kind of the events that say what became of a detector
State = Literal["done", "working", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class DetectorProgress:
    """A detector with the number of items that it has judged.

    It is `working` from when it was asked, `stopped` where the server ended before it had finished,
    and `failed` where `problem` says why.
    """

    name: str
    judged: int
    items: int
    state: State
    problem: str = ""


# The detectors at work in this process, by place, project and name.
_underway: set[tuple[str, int, str]] = set()
_asking = threading.Lock()


def detector_progress(
    connection: Connection, place: str, project: int
) -> tuple[DetectorProgress, ...]:
    """The detectors that judged items of a project, or were asked to, by name."""
    count = count_items(connection, project)
    judged = exchange.count_judged(connection, project)
    last: dict[str, dict[str, str]] = {}
    for detail in event_details(connection, project, ASKED):
        found = json.loads(detail)
        last[found["name"]] = found
    names = sorted({*judged, *last})
    return tuple(
        DetectorProgress(
            name,
            judged.get(name, 0),
            count,
            *_became(last.get(name, {}), is_underway=(place, project, name) in _underway),
        )
        for name in names
    )


def _became(last: dict[str, str], *, is_underway: bool) -> tuple[State, str]:
    if is_underway:
        return "working", ""
    if last.get("problem"):
        return "failed", last["problem"]
    return ("stopped" if last.get("state") == "asked" else "done"), ""


@dataclass(frozen=True, slots=True)
class ProjectDetectors:
    """The detectors of a project with their progress, and those that can be asked to judge."""

    detectors: tuple[DetectorProgress, ...]
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Task:
    who: Person
    slug: str
    project: int
    name: str


class Judging:
    """Lets detectors judge in a thread that starts when needed; nobody waits for it.

    The judgements made so far are kept when the studio ends; asking again goes on from there.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._waiting: queue.Queue[_Task | None] = queue.Queue(MOST_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def ask(self, who: Person, slug: str, name: str) -> ProjectDetectors:
        """Puts a detector into the queue, unless it is there already."""
        with self._studio.read() as connection:
            project = require(connection, who, "manage-project", slug)
        if ":" in name:  # what follows may name a file of this computer
            message = "Name a detector without options here; the command line has them."
            raise InputError(message, field="name", code="options")
        without_model(name)
        task = _Task(who, slug, project.id, name)
        with _asking:
            is_new = self._key(task) not in _underway
            _underway.add(self._key(task))
        if is_new:
            try:
                self._begin(task)
            except BaseException:
                _underway.discard(self._key(task))
                raise
        return project_detectors(self._studio, who, slug)

    def finish(self) -> None:
        """Waits until the queue is empty."""
        self._waiting.join()

    def close(self) -> None:
        """Ends as soon as the item that is being judged is done."""
        with self._lock:
            self._closing.set()
            thread, self._thread = self._thread, None
        if thread is None:
            return
        with suppress(queue.Full):
            self._waiting.put_nowait(None)
        thread.join()
        with suppress(queue.Empty):
            while True:
                left = self._waiting.get_nowait()
                if left is not None:
                    _underway.discard(self._key(left))
                self._waiting.task_done()

    def _key(self, task: _Task) -> tuple[str, int, str]:
        return self._studio.database.place, task.project, task.name

    def _begin(self, task: _Task) -> None:
        with self._lock:
            try:
                self._waiting.put_nowait(task)
            except queue.Full:
                message = "Too many detectors are waiting; try again later."
                raise InputError(message, field="name", code="too-many") from None
            self._note(task, "asked")
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._run, name="judging", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            task = self._waiting.get()
            try:
                if task is None or self._closing.is_set():
                    return
                self._judge(task)
            finally:
                if task is not None:
                    _underway.discard(self._key(task))
                self._waiting.task_done()

    def _judge(self, task: _Task) -> None:
        problem = ""
        try:
            judge_items(self._studio, task.who, task.slug, task.name, self._goes_on)
        except AssayError as error:
            problem = str(error)
        except Exception as error:
            log.exception("the detector %s failed", task.name)
            problem = f"{type(error).__name__}: {error}"
        if self._goes_on():
            with suppress(Exception):  # the project may have been deleted meanwhile
                self._note(task, "failed" if problem else "done", problem)

    def _goes_on(self) -> bool:
        return not self._closing.is_set()

    def _note(self, task: _Task, state: str, problem: str = "") -> None:
        said = {"name": task.name, "state": state, **({"problem": problem} if problem else {})}
        with self._studio.write() as connection:
            self._studio.note(connection, task.who, ASKED, said, task.project)


def project_detectors(studio: Studio, who: Person, slug: str) -> ProjectDetectors:
    """The progress of a project's detectors, and the others that can be asked."""
    with studio.read() as connection:
        project = require(connection, who, "manage-project", slug)
        found = detector_progress(connection, studio.database.place, project.id)
    return ProjectDetectors(found, _offered())


def _offered() -> tuple[str, ...]:
    """The detectors that need no model."""
    names = []
    for name in detector_names():
        with suppress(AssayError):  # a detector of somebody else's that cannot be loaded
            without_model(name)
            names.append(name)
    return tuple(names)
