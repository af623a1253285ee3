"""A run under way: nothing is counted that is not on disk, and nothing on disk is lost."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.core.errors import BudgetError, ServiceError
from assay.datasets.selection import DataChoice
from assay.detectors.combinators.vote import vote
from assay.engine.session import PATIENCE
from assay.llm.client import CallError, Line, ModelClient, Reply, Request, Scripted, Wrapper
from assay.store.journal import Journal
from assay.store.runs import RunStore
from tests.engine.conftest import COUNT, labels, nothing, open_session, write_rows
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


def test_session_that_ends_early_judges_what_is_under_way_and_the_next_one_goes_on(
    both_journals: Journal, data: DataChoice
) -> None:
    def ending_after_six(request: Request) -> Line:
        if len(script.requests) >= 6:
            session.end_early()
        return GOOD

    script = Scripted(ending_after_six)
    session = open_session(both_journals, data, Asking(Slow(script)))
    assert session.go(nothing).state == "interrupted"
    judged = session.standing.done
    assert 3 <= judged < COUNT
    assert len(script.requests) == 2 * judged == 2 * both_journals.count()
    assert open_session(both_journals, data, Asking(script)).go(nothing).state == "complete"
    assert labels(both_journals) == ALL_GOOD
    assert len(script.requests) == 2 * COUNT


def test_session_that_is_to_end_early_when_all_is_judged_is_complete(
    journal: Journal, data: DataChoice
) -> None:
    assert open_session(journal, data, Asking(Scripted(good))).go(nothing).state == "complete"
    session = open_session(journal, data, Asking(Scripted(good)))
    session.end_early()
    assert session.go(nothing).state == "complete"


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


def answer_until(most: int, error: Exception) -> ModelClient:
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
