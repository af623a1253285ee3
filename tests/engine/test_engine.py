"""A run under way: nothing is counted that is not on disk, and nothing on disk is lost."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from assay.core.codec import encode
from assay.core.errors import BudgetError, InputError, ServiceError
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Failure, Verdict
from assay.datasets.selection import DataChoice
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.detectors.vote import vote
from assay.engine.models import KeptReplies, OnDisk
from assay.engine.session import PATIENCE
from assay.engine.summary import count, state_of, summarize
from assay.engine.usage import Usage as RunUsage
from assay.llm.cache import Cached
from assay.llm.client import CallError, Client, Reply, Request, Usage, Wrapper
from assay.llm.scripted import Line, Scripted
from assay.store.journal import Journal
from assay.store.runs import RunStore, open_store
from assay.store.tables import judgements, replies
from tests.engine.conftest import COUNT, MANIFEST, labels, nothing, open_session, write_rows
from tests.engine.judges import GOOD, WORKERS, Asking, Backwards, Slow, Stuck

ALL_GOOD = {f"ex{n}": [GOOD, GOOD] for n in range(COUNT)}


def good(request: Request) -> Line:
    return GOOD


def test_every_example_is_judged_once_by_several_workers(
    both_journals: Journal, data: DataChoice
) -> None:
    script = Scripted(good)
    client = Slow(script)
    session = open_session(both_journals, data, Asking(client))
    assert session.go(nothing).state == "complete"
    assert labels(both_journals) == ALL_GOOD
    assert (session.standing.done, session.standing.failures) == (COUNT, 0)
    assert (len(script.requests), client.most) == (2 * COUNT, WORKERS)
    assert both_journals.fact("state") == "complete"


def test_order_in_which_answers_come_does_not_matter(journal: Journal, data: DataChoice) -> None:
    def own(request: Request) -> Line:
        return "fabricated" if "Cat 7 " in request.messages[-1].content else GOOD

    session = open_session(journal, data, Asking(Backwards(Scripted(own))))
    assert session.go(nothing).state == "complete"
    assert labels(journal) == ALL_GOOD | {"ex7": ["fabricated"] * 2}
    assert list(labels(journal)) == [f"ex{n}" for n in range(COUNT)]


def test_what_is_counted_is_on_disk(journal: Journal, data: DataChoice, store: RunStore) -> None:
    session = open_session(journal, data, Asking(Scripted(good)))
    seen: list[tuple[int, int]] = []
    note = session._count

    def look(failures: int) -> None:
        note(failures)
        with store.open("a") as reader:
            seen.append((session.standing.done, reader.count()))

    session._count = look  # type: ignore[method-assign]
    session.go(nothing)
    assert len(seen) == COUNT
    assert all(counted <= on_disk for counted, on_disk in seen)


def test_examples_are_read_only_as_they_are_needed(journal: Journal, data: DataChoice) -> None:
    client = Stuck(Scripted(good), 0)
    session = open_session(journal, data, Asking(client))
    taken: list[int] = []
    new = session._tasks.new

    def reading() -> Iterator[object]:
        for task in new():
            taken.append(task.position)
            yield task

    object.__setattr__(session, "_tasks", _Reading(session._tasks, reading))

    def interrupt() -> None:
        if client.under_way == WORKERS:
            raise KeyboardInterrupt

    assert session.go(interrupt).state == "interrupted"
    assert taken == list(range(WORKERS))


class _Reading:
    """Tasks whose reading is watched."""

    def __init__(self, tasks: object, new: Callable[[], Iterator[object]]) -> None:
        self._tasks = tasks
        self.new = new

    def __getattr__(self, name: str) -> object:
        return getattr(self._tasks, name)


def test_session_goes_on_where_the_last_one_was_interrupted(
    both_journals: Journal, data: DataChoice
) -> None:
    journal = both_journals
    session = open_session(journal, data, Asking(Stuck(Scripted(good), 11)))

    def interrupt() -> None:
        if session.standing.done >= 3:
            raise KeyboardInterrupt

    assert session.go(interrupt).state == "interrupted"
    assert journal.fact("state") == "interrupted"
    before = journal.count()
    assert 3 <= before <= 5
    later = Scripted(good)
    session = open_session(journal, data, Asking(later))
    assert (session.standing.before, session.standing.total) == (before, COUNT)
    assert session.go(nothing).state == "complete"
    assert labels(journal) == ALL_GOOD
    assert len(later.requests) == 2 * (COUNT - before)


@pytest.mark.parametrize("error", [BrokenPipeError, KeyboardInterrupt, ValueError])
def test_nothing_is_under_way_any_more_when_an_error_in_telling_ends_it(
    error: type[BaseException], journal: Journal, data: DataChoice
) -> None:
    client = Stuck(Scripted(good), 11)
    session = open_session(journal, data, Asking(client))
    under_way: list[int] = []

    def fail() -> None:
        if session.standing.done >= 3 and client.left <= -WORKERS:
            under_way.append(client.under_way)
            raise error

    ended = "interrupted"
    try:
        assert session.go(fail).state == ended
    except error:
        ended = "stopped"
    assert (under_way, client.under_way) == ([WORKERS], 0)
    assert session.standing.done == journal.count() >= 3
    assert journal.fact("state") == ended
    assert (ended == "interrupted") is (error is KeyboardInterrupt)


def answer_until(most: int, error: Exception) -> Client:
    """Answers so many questions; then the service is gone."""
    lines: list[Line] = [GOOD] * most
    return Scripted(lambda request: lines.pop() if lines else error)


def test_service_error_keeps_what_was_judged(both_journals: Journal, data: DataChoice) -> None:
    client = answer_until(11, ServiceError("the key is wrong"))
    session = open_session(both_journals, data, Asking(client))
    with pytest.raises(ServiceError, match="the key is wrong"):
        session.go(nothing)
    assert 0 < both_journals.count() < COUNT
    assert session.standing.done == both_journals.count()
    assert both_journals.fact("state") == "stopped"


class Refusing(Wrapper):
    """Refuses the first question, while the others are under way."""

    asked = 0

    async def ask(self, request: Request) -> Reply:
        self.asked += 1
        if self.asked == 1:
            await asyncio.sleep(0.01)
            raise ServiceError("wrong key")
        await asyncio.sleep(0.05)
        return await self.client.ask(request)


def test_calls_under_way_are_answered_and_kept_before_a_refusal_ends_it(
    journal: Journal, data: DataChoice
) -> None:
    client = Refusing(Scripted(good))
    session = open_session(journal, data, Asking(client, "response"))
    with pytest.raises(ServiceError, match="wrong key"):
        session.go(nothing)
    assert client.asked == WORKERS
    assert list(labels(journal)) == ["ex1", "ex2", "ex3"]


def test_spent_budget_is_an_ending_and_incomplete_examples_are_judged_later(
    both_journals: Journal, data: DataChoice
) -> None:
    journal = both_journals
    client = answer_until(9, BudgetError("used up"))
    ending = open_session(journal, data, Asking(client)).go(nothing)
    assert (ending.state, ending.detail) == ("budget", "used up")
    assert 0 < journal.count() < COUNT
    assert (journal.failures(), journal.fact("state")) == (0, "budget")
    session = open_session(journal, data, Asking(Scripted(good)))
    assert session.go(nothing).state == "complete"
    assert labels(journal) == ALL_GOOD


def test_vote_that_the_budget_cut_short_is_not_kept(journal: Journal, data: DataChoice) -> None:
    voters = (Asking(Scripted(good)), Asking(answer_until(0, BudgetError("used up"))))
    ending = open_session(journal, data, vote(*voters)).go(nothing)
    assert (ending.state, ending.detail, journal.count()) == ("budget", "used up", 0)


def test_votes_of_several_judges_are_one_judgement(journal: Journal, data: DataChoice) -> None:
    bad = Scripted(lambda request: "fabricated")
    voters = (Asking(Scripted(good)), Asking(bad), Asking(bad))
    assert open_session(journal, data, vote(*voters)).go(nothing).state == "complete"
    assert labels(journal) == {f"ex{n}": ["fabricated"] * 2 for n in range(COUNT)}


def test_service_that_is_down_ends_the_run_before_all_have_failed(
    both_journals: Journal, tmp_path: Path
) -> None:
    data = write_rows(tmp_path / "many.jsonl", 200)
    down = Slow(Scripted(lambda request: CallError("transport", "503")))
    session = open_session(both_journals, data, Asking(down, "response"))
    with pytest.raises(ServiceError, match=r"for 20 examples in a row \(503\)") as caught:
        session.go(nothing)
    assert caught.value.code == "service-down"
    assert PATIENCE <= both_journals.count() <= PATIENCE + WORKERS
    assert both_journals.fact("state") == "stopped"


def test_service_that_answers_now_and_then_is_not_down(journal: Journal, data: DataChoice) -> None:
    def sometimes(request: Request) -> Line:
        return GOOD if "9 " in request.messages[-1].content else CallError("transport", "503")

    session = open_session(journal, data, Asking(Scripted(sometimes)))
    assert session.go(nothing).state == "complete"
    assert session.standing.failures == journal.failures() == 2 * (COUNT - 3)


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
        both_journals.schedule = asyncio.get_running_loop().call_soon
        await OnDisk(Cached(Scripted([reply]), kept), kept).ask(Request(()))
        both_journals.schedule = None

    asyncio.run(ask())
    with open_store(runs_at).open("a") as reader:
        assert [row.reply for row in reader.select(select(replies.c.reply))] == [
            encode(reply).decode()
        ]


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
    assert max(asked // 2 - done for asked, done in enumerate(seen)) < 50


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
