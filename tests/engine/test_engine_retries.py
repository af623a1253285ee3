"""Retries of failures, detectors that ask nobody, and what ends a run."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, text

from assay.core.codec import encode
from assay.core.errors import InputError
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Failure, Verdict
from assay.datasets.selection import DataChoice
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.engine.models import KeptReplies, OnDisk, RunUsage
from assay.engine.summary import state_of, summarize
from assay.llm.calls.cache import Cached
from assay.llm.client import CallError, Line, Reply, Request, Scripted, Usage, Wrapper
from assay.store.journal import Journal
from assay.store.runs import RunStore, open_store
from assay.store.tables import judgements, replies
from assay.store.totals import count
from tests.engine.conftest import COUNT, MANIFEST, labels, nothing, open_session, write_rows
from tests.engine.judges import GOOD, Asking, Slow, Stuck
from tests.engine.test_engine import ALL_GOOD, good


def failing(word: str) -> Scripted:
    """Fails for the sentences that have this word."""

    def answer(request: Request) -> Line:
        said = request.messages[-1].content
        return CallError("parse", "unreadable", raw="??") if word in said else GOOD

    return Scripted(answer)


def test_retry_asks_only_for_failed_units_and_supersedes_what_was_said(
    both_journals: Journal, data: DataChoice
) -> None:
    journal = both_journals
    open_session(journal, data, Asking(failing(" ran"))).go(nothing)
    assert journal.failures() == COUNT
    later = Scripted(lambda request: "fabricated")
    session = open_session(journal, data, Asking(later), attempt=1)
    assert (session.standing.before, session.standing.failures) == (0, COUNT)
    assert session.go(nothing).state == "complete"
    assert labels(journal) == {f"ex{n}": [GOOD, "fabricated"] for n in range(COUNT)}
    assert len(later.requests) == COUNT
    assert {request.attempt for request in later.requests} == {1}
    assert all(" ran" in request.messages[-1].content for request in later.requests)
    assert (session.standing.failures, journal.failures()) == (0, 0)
    assert journal.fact("retry") == {"attempt": 1, "open": False}
    first = next(journal.read())
    assert (first.round, first.supersedes) == (2, "ex0/asking/1")
    kept = journal.select(select(judgements.c.round, judgements.c.is_current))
    assert sorted(map(tuple, kept)) == [(1, False)] * COUNT + [(2, True)] * COUNT


def test_retry_that_is_interrupted_goes_on_with_the_rest(
    journal: Journal, data: DataChoice
) -> None:
    open_session(journal, data, Asking(failing(" ran"))).go(nothing)
    session = open_session(journal, data, Asking(Stuck(Scripted(good), 7)), attempt=1)

    def interrupt() -> None:
        if session.standing.done >= 7:
            raise KeyboardInterrupt

    assert session.go(interrupt).state == "interrupted"
    later = Scripted(good)
    session = open_session(journal, data, Asking(later), attempt=1)
    assert session.standing.before == 7
    session.go(nothing)
    assert (len(later.requests), journal.failures()) == (COUNT - 7, 0)
    assert labels(journal) == ALL_GOOD


def test_new_examples_and_failures_are_judged_in_one_session(
    journal: Journal, data: DataChoice
) -> None:
    session = open_session(journal, data, Asking(Stuck(failing(" ran"), 11)))

    def interrupt() -> None:
        if session.standing.done >= 3:
            raise KeyboardInterrupt

    session.go(interrupt)
    failed = journal.failures()
    later = Scripted(good)
    assert open_session(journal, data, Asking(later), attempt=1).go(nothing).state == "complete"
    assert labels(journal) == ALL_GOOD
    assert len(later.requests) == failed + 2 * (COUNT - failed)


def test_what_fails_in_this_session_is_asked_for_once_more(
    journal: Journal, data: DataChoice
) -> None:
    first: list[str] = []

    def answer(request: Request) -> Line:
        said = request.messages[-1].content
        first.append(said)
        return CallError("parse", "??") if first.count(said) == 1 else GOOD

    session = open_session(journal, data, Asking(Scripted(answer)), attempt=1)
    assert session.go(nothing).state == "complete"
    assert labels(journal) == ALL_GOOD
    assert {first.count(each) for each in first} == {2}


def test_all_units_without_a_verdict_count_also_those_that_are_not_asked_for_again(
    journal: Journal, data: DataChoice
) -> None:
    def answer(request: Request) -> Line:
        said = request.messages[-1].content
        return CallError("invalid", "no answer") if " sat" in said else CallError("parse", "??")

    open_session(journal, data, Asking(Scripted(answer))).go(nothing)
    assert journal.failures() == count(journal).failures.total() == 2 * COUNT
    session = open_session(journal, data, Asking(Scripted(good)), attempt=1)
    assert session.standing.failures == 2 * COUNT
    session.go(nothing)
    assert session.standing.failures == journal.failures() == COUNT


def test_what_fails_again_is_not_asked_for_again_in_the_same_attempt(
    journal: Journal, data: DataChoice
) -> None:
    open_session(journal, data, Asking(failing("Cat 7 "))).go(nothing)
    once = failing("Cat 7 ")
    open_session(journal, data, Asking(once), attempt=1).go(nothing)
    twice = Scripted(good)
    open_session(journal, data, Asking(twice), attempt=1).go(nothing)
    assert (len(once.requests), len(twice.requests)) == (2, 0)
    third = Scripted(good)
    open_session(journal, data, Asking(third), attempt=2).go(nothing)
    assert len(third.requests) == 2


def test_failed_responses_are_asked_for_as_a_whole(journal: Journal, data: DataChoice) -> None:
    open_session(journal, data, Asking(failing("Cat 3 "), "response")).go(nothing)
    assert journal.failures() == 1
    later = Scripted(lambda request: "fabricated")
    session = open_session(journal, data, Asking(later, "response"), attempt=1)
    session.go(nothing)
    assert [request.messages[-1].content for request in later.requests] == ["Cat 3 sat. Cat 3 ran."]
    assert session.standing.failures == 0


def test_detector_that_asks_nobody_is_journaled_as_well(
    both_journals: Journal, data: DataChoice
) -> None:
    session = open_session(both_journals, data, open_detector(DetectorSpec("overlap")))
    assert session.go(nothing).state == "complete"
    assert both_journals.count() == session.standing.done == COUNT


def test_detector_that_asks_nobody_and_is_interrupted_keeps_what_it_said(
    journal: Journal, tmp_path: Path, scripted: Callable[..., Detector]
) -> None:
    data = write_rows(tmp_path / "many.jsonl", 2_000)
    wait, go_on = threading.Event(), threading.Event()

    def say(unit: object) -> Verdict:
        if "Cat 1500 sat" in unit.text:  # type: ignore[attr-defined]
            wait.set()
            go_on.wait(30)
        return Verdict(unit.id, GRAY7[GOOD])  # type: ignore[attr-defined]

    def interrupt() -> None:
        if wait.is_set():
            go_on.set()
            raise KeyboardInterrupt

    judge = scripted(say)
    session = open_session(journal, data, judge)
    assert session.go(interrupt).state == "interrupted"
    kept = journal.count()
    assert kept == session.standing.done
    assert open_session(journal, data, judge).go(nothing).state == "complete"
    assert journal.count() == 2_000


def test_offline_failures_can_be_tried_again(
    journal: Journal, data: DataChoice, scripted: Callable[..., Detector]
) -> None:
    bad = scripted(lambda unit: Failure(unit.id, "language"))
    open_session(journal, data, bad).go(nothing)
    better = scripted(lambda unit: Verdict(unit.id, GRAY7[GOOD]))
    open_session(journal, data, better, attempt=1).go(nothing)
    assert labels(journal) == ALL_GOOD


def test_journal_that_cannot_be_written_ends_the_run_with_one_error(
    runs_at: str, data: DataChoice
) -> None:
    journal = open_store(runs_at).create("a", MANIFEST)
    session = open_session(journal, data, Asking(Scripted(good)))
    with journal._engine.begin() as connection:
        connection.execute(text("DROP TABLE units"))
    with pytest.raises(InputError, match=r"cannot use the run .*units") as caught:
        session.go(nothing)
    assert "\n" not in str(caught.value)
    assert (session.standing.done, journal.count()) == (0, 0)
    with pytest.raises(InputError, match="units"):
        journal.close()


def test_data_that_breaks_while_it_is_read_ends_it_and_keeps_the_rest(
    journal: Journal, data: DataChoice
) -> None:
    lines = Path(data.target).read_text("utf-8").splitlines()
    session = open_session(journal, data, Asking(Slow(Scripted(good))))
    Path(data.target).write_text("\n".join([*lines[:20], "{broken", *lines[21:]]), "utf-8")
    with pytest.raises(InputError, match="the data changed while it was read"):
        session.go(nothing)
    assert 0 < journal.count() <= 20


def kept_in(journal: Journal | None = None) -> KeptReplies:
    kept = KeptReplies(RunUsage())
    kept.journal = journal
    return kept


def test_reply_is_used_only_once_it_is_on_disk(both_journals: Journal, runs_at: str) -> None:
    kept, reply = kept_in(both_journals), Reply(GOOD, Usage(1, 5))

    async def ask() -> None:
        with both_journals.on_loop():
            await OnDisk(Cached(Scripted([reply]), kept), kept).ask(Request(()))
            with open_store(runs_at).open("a") as reader:
                found = reader.select(select(replies.c.reply))
                assert [row.reply for row in found] == [encode(reply).decode()]

    asyncio.run(ask())


def test_replies_without_any_wait_are_judged_and_kept_one_by_one(
    journal: Journal, tmp_path: Path
) -> None:
    data = write_rows(tmp_path / "many.jsonl", 500)
    seen: list[int] = []

    def answer(request: Request) -> Line:
        seen.append(session.standing.done)
        return Reply(GOOD, Usage(1, 1), cached=True)

    session = open_session(journal, data, Asking(OnDisk(Scripted(answer), kept_in())))
    assert session.go(nothing).state == "complete"
    # What was asked and not yet kept stays small, however quick the answers are.
    assert max(asked // 2 - done for asked, done in enumerate(seen)) < 80


def test_summary_says_how_far_it_is(journal: Journal, data: DataChoice, store: RunStore) -> None:
    open_session(journal, data, Asking(failing("Cat 7 "))).go(nothing)
    summary = summarize(store, "a").to_dict()
    assert (summary["done"], summary["total"], summary["state"]) == (COUNT, COUNT, "complete")
    assert summary["labels"] == {GOOD: 58}
    assert summary["failures"] == {"parse": 2}
    assert summary["coverage"] == round(58 / 60, 4)


def test_run_that_should_be_running_and_is_not_was_killed(
    journal: Journal, store: RunStore
) -> None:
    assert state_of(store, journal) == "new"
    journal.keep(state="running")
    assert state_of(store, journal) == "killed"
    with store.lock("a"):
        assert state_of(store, journal) == "running"


class Faulty(Wrapper):
    """Has a fault that shows after so many questions, as a plugin may have."""

    left = 20

    async def ask(self, request: Request) -> Reply:
        self.left -= 1
        if self.left < 0:
            raise ZeroDivisionError("a fault")
        return await self.client.ask(request)


def test_fault_of_a_detector_is_raised_as_it_is_and_what_was_judged_is_kept(
    both_journals: Journal, data: DataChoice
) -> None:
    session = open_session(both_journals, data, Asking(Faulty(Scripted(good))))
    with pytest.raises(ZeroDivisionError, match="a fault"):
        session.go(nothing)
    assert both_journals.fact("state") == "stopped"
    before = both_journals.count()
    assert 0 < before < COUNT
    later = Scripted(good)
    assert open_session(both_journals, data, Asking(later)).go(nothing).state == "complete"
    assert (labels(both_journals), len(later.requests)) == (ALL_GOOD, 2 * (COUNT - before))
