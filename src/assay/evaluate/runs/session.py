"""A run under way: every outcome is in its journal before it is counted."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from assay.checking.results import Checked
from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.detectors.judges.protocol import Judge
from assay.detectors.protocol import Detector
from assay.evaluate.runs.engine import Engine
from assay.evaluate.runs.tasks import Task, Tasks, is_open
from assay.evaluate.runs.usage import RunUsage
from assay.evaluate.runs.writer import Writer
from assay.llm.background import background
from assay.store.journal import Entry, Journal

TICK = 0.1  # seconds between two looks at how far it is

State = Literal["complete", "budget", "interrupted"]
Tick = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a session ended; `detail` says what the budget said."""

    state: State
    detail: str = ""


@dataclass(slots=True)
class Standing:
    """How far a run is; `before` counts what was done when this session began."""

    total: int
    before: int = 0
    done: int = 0
    failures: int = 0


class Session:
    """One process that works on a run, from where the last one ended."""

    def __init__(
        self,
        writer: Writer,
        tasks: Tasks,
        detectors: tuple[Detector, Detector],
        usage: RunUsage,
        *,
        workers: int = 1,
    ) -> None:
        self.journal = writer.journal
        self.name = self.journal.path.stem
        self.usage = usage
        self.standing = _standing(self.journal, tasks)
        self._writer = writer
        self._tasks = tasks
        self._detector, self._again = detectors  # the second asks anew what failed
        self._workers = workers

    def go(self, tick: Tick) -> Ending:
        """Judges what is left; `tick` is called again and again meanwhile.

        What ends it early is written down too, and all outcomes so far are kept.
        """
        state = "stopped"
        self.journal.keep("state", "running")
        first, again = self._detector, self._again
        try:
            if isinstance(first, Judge) and isinstance(again, Judge):
                ending = self._judge(first, again, tick)
            else:
                ending = self._detect(tick)
            state = ending.state
        finally:
            self._write_down(state)
        return ending

    def _write_down(self, state: str) -> None:
        told = dict.fromkeys((*self.journal.fact("adaptations", []), *self.usage.adaptations))
        # What stopped the run may be a full disk; then that is what is to be told.
        with suppress(InputError):
            self.journal.begin()
            self.journal.keep("state", state)
            self.journal.keep("usage", self.usage.record())
            self.journal.keep("adaptations", list(told))
            if state == "complete" and self._tasks.attempt:
                self.journal.keep("retry", {"attempt": self._tasks.attempt, "open": False})
            self.journal.commit()

    def _judge(self, first: Judge, again: Judge, tick: Tick) -> Ending:
        """Many at the same time, in a thread of their own."""

        def judge_for(task: Task) -> Judge:
            return again if task.attempt else first

        async def run() -> None:
            try:
                await engine.run(first.client)
            finally:
                self._writer.flush()

        engine = Engine(self._tasks, judge_for, self._keep, workers=self._workers)
        thread = background()
        future = thread.submit(run())
        try:
            while not future.done():
                wait([future], TICK)
                tick()
        except BaseException as error:
            # Whatever ended the telling, the journal may be closed only when nobody writes to it.
            _end(future, lambda: thread.loop.call_soon_threadsafe(engine.stop))
            if isinstance(error, KeyboardInterrupt):
                return Ending("interrupted")
            raise
        future.result()
        return Ending("budget", engine.over) if engine.over else Ending("complete")

    def _detect(self, tick: Tick) -> Ending:
        """One after the other, by a detector that asks nobody."""
        under_way: deque[Task] = deque()

        def examples() -> Iterator[Example]:
            for task in self._tasks:
                under_way.append(task)
                yield task.example

        try:
            for judgement in self._detector.detect(examples()):
                self._keep(under_way.popleft(), judgement)
                self._writer.flush()
                tick()
        except KeyboardInterrupt:
            return Ending("interrupted")
        return Ending("complete")

    def _keep(self, task: Task, judgement: Judgement) -> None:
        whole = task.complete(judgement)
        entry = Entry(
            task.position,
            whole.example.id,
            len(whole.failures),
            sum(map(is_open, whole.outcomes)),
            task.attempt,
            Checked(whole).to_dict(),
        )
        earlier = task.earlier.failures if task.earlier else ()
        failures = len(whole.failures) - len(earlier)
        self._writer.begin()
        self.journal.add(entry)
        self._writer.after(lambda: self._count(failures))

    def _count(self, failures: int) -> None:
        self.standing.done += 1
        self.standing.failures += failures


def _standing(journal: Journal, tasks: Tasks) -> Standing:
    """What is done: with failures to ask for again, these count as not done yet."""
    total = journal.run.chosen
    open_ones = journal.count_to_retry(tasks.attempt) if tasks.attempt else 0
    done = journal.count() - open_ones
    return Standing(total, done, done, journal.failures())


def _end(future: "Future[None]", stop: Callable[[], object]) -> None:
    """Calls work off and waits until it has ended; another Ctrl-C calls it off once more."""
    stop()
    while not future.done():
        try:
            wait([future], TICK)
        except KeyboardInterrupt:
            stop()
