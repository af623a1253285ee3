"""A run under way: every judgement is in its journal before it is counted."""

from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

from assay.core.errors import AssayError, BudgetError, InputError, ServiceError
from assay.core.examples import Example
from assay.core.judgements import Judgement, utc_now
from assay.core.system import bridge
from assay.core.system.signals import Terminated
from assay.detectors.protocol import Detector, closing
from assay.engine.models import ModelPool, RunUsage, may_be_charged
from assay.engine.tasks import RunTask, Tasks, is_open
from assay.knowledge.sources import KnowledgeSource
from assay.store.journal import Journal
from assay.store.rows import JournalEntry

TICK = 0.1  # seconds between two looks at how far it is
PATIENCE = 20  # examples in a row that a service may leave without an answer

T = TypeVar("T")
State = Literal["complete", "budget", "interrupted", "terminated"]
Tick = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session; `detail` is the message of the budget."""

    state: State
    detail: str = ""

    @property
    def interruption(self) -> KeyboardInterrupt | None:
        """The exception to raise for a user who ended it; None where nobody did."""
        if self.state == "terminated":
            return Terminated()
        return KeyboardInterrupt() if self.state == "interrupted" else None


@dataclass(slots=True)
class RunProgress:
    """Counts of a run so far; `before` is what was done when this session began."""

    total: int
    before: int = 0
    done: int = 0
    failures: int = 0


class Watched(Protocol):
    """Work under way, as a progress bar shows it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def standing(self) -> RunProgress:
        """Its progress."""

    @property
    def usage(self) -> RunUsage:
        """Its calls, tokens and costs."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Those that work on a run: a detector, the same one for retries, and what they ask."""

    detector: Detector
    again: Detector
    pool: ModelPool
    knowledge: KnowledgeSource | None = None


class Session:
    """One process that works on a run, from where the last one ended."""

    def __init__(self, journal: Journal, tasks: Tasks, crew: Crew) -> None:
        self.journal = journal
        self.name = journal.name
        self.usage = crew.pool.usage
        self.standing = _standing(journal, tasks)
        self._tasks = tasks
        self._crew = crew
        self._lost = 0
        self._ends_early = self._has_left = False

    @property
    def has_spent(self) -> bool:
        """True if the run may have cost something, or has used up some of a budget."""
        return may_be_charged(self.usage.record())

    def end_early(self) -> None:
        """Begins no more examples: what is under way is judged, since it is paid for; then it ends.

        It has been interrupted then, unless nothing was left.
        """
        self._ends_early = True

    def go(self, tick: Tick) -> Ending:
        """Judges what is left; `tick` is called again and again meanwhile.

        What ends it early is written down too, and all judgements so far are kept.
        """
        state = "stopped"
        self.journal.keep(state="running")
        self.journal.flush()
        try:
            require_room(self.journal, self._crew.pool)
            ending = wait_for(journaled(self._work(), self.journal, self._crew.pool), tick)
            state = ending.state
        except KeyboardInterrupt as error:
            ending = Ending(interrupted_state(error))
            state = ending.state
        finally:
            self._write_down(state)
        return ending

    async def _work(self) -> Ending:
        crew = self._crew
        try:
            async with AsyncExitStack() as opened:
                if crew.knowledge:
                    await opened.enter_async_context(crew.knowledge)
                await self._judge(crew.detector, self._tasks.new())
                self.journal.flush()  # what just failed is found below
                await self._judge(crew.again, self._tasks.again())
        except BudgetError as error:
            return Ending("budget", str(error))
        return Ending("interrupted" if self._has_left else "complete")

    async def _judge(self, detector: Detector, tasks: Iterator[RunTask]) -> None:
        """Judges tasks as they are found, and keeps each judgement as soon as it is there.

        Where the data cannot be read on, those under way are judged first: they may be paid for.
        """
        under_way: dict[str, RunTask] = {}
        problems: list[InputError] = []

        def examples() -> Iterator[Example]:
            try:
                for task in tasks:
                    if self._ends_early:
                        self._has_left = True
                        return
                    under_way[task.example.id] = task
                    yield task.example
            except InputError as error:
                problems.append(error)

        async with closing(detector.judge(examples())) as judgements:
            async for judgement in judgements:
                self._keep(under_way.pop(judgement.example), judgement)
                self._watch_service(judgement)
        if problems:
            raise problems[0]

    def _keep(self, task: RunTask, judgement: Judgement) -> None:
        whole = replace(task.complete(judgement), at=utc_now())
        earlier = task.earlier.failures if task.earlier else ()
        failures = len(whole.failures) - len(earlier)
        retryable = sum(map(is_open, whole.outcomes))
        entry = JournalEntry(task.position, whole, retryable, task.attempt)
        self.journal.add(entry, lambda: self._count(failures))

    def _count(self, failures: int) -> None:
        self.standing.done += 1
        self.standing.failures += failures

    def _watch_service(self, judgement: Judgement) -> None:
        """Ends it where nothing comes back any more: the rest would only become failures."""
        failures = judgement.failures
        is_lost = len(failures) == len(judgement.outcomes) and all(
            each.reason == "transport" for each in failures
        )
        self._lost = self._lost + 1 if failures and is_lost else 0
        if self._lost >= max(PATIENCE, self._crew.pool.workers):
            raise ServiceError(
                f"nothing came back for {self._lost:,} examples in a row ({failures[-1].detail}): "
                "the service seems to be down",
                code="service-down",
            )

    def _write_down(self, state: str) -> None:
        told = dict.fromkeys((*self.journal.fact("adaptations", []), *self.usage.adaptations))
        self.journal.keep(state=state, adaptations=list(told))
        if state == "complete" and self._tasks.attempt:
            self.journal.keep(retry={"attempt": self._tasks.attempt, "open": False})
        try:
            self.journal.flush()
        except AssayError:
            if state == "complete":  # otherwise what stopped it is raised: perhaps a full disk
                raise


def interrupted_state(error: KeyboardInterrupt) -> State:
    """The state of work that its user ended."""
    return "terminated" if isinstance(error, Terminated) else "interrupted"


def require_room(journal: Journal, *pools: ModelPool) -> None:
    """Raises where there is no room for as many replies as may be under way at the same time."""
    calls = sum(pool.workers for pool in pools if pool.clients)
    if calls:
        journal.require_room(calls)


async def journaled(work: Coroutine[Any, Any, T], journal: Journal, pool: ModelPool) -> T:
    """Does work that asks models, whose replies reach the journal before they are used."""
    with journal.on_loop():
        async with pool:
            return await work


def wait_for(work: Coroutine[Any, Any, T], tick: Tick) -> T:
    """The result of work on the event loop; `tick` is called again and again meanwhile.

    Whatever ends the waiting, Ctrl-C included, is raised when the work has ended as well.
    """
    future = bridge.submit(work)
    try:
        while not future.done():
            wait([future], TICK)
            tick()
    except BaseException:
        _end(future)
        raise
    return future.result()


def _standing(journal: Journal, tasks: Tasks) -> RunProgress:
    """The progress at the start; failures to ask for again count as not done yet."""
    open_ones = journal.count_to_retry(tasks.attempt) if tasks.attempt else 0
    done = journal.count() - open_ones
    return RunProgress(journal.manifest.chosen, done, done, journal.failures())


def _end(future: "Future[Any]") -> None:
    """Cancels work and waits until it has ended; another Ctrl-C cancels it once more."""
    future.cancel()
    while not future.done():
        try:
            wait([future], TICK)
        except KeyboardInterrupt:
            future.cancel()
