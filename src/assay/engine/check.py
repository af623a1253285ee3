"""Checking: every response that is given, judged by its source.

A detector that needs no model judges while the data is read. One that asks a model goes through the
journaled run: the rows are set aside, each reply is on disk before it is used, and when a check is
cut off, the same check goes on where it stopped; one that left failures asks again for these. What
was kept for a check is removed when every unit has a verdict, or after a month. Work that takes
long without a model to ask can go through the journal too.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import TYPE_CHECKING, Protocol
from typing import Annotated as With

from assay.core.errors import BudgetError, InputError, ServiceError
from assay.core.examples import Annotated
from assay.core.judgements import Manifest
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.stages import StageUses
from assay.core.system import bridge
from assay.datasets.selection import DataChoice
from assay.detectors.protocol import closing, uses_of
from assay.detectors.registry import PEERS, DetectorSpec
from assay.engine.check_traces import CheckRecord
from assay.engine.engines import THIS_PROCESS, EngineChoice
from assay.engine.kept_checks import (
    OnProblem,
    Row,
    clean,
    clear,
    result_of,
    set_aside,
    set_damaged_aside,
    state_folder,
)
from assay.engine.prepared import PreparedDetector, in_order
from assay.knowledge.opening import KnowledgeChoice

if TYPE_CHECKING:
    from assay.engine.estimate import RunEstimate
    from assay.engine.session import Session, Tick, Watched
    from assay.store.runs import FolderRuns

Watch = Callable[["Watched"], AbstractContextManager["Tick"]]

_ANY_ATTEMPT = 2**31 - 1
_MOST_AT_ONCE = 16  # checks of the very same data, by processes that do not know of each other
_TAKEN = ("run-locked", "run-exists", "run-complete", "no-such-run")  # while it was being opened


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The detector, what it learns from, and where it looks up what the source does not say."""

    detector: DetectorSpec = field(default_factory=DetectorSpec)
    peers: With[str, PEERS] = ""
    knowledge: KnowledgeChoice = field(default_factory=KnowledgeChoice)

    def __post_init__(self) -> None:
        name, learns = self.detector.name, self.detector.capabilities.reads_annotations
        if learns and not self.peers:
            raise InputError(
                f"detector '{name}' learns from annotated responses to the same sources, and none "
                "are given",
                field="peers",
                code="no-peers",
            )
        if self.peers and not learns:
            raise InputError(f"detector '{name}' learns from no peers", field="peers")


class Check(Protocol):
    """A check that is ready to begin: whatever is wrong and can be known has been raised."""

    @property
    def manifest(self) -> Manifest:
        """The detector and what it judges."""

    @property
    def usage(self) -> str:
        """The calls that were made and their cost, in words; empty where no model was asked."""

    @property
    def stages(self) -> StageUses:
        """The work of each part of a combined detector so far."""
        ...

    def results(self, on_problem: OnProblem) -> Iterator[Result]:
        """The results in the order of the data; rows that cannot be read are reported as they come.

        What cuts it off is raised once all that was judged has been given.
        """

    async def collect(self, on_problem: OnProblem) -> list[Result]:
        """All results, for a caller with an event loop; cancelling it cancels calls under way."""


def start_check(
    rows: Iterable[Row],
    request: CheckRequest,
    watch: Watch | None = None,
    *,
    journal: bool = True,
    engine: EngineChoice = THIS_PROCESS,
) -> Check:
    """A check of some rows; without `journal` nothing is kept, which is for single short texts.

    A detector that needs no model judges where the `engine` says.
    """
    if request.detector.capabilities.asks_model and journal:
        return _JournaledCheck(rows, request, watch or (lambda session: nullcontext(_do_nothing)))
    return _DirectCheck(rows, request, engine)


def start_kept_check(rows: Iterable[Row], request: CheckRequest, watch: Watch) -> Check:
    """A check with a journal, whatever the detector, which stays for a month when it is complete.

    The same check of the same rows then has all its results at once.
    """
    return _JournaledCheck(rows, request, watch, keep=True)


def estimate_check(rows: Iterable[Row], request: CheckRequest) -> "RunEstimate":
    """The cost of a check; its rows are read, and nothing is sent."""
    from assay.engine.estimate import estimate_run
    from assay.engine.request import RunRequest

    unread = 0

    def leave_out(problem: Problem) -> None:
        nonlocal unread
        unread += 1

    with TemporaryDirectory() as folder:
        spool, _ = set_aside(rows, Path(folder), leave_out, "")
        wanted = RunRequest(
            DataChoice(str(spool)), request.detector, request.peers, request.knowledge
        )
        return replace(estimate_run(wanted), unread=unread)


class _DirectCheck:
    """Judges while the data is read."""

    def __init__(self, rows: Iterable[Row], request: CheckRequest, engine: EngineChoice) -> None:
        self._rows = rows
        self._prepared = PreparedDetector.of(request, engine)
        self.manifest = self._prepared.manifest

    @property
    def usage(self) -> str:
        return self._prepared.usage

    @property
    def stages(self) -> StageUses:
        return uses_of(self._prepared.detector)

    def results(self, on_problem: OnProblem) -> Iterator[Result]:
        return bridge.iterate(self._results(on_problem), ahead=1)

    async def collect(self, on_problem: OnProblem) -> list[Result]:
        async def all_of_them() -> list[Result]:
            return [result async for result in self._results(on_problem)]

        return await bridge.run_async(all_of_them())

    async def _results(self, on_problem: OnProblem) -> AsyncIterator[Result]:
        judge = self._prepared.detector.judge
        judging = in_order(judge, self.manifest, self._rows, on_problem)
        async with self._prepared.connected(), closing(judging) as results:
            async for result in results:
                yield result


class _JournaledCheck:
    """Sets the rows aside, runs over them with a journal, and reads the results from that."""

    def __init__(
        self, rows: Iterable[Row], request: CheckRequest, watch: Watch, *, keep: bool = False
    ) -> None:
        self._rows = rows
        self._request = request
        self._watch = watch
        self._keep = keep
        self.manifest = PreparedDetector.of(request).manifest
        self.usage = ""
        self.stages: StageUses = ()
        self._places: list[RowPlace | None] = []  # by the position of what was set aside

    def results(self, on_problem: OnProblem) -> Iterator[Result]:
        from assay.store.runs import FolderRuns

        store = FolderRuns(state_folder())
        clean(store)
        self._places = []
        noted = _noting_places(self._rows, self._places)
        spool, digest = set_aside(noted, store.folder, on_problem, repr(self.manifest))
        try:
            if spool.stat().st_size:  # otherwise there are no rows, or all had problems
                yield from self._judge(DataChoice(str(spool)), store, f"check-{digest}")
        finally:
            spool.unlink(missing_ok=True)

    def _judge(self, data: DataChoice, store: "FolderRuns", name: str) -> Iterator[Result]:
        error: BaseException | None = None
        with ExitStack() as opened:
            record = opened.enter_context(CheckRecord(self.manifest))
            session = self._open(opened, data, store, name)
            try:
                with self._watch(session) as tick, record.active():
                    ending = session.go(tick)
                if ending.state == "budget":
                    error = BudgetError(ending.detail)
                else:
                    error = ending.interruption
            except ServiceError as failure:
                error = failure
            self.usage, self.stages = session.usage.describe(), session.usage.stages
            is_worth_keeping = session.journal.count() or session.has_spent
            is_unfinished = session.journal.count_to_retry(_ANY_ATTEMPT) > 0
            for position, row in enumerate(data.read()):
                judgement = session.journal.judgement_at(position)
                if judgement and isinstance(row, Annotated):
                    example = replace(row.example, place=self._places[position])
                    yield record.told(result_of(example, judgement))
            if error is not None:
                record.fail(error)
        is_done = error is None and not is_unfinished and not self._keep
        if not is_worth_keeping or is_done:
            clear(store, session.name)
        if error is not None:
            raise error

    def _open(
        self, opened: ExitStack, data: DataChoice, store: "FolderRuns", name: str
    ) -> "Session":
        """A session of a check that was cut off, or else of a new one.

        The very same check may be under way: then this is another one, under another name.
        """
        from assay.engine.opening import open_run
        from assay.engine.request import RunRequest

        request = self._request
        names = [name, *(f"{name}-{number}" for number in range(2, _MOST_AT_ONCE + 1))]
        for each in sorted(names, key=lambda each: not store.has(each)):
            run = RunRequest(data, request.detector, request.peers, request.knowledge, each)
            set_damaged_aside(store, each)
            try:
                return opened.enter_context(
                    open_run(run, store, resume=None, retry=store.has(each))
                )
            except InputError as error:
                if error.code not in _TAKEN:
                    raise
        raise InputError(f"the same check is under way {_MOST_AT_ONCE} times already")

    async def collect(self, on_problem: OnProblem) -> list[Result]:
        cancelled = Event()

        def tick() -> None:
            if cancelled.is_set():
                raise KeyboardInterrupt

        def all_of_them() -> list[Result]:
            try:
                return list(self.results(on_problem))
            except KeyboardInterrupt:  # by `tick`; in a task it would end the caller's loop
                return []

        self._watch = lambda session: nullcontext(tick)
        work = asyncio.ensure_future(asyncio.to_thread(all_of_them))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([work])
            work.exception()  # whatever it is, the caller no longer waits for it
            raise


def _noting_places(rows: Iterable[Row], places: list[RowPlace | None]) -> Iterator[Row]:
    """The rows, once the places of those that can be judged are noted."""
    for row in rows:
        if not isinstance(row, Problem):
            places.append((row.example if isinstance(row, Annotated) else row).place)
        yield row


def _do_nothing() -> None:
    """Shows no progress."""
