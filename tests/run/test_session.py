"""A run under way: nothing is counted that is not on disk, and nothing on disk is lost."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from assay.core import Failure, InputError, Verdict
from assay.core.errors import ServiceError
from assay.core.runs import Run
from assay.core.taxonomies import GRAY7
from assay.detectors import Detector, load_detector
from assay.evaluate.runs.data import DataChoice
from assay.evaluate.runs.session import Session
from assay.evaluate.runs.summary import summarize
from assay.evaluate.runs.tasks import Tasks
from assay.evaluate.runs.usage import RunUsage
from assay.evaluate.runs.writer import Writer
from assay.llm.background import background
from assay.llm.client import CallError, Client, Numbered, Reply, Request, Wrapper
from assay.llm.scripted import Line, Scripted
from assay.store.journal import Journal, create_journal, open_journal
from tests.evaluate.runs.judges import Asking

COUNT = 30
GOOD = "explicitly-supported"
Open = Callable[..., Session]


@pytest.fixture
def data(tmp_path: Path) -> DataChoice:
    """Examples of two sentences each."""
    rows = (
        {"id": f"ex{n}", "source": "The cat sat.", "response": f"Cat {n} sat. Cat {n} ran."}
        for n in range(COUNT)
    )
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return DataChoice(str(tmp_path / "a.jsonl"))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    run = Run("asking", "1", judge="asking", taxonomy="gray7", examples=COUNT)
    with create_journal(tmp_path / "a.sqlite", run) as made:
        yield made


def open_session(
    journal: Journal, data: DataChoice, detector: Detector, *, attempt: int = 0
) -> Session:
    """A session as `open_run` makes it, with a detector of our own."""
    usage = RunUsage()
    usage.go_on(journal.fact("usage", {}))
    again = detector
    if isinstance(detector, Asking):
        again = Asking(Numbered(detector.client, attempt=attempt), detector.unit_kind)
    soon = background().loop.call_soon if isinstance(detector, Asking) else None
    tasks = Tasks(data, None, journal, attempt, GRAY7)
    return Session(Writer(journal, usage, soon), tasks, (detector, again), usage, workers=4)


def outcomes(journal: Journal) -> dict[str, list[Any]]:
    """The labels of each example."""
    records = map(json.loads, journal.lines())
    return {each["id"]: [unit["label"] for unit in each["sentences"]] for each in records}


def nothing() -> None:
    """What is called meanwhile."""


def test_run_is_complete_and_every_example_is_there_once(
    journal: Journal, data: DataChoice
) -> None:
    client = Scripted(lambda request: GOOD)
    session = open_session(journal, data, Asking(client))
    assert session.go(nothing).state == "complete"
    assert outcomes(journal) == {f"ex{n}": [GOOD, GOOD] for n in range(COUNT)}
    assert (session.standing.done, session.standing.failures) == (COUNT, 0)
    assert len(client.requests) == 2 * COUNT
    assert journal.fact("state") == "complete"


def test_what_is_counted_is_on_disk(journal: Journal, data: DataChoice, tmp_path: Path) -> None:
    session = open_session(journal, data, Asking(Scripted(lambda request: GOOD)))
    seen: list[tuple[int, int]] = []
    count = session._count

    def look(failures: int) -> None:
        count(failures)
        with open_journal(tmp_path / "a.sqlite") as reader:
            seen.append((session.standing.done, reader.count()))

    session._count = look  # type: ignore[method-assign]
    session.go(nothing)
    assert len(seen) == COUNT
    assert all(counted <= on_disk for counted, on_disk in seen)


def test_session_goes_on_where_the_last_one_was_interrupted(
    journal: Journal, data: DataChoice
) -> None:
    session = open_session(journal, data, Asking(Stuck(Scripted(lambda request: GOOD), 11)))

    def interrupt() -> None:
        if session.standing.done >= 3:
            raise KeyboardInterrupt

    ending = session.go(interrupt)
    assert ending.state == "interrupted"
    assert journal.fact("state") == "interrupted"
    before = journal.count()
    assert 3 <= before <= 5
    later = Scripted(lambda request: GOOD)
    session = open_session(journal, data, Asking(later))
    assert (session.standing.before, session.standing.total) == (before, COUNT)
    assert session.go(nothing).state == "complete"
    assert outcomes(journal) == {f"ex{n}": [GOOD, GOOD] for n in range(COUNT)}
    assert len(later.requests) == 2 * (COUNT - before)


class Stuck(Wrapper):
    """Answers so many questions; the others wait for ever."""

    def __init__(self, client: Client, most: int) -> None:
        super().__init__(client)
        self.left = most

    async def ask(self, request: Request) -> Reply:
        self.left -= 1
        if self.left < 0:
            await asyncio.sleep(3600)
        return await self.client.ask(request)


class SlowToEnd(Stuck):
    """A call that is called off takes a while to end."""

    under_way = 0

    async def ask(self, request: Request) -> Reply:
        self.under_way += 1
        try:
            return await super().ask(request)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)
            raise
        finally:
            self.under_way -= 1


@pytest.mark.parametrize("error", [BrokenPipeError, KeyboardInterrupt, ValueError])
def test_nothing_is_under_way_any_more_when_an_error_in_telling_ends_it(
    error: type[BaseException], journal: Journal, data: DataChoice
) -> None:
    client = SlowToEnd(Scripted(lambda request: GOOD), 11)
    session = open_session(journal, data, Asking(client))
    under_way: list[int] = []

    def fail() -> None:
        if session.standing.done >= 3:
            under_way.append(client.under_way)
            raise error

    with nullcontext() if error is KeyboardInterrupt else pytest.raises(error):
        session.go(fail)
    assert (under_way, client.under_way) == ([4], 0)
    assert session.standing.done == journal.count() >= 3
    assert journal.fact("state") in ("interrupted", "stopped")


def answer_until(asked: list[str], most: int) -> Callable[[Request], Line]:
    """Answers so many questions, then the service is gone."""

    def answer(request: Request) -> Line:
        asked.append(request.messages[-1].content)
        return GOOD if len(asked) <= most else ServiceError("the key is wrong")

    return answer


def test_service_error_keeps_what_was_judged(journal: Journal, data: DataChoice) -> None:
    session = open_session(journal, data, Asking(Scripted(answer_until([], 11))))
    with pytest.raises(ServiceError, match="the key is wrong"):
        session.go(nothing)
    assert 0 < journal.count() < COUNT
    assert session.standing.done == journal.count()
    assert journal.fact("state") == "stopped"


def test_spent_budget_is_an_ending_and_incomplete_examples_are_judged_later(
    journal: Journal, data: DataChoice
) -> None:
    lines: list[Line] = [GOOD] * 9
    client = Scripted(lambda request: lines.pop() if lines else CallError("budget", "used up"))
    ending = open_session(journal, data, Asking(client)).go(nothing)
    assert (ending.state, ending.detail) == ("budget", "used up")
    assert journal.count() < COUNT
    assert journal.failures() == 0
    session = open_session(journal, data, Asking(Scripted(lambda request: GOOD)))
    assert session.go(nothing).state == "complete"
    assert journal.count() == COUNT


def failing(word: str) -> Client:
    """Fails for the sentences that have this word."""

    def answer(request: Request) -> Line:
        text = request.messages[-1].content
        return CallError("parse", "unreadable", raw="??") if word in text else GOOD

    return Scripted(answer)


def test_retry_asks_only_for_failed_units_as_a_new_attempt(
    journal: Journal, data: DataChoice
) -> None:
    open_session(journal, data, Asking(failing(" ran"))).go(nothing)
    assert journal.failures() == COUNT
    later = Scripted(lambda request: "fabricated")
    session = open_session(journal, data, Asking(later), attempt=1)
    assert (session.standing.before, session.standing.failures) == (0, COUNT)
    assert session.go(nothing).state == "complete"
    assert outcomes(journal) == {f"ex{n}": [GOOD, "fabricated"] for n in range(COUNT)}
    assert len(later.requests) == COUNT
    assert {request.attempt for request in later.requests} == {1}
    assert all(" ran" in request.messages[-1].content for request in later.requests)
    assert (session.standing.failures, journal.failures()) == (0, 0)
    assert journal.fact("retry") == {"attempt": 1, "open": False}


def test_all_units_without_a_verdict_count_also_those_that_are_not_asked_for_again(
    journal: Journal, data: DataChoice
) -> None:
    def answer(request: Request) -> Line:
        text = request.messages[-1].content
        return CallError("invalid", "no answer") if " sat" in text else CallError("parse", "??")

    open_session(journal, data, Asking(Scripted(answer))).go(nothing)
    assert journal.failures() == summarize("a", journal).totals.failures.total() == 2 * COUNT
    session = open_session(journal, data, Asking(Scripted(lambda request: GOOD)), attempt=1)
    assert session.standing.failures == 2 * COUNT
    session.go(nothing)
    assert session.standing.failures == journal.failures() == COUNT


def test_what_fails_again_is_not_asked_for_again_in_the_same_attempt(
    journal: Journal, data: DataChoice
) -> None:
    open_session(journal, data, Asking(failing("Cat 7 "))).go(nothing)
    once = failing("Cat 7 ")
    open_session(journal, data, Asking(once), attempt=1).go(nothing)
    twice = Scripted(lambda request: GOOD)
    open_session(journal, data, Asking(twice), attempt=1).go(nothing)
    assert isinstance(once, Scripted)
    assert (len(once.requests), len(twice.requests)) == (2, 0)
    third = Scripted(lambda request: GOOD)
    open_session(journal, data, Asking(third), attempt=2).go(nothing)
    assert len(third.requests) == 2


def test_failed_responses_are_asked_for_as_a_whole(journal: Journal, data: DataChoice) -> None:
    open_session(journal, data, Asking(failing("Cat 3"), "response")).go(nothing)
    failed = journal.failures()  # Cat 3
    assert failed == 1
    later = Scripted(lambda request: "fabricated")
    session = open_session(journal, data, Asking(later, "response"), attempt=1)
    session.go(nothing)
    assert [request.messages[-1].content for request in later.requests] == ["Cat 3 sat. Cat 3 ran."]
    assert session.standing.failures == 0


def test_detector_that_asks_nobody_is_journaled_one_by_one(
    journal: Journal, data: DataChoice, tmp_path: Path
) -> None:
    on_disk: list[int] = []

    def look() -> None:
        with open_journal(tmp_path / "a.sqlite") as reader:
            on_disk.append(reader.count())

    session = open_session(journal, data, load_detector("overlap"))
    assert session.go(look).state == "complete"
    assert on_disk == list(range(1, COUNT + 1))


def test_offline_detector_that_is_interrupted_keeps_what_it_said(
    journal: Journal, data: DataChoice, scripted: Callable[..., Detector]
) -> None:
    ticks = iter(range(5))

    def interrupt() -> None:
        if next(ticks, None) is None:
            raise KeyboardInterrupt

    judge = scripted(lambda unit: Verdict(unit, GRAY7[GOOD]))
    assert open_session(journal, data, judge).go(interrupt).state == "interrupted"
    assert journal.count() == 6
    assert open_session(journal, data, judge).go(nothing).state == "complete"
    assert journal.count() == COUNT


def test_offline_failures_can_be_tried_again(
    journal: Journal, data: DataChoice, scripted: Callable[..., Detector]
) -> None:
    bad = scripted(lambda unit: Failure(unit, "language"))
    open_session(journal, data, bad).go(nothing)
    good = scripted(lambda unit: Verdict(unit, GRAY7[GOOD]))
    open_session(journal, data, good, attempt=1).go(nothing)
    assert outcomes(journal)["ex0"] == [GOOD, GOOD]


def test_journal_that_cannot_be_written_ends_the_run_with_one_error(
    journal: Journal, data: DataChoice
) -> None:
    session = open_session(journal, data, Asking(Scripted(lambda request: GOOD)))
    full = "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    journal.connection.execute(f"CREATE TRIGGER full BEFORE INSERT ON outcomes {full}")
    with pytest.raises(InputError, match=r"cannot write the run .*: the disk is full"):
        session.go(nothing)
    assert session.standing.done == 0


def test_summary_says_how_far_it_is(journal: Journal, data: DataChoice) -> None:
    open_session(journal, data, Asking(failing("Cat 7 "))).go(nothing)
    summary = summarize("a", journal).to_dict()
    assert (summary["done"], summary["total"], summary["state"]) == (COUNT, COUNT, "complete")
    assert summary["labels"] == {GOOD: 58}
    assert summary["failures"] == {"parse": 2}
    assert summary["coverage"] == round(58 / 60, 4)
    journal.keep("state", "running")
    assert summarize("a", journal).state == "killed"
