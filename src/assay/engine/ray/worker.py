"""A worker: one detector in a process of its own, which judges what it is given.

It reads no data, asks no server and writes nothing: its questions to models and searches go to the
process of the run. Everything travels as bytes that are made and read here, so that what cannot be
sent is an error like any other.
"""

import asyncio
import os
import pickle
import platform
import socket
import traceback
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Self, cast

from assay import __version__
from assay.core.errors import AssayError, InputError, UnknownNameError
from assay.detectors.protocol import Detector, closing, uses_of
from assay.detectors.registry import find_type, open_detector
from assay.engine.ray.messages import (
    Answer,
    BatchEnd,
    ClientFace,
    DetectorOpening,
    Event,
    ExampleJudged,
    Introduction,
    Item,
    KnowledgeFace,
    ModelQuestion,
    Question,
    QuestionAnswered,
    QuestionAsked,
    SearchQuestion,
    SentError,
    Work,
)
from assay.knowledge.sources import KnowledgePassage
from assay.llm.client import CallError, Reply, Request, Setting

Versions = tuple[str, str]  # of Assay and of Python
Put = Callable[[Question], Awaitable[Answer]]


def versions() -> Versions:
    """The versions that a worker and its run must have in common."""
    return __version__, ".".join(platform.python_version_tuple()[:2])


class DetectorWorker:
    """The actor; its methods are called from the process of the run."""

    def __init__(self) -> None:
        self._detector: Detector | None = None
        self._events: list[bytes] = []
        self._has_events = asyncio.Event()
        self._questions: dict[int, asyncio.Future[Answer]] = {}
        self._numbers = count()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, wanted: Versions, folder: str, opening: bytes) -> bytes:
        """Opens the detector: an `Introduction`, or the error that it ended in."""
        try:
            _require_versions(wanted)
            if os.path.isdir(folder):
                os.chdir(folder)  # the name of a detector may be a path from there
            return pickle.dumps(self._open(pickle.loads(opening)))
        except Exception as error:  # noqa: BLE001 - it is raised where the run is
            return pickle.dumps(_sent(error))

    async def put(self, items: bytes) -> None:
        """Takes work, and answers to what was asked."""
        for item in cast("list[Item]", pickle.loads(items)):
            if isinstance(item, Work):
                task = asyncio.create_task(self._judge(item))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            else:
                self._take_answer(item)

    async def take(self) -> list[bytes]:
        """All that has happened since it was called last, as soon as anything has."""
        await self._has_events.wait()
        self._has_events.clear()
        events, self._events = self._events, []
        return events

    def _open(self, opening: DetectorOpening) -> Introduction:
        from assay.engine.prepared import consulting

        spec, given = opening.spec, opening.annotations
        try:
            find_type(spec.name)
        except UnknownNameError:
            raise InputError(
                f"the workers do not know the detector '{spec.name}': install the package that "
                "brings it there, too",
                field="detector",
            ) from None
        clients = [AskingClient(*each, self._ask) for each in enumerate(opening.clients)]
        place = opening.knowledge
        knowledge = AskingKnowledge(place, self._ask) if place else None
        detector = open_detector(spec, clients, None if given is None else lambda: given)
        self._detector = found = consulting(detector, knowledge)
        digests = dict(found.prompt_digests)
        return Introduction(found.author, found.capabilities, digests, _place())

    async def _judge(self, work: Work) -> None:
        detector, batch = self._detector, work.batch
        assert detector is not None  # it is opened before it is given anything
        try:
            async with closing(detector.judge(work.examples)) as judgements:
                async for judgement in judgements:
                    self._tell_judged(ExampleJudged(batch, judgement))
            self._tell(BatchEnd(batch, uses_of(detector)))
        except Exception as error:  # noqa: BLE001 - it is raised where the run is
            self._tell(BatchEnd(batch, uses_of(detector), _sent(error)))

    async def _ask(self, what: Question) -> Answer:
        """Asks the process of the run."""
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._questions[number] = answer
        try:
            self._tell(QuestionAsked(number, what))
            return await answer
        finally:
            del self._questions[number]

    def _take_answer(self, item: QuestionAnswered) -> None:
        waiting = self._questions.get(item.question)
        if waiting is None or waiting.done():  # whoever asked has given up
            return
        if isinstance(item.answer, SentError):
            waiting.set_exception(item.answer.error)
        else:
            waiting.set_result(item.answer)

    def _tell_judged(self, event: ExampleJudged) -> None:
        try:
            self._tell(event)
        except (AttributeError, TypeError, pickle.PicklingError) as error:
            raise InputError(
                f"what {event.judgement.author.name} says cannot be sent to another process:"
                f" {error}",
                field="detector",
            ) from None

    def _tell(self, event: Event) -> None:
        self._events.append(pickle.dumps(event))
        self._has_events.set()


class AskingClient:
    """A client whose questions are put to the process of the run."""

    def __init__(self, number: int, face: ClientFace, put: Put) -> None:
        self.model = face.model
        self.concurrency = face.concurrency
        self._number = number
        self._face = face
        self._put = put

    def describe(self) -> Mapping[str, Setting]:
        return self._face.settings

    async def ask(self, request: Request) -> Reply:
        return cast("Reply", await self._put(ModelQuestion(self._number, request)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


class AskingKnowledge:
    """A place whose searches are made by the process of the run."""

    def __init__(self, face: KnowledgeFace, put: Put) -> None:
        self.name = face.name
        self.digest = face.digest
        self._put = put

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        return cast("tuple[KnowledgePassage, ...]", await self._put(SearchQuestion(query, most)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


def _require_versions(wanted: Versions) -> None:
    if (here := versions()) != wanted:
        there = "Assay {} on Python {}".format(*here)
        raise InputError(
            f"a worker at {_place()} has {there}, and this is Assay {wanted[0]} on Python "
            f"{wanted[1]}: both must be the same on all machines",
            field="engine",
        )


def _sent(error: Exception) -> SentError:
    """The error, with its trace in this process if nobody expected it."""
    if not isinstance(error, AssayError | CallError):
        error.add_note(f"on a worker at {_place()}:\n{traceback.format_exc()}")
    return SentError.of(error)


def _place() -> str:
    return f"{socket.gethostname()} (process {os.getpid()})"
