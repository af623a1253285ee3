"""Long checks by a service: a job goes on while nobody watches, and its results wait."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain, count
from typing import TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UnsetType

from assay.app.check import Row
from assay.client.calls import ATTEMPTS, CUT_OFF, FIRST_PAUSE, LINES, ServiceCalls, pause
from assay.client.checks import ORIGIN, example_line, matched, require_complete, together
from assay.core.codec import is_end, read_end, read_judgement
from assay.core.errors import AssayError, InputError, ServiceError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.results import Result
from assay.core.system import bridge
from assay.core.wire import AcceptedRecord, EndRecord, JobRecord, ProblemRecord

T = TypeVar("T")

PAGE = 200  # results that are asked for at once
SHORTEST_LOOK, LONGEST_LOOK = 0.1, 2.0  # seconds between two looks at a job
ENDED = ("done", "failed", "cancelled")
AWAY = ("unreachable", "timeout", "closing")  # codes for a service that may come back


class JobStatus(JobRecord, frozen=True):
    """The state of a job."""

    @property
    def has_ended(self) -> bool:
        """True if nothing more will happen."""
        return self.state in ENDED


class RemoteJob:
    """A job of a service; each method has a twin to be awaited."""

    def __init__(self, calls: ServiceCalls, id: str, examples: Mapping[str, Example]) -> None:
        self._calls = calls
        self._examples = examples
        self.id = id

    def __repr__(self) -> str:
        return f"<RemoteJob {self.id} at {self._calls.url}>"

    def status(self) -> JobStatus:
        """Its state, and how much of it is done."""
        return bridge.run(self._status())

    async def astatus(self) -> JobStatus:
        """`status`, awaited."""
        return await bridge.run_async(self._status())

    def wait(self, progress: Callable[[JobStatus], object] | None = None) -> JobStatus:
        """Its status once it has ended; `progress` is called with each new one.

        A service that is away, as while it is started again, is waited for up to the timeout.
        """
        looks = _Looks(progress)
        while not looks.has_ended(status := bridge.run(self._patiently(self._status))):
            time.sleep(looks.pause)
        return status

    async def awaited(self, progress: Callable[[JobStatus], object] | None = None) -> JobStatus:
        """`wait`, awaited."""
        looks = _Looks(progress)
        while not looks.has_ended(status := await bridge.run_async(self._patiently(self._status))):
            await asyncio.sleep(looks.pause)
        return status

    def results(self) -> Iterator[Result]:
        """Its results in the order of the rows, each once it is there, until it has ended.

        Where a connection breaks off, it goes on behind the last result, also with a service that
        comes back within the timeout. A job that fails or is
        cancelled raises after the results that it has.
        """
        return bridge.iterate(self._results())

    def aresults(self) -> AsyncIterator[Result]:
        """`results`, awaited."""
        return bridge.iterate_async(self._results())

    def judgements(self) -> Iterator[Judgement]:
        """The same without the texts, which the service does not send back."""
        return bridge.iterate(self._judgements())

    def ajudgements(self) -> AsyncIterator[Judgement]:
        """`judgements`, awaited."""
        return bridge.iterate_async(self._judgements())

    def cancel(self) -> JobStatus:
        """Ends it; what was judged stays."""
        return bridge.run(self._cancel())

    async def acancel(self) -> JobStatus:
        """`cancel`, awaited."""
        return await bridge.run_async(self._cancel())

    def remove(self) -> None:
        """Removes it with its texts and results; one that runs has to be cancelled first."""
        bridge.run(self._remove())

    async def aremove(self) -> None:
        """`remove`, awaited."""
        await bridge.run_async(self._remove())

    async def _status(self) -> JobStatus:
        return read_answer(await self._calls.read("GET", self._path()), JobStatus)

    async def _cancel(self) -> JobStatus:
        answer = await self._calls.read("POST", self._path("/cancel"))
        return read_answer(answer, JobStatus)

    async def _discard(self) -> None:
        """Cancels and removes it, as far as that can be done now."""
        with suppress(AssayError):
            await self._cancel()
            await self._remove()

    async def _remove(self) -> None:
        await self._calls.read("DELETE", self._path(), repeats="if-refused")

    def _path(self, below: str = "") -> str:
        return f"/v1/jobs/{quote(self.id, safe='')}{below}"

    async def _results(self) -> AsyncIterator[Result]:
        if not self._examples:
            raise InputError("results have texts: give the rows of the job, or ask for judgements")
        async for said in self._judgements():
            example = self._examples.get(said.example)
            if example is None:
                message = f"the job has '{said.example}', which is none of these rows"
                raise InputError(message, code="mismatch")
            yield Result(example, matched(said, example))

    async def _judgements(self) -> AsyncIterator[Judgement]:
        after, wait, author = -1, SHORTEST_LOOK, None
        while True:
            page, end = await self._patiently(partial(self._page, after))
            for judgement in page:
                author = author or judgement.author
                if judgement.author != author:
                    message = (
                        f"job {self.id} began anew with another version of its detector; those "
                        "results that you have are of the older: ask for all of them again"
                    )
                    raise ServiceError(message, code="mismatch")
                yield judgement
            after = after if isinstance(end.after, UnsetType) else end.after
            if len(page) == PAGE:
                continue
            if end.ending.state not in ("new", "running"):
                require_complete(end.ending)
                return
            wait = SHORTEST_LOOK if page else min(2 * wait, LONGEST_LOOK)
            await asyncio.sleep(wait)

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """An answer about the job, which outlives its service: one that is away may come back."""
        begun = time.monotonic()
        while True:
            try:
                return await ask()
            except ServiceError as error:
                if error.code not in AWAY:
                    raise
                if time.monotonic() - begun >= self._calls.seconds:
                    raise ServiceError(
                        f"{error}; waited {self._calls.seconds:g} s for job {self.id}, which goes "
                        "on once the service is back",
                        code=error.code,
                    ) from None
            await asyncio.sleep(min(LONGEST_LOOK, self._calls.seconds))

    async def _page(self, after: int) -> tuple[list[Judgement], EndRecord]:
        """Some results and the line behind them; an answer that is cut off is asked for again."""
        for attempt in count(1):
            try:
                return await self._read_page(after)
            except ServiceError as error:
                if error.code != CUT_OFF or attempt == ATTEMPTS:
                    raise
            await pause(FIRST_PAUSE * attempt)
        raise AssertionError("not reached")

    async def _read_page(self, after: int) -> tuple[list[Judgement], EndRecord]:
        found: list[Judgement] = []
        query = {"after": after, "most": PAGE}
        async for line in self._calls.lines("GET", self._path("/results"), query=query):
            if is_end(line):
                return found, read_end(line, ORIGIN)
            found.append(read_judgement(line, ORIGIN))
        raise self._calls.cut_off()


class _Looks:
    """Looks at a job: each new status is told, and the pauses between them grow."""

    def __init__(self, progress: Callable[[JobStatus], object] | None) -> None:
        self._progress = progress
        self._told: JobStatus | None = None
        self.pause = SHORTEST_LOOK / 2

    def has_ended(self, status: JobStatus) -> bool:
        """True if that is the last one."""
        if self._progress and status != self._told:
            self._progress(status)
        self._told = status
        self.pause = min(2 * self.pause, LONGEST_LOOK)
        return status.has_ended


async def submit(calls: ServiceCalls, rows: Iterable[Row], detector: str | None) -> RemoteJob:
    """A new job; where the service cannot read one of the rows, there is none."""
    examples = by_id(rows)
    if not examples:
        raise InputError("there are no rows to check", code="no-examples")
    body = b"\n".join(example_line(each) for each in examples.values())
    query = {"detector": detector} if detector else {}
    # Without an answer it may be there all the same, so it is not sent again then.
    answer = await calls.read(
        "POST", "/v1/jobs", body, kind=LINES, query=query, repeats="if-refused"
    )
    accepted = read_answer(answer, AcceptedRecord)
    job = RemoteJob(calls, accepted.id, examples)
    if accepted.unread_rows:
        await job._discard()
        first = accepted.problems[0] if accepted.problems else ProblemRecord("a row", "unreadable")
        raise InputError(f"{first.where}: {first.message}")
    return job


def by_id(rows: Iterable[Row]) -> dict[str, Example]:
    """The examples of a job, whose ids have to differ: results name their example by it."""
    found: dict[str, Example] = {}
    for example in chain.from_iterable(together(rows)):
        if found.setdefault(example.id, example) is not example:
            raise InputError(f"two rows of a job have the id '{example.id}'", field="id")
    return found


def read_answer(answer: bytes, kind: type[T]) -> T:
    """The value that an answer has; one of another form raises."""
    try:
        return msgspec.json.decode(answer, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ServiceError(f"{ORIGIN} cannot be read: {error}", code="not-assay") from None
