"""Checks that ask a model: nothing paid for is lost, and nothing is left when they are done."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from assay import (
    BudgetError,
    CheckRequest,
    DetectorSpec,
    Example,
    InputError,
    Response,
    Result,
    ServiceError,
    Source,
    check,
)
from assay.core.errors import AssayError
from assay.core.problems import Problem
from assay.engine.check import start_check
from assay.engine.kept_checks import Row, state_folder
from assay.engine.session import Tick, Watched
from assay.knowledge.corpora.indexing import index_corpus
from assay.knowledge.opening import KnowledgeChoice
from assay.store.runs import FolderRuns
from tests.cli.loopback import FAITHFUL, Loopback, question

Judge = Callable[..., DetectorSpec]


def rows(count: int) -> Iterator[Row]:
    for n in range(count):
        yield Example(f"ex{n}", Source("The cat sat."), Response(f"Cat {n} sat."))


def interrupting(after: int) -> Callable[[Watched], AbstractContextManager[Tick]]:
    """Ctrl-C once so many examples are judged."""

    def watch(session: Watched) -> AbstractContextManager[Tick]:
        def tick() -> None:
            if session.standing.done >= after:
                raise KeyboardInterrupt

        return nullcontext(tick)

    return watch


def refuse(problem: Problem) -> None:
    raise InputError(str(problem))


def kept() -> list[str]:
    """What is left of checks."""
    return sorted(each.name for each in state_folder().iterdir())


def take_all(results: Iterator[Result], into: list[str]) -> None:
    into.extend(result.id for result in results)


def test_check_that_is_done_leaves_nothing_behind(judge: Judge, server: Loopback) -> None:
    found = list(start_check(rows(20), CheckRequest(judge())).results(refuse))
    assert [each.id for each in found] == [f"ex{n}" for n in range(20)]
    assert all(each.label == "faithful" for each in found)
    assert (server.calls, kept()) == (20, [])


def test_check_that_is_cut_off_gives_what_it_has_and_goes_on_later(
    judge: Judge, server: Loopback
) -> None:
    server.delay = 0.02
    request = CheckRequest(judge(concurrency=2))
    early: list[str] = []
    cut_off = start_check(rows(20), request, interrupting(5))
    with pytest.raises(KeyboardInterrupt):
        take_all(cut_off.results(refuse), early)
    assert 5 <= len(early) < 20
    assert [name for name in kept() if name.endswith(".jsonl")] == []
    (name,) = FolderRuns(state_folder()).names()
    paid = FolderRuns(state_folder()).open(name)
    with paid:
        calls = paid.fact("usage")["calls"]
    server.wait_until_left()
    lost = server.calls - calls  # under way when it was cut off
    assert lost <= 2
    server.delay = 0
    later: list[str] = []
    take_all(start_check(rows(20), request).results(refuse), later)
    assert later == [f"ex{n}" for n in range(20)]
    assert (server.calls, kept()) == (20 + lost, [])


KILLED = """
import os, signal, sys
from contextlib import nullcontext
from tests.app.test_check import refuse, rows
from assay import CheckRequest, DetectorSpec
from assay.engine.check import start_check
from assay.llm.settings.options import Options

def watch(session):
    def tick():
        if session.standing.done >= 5:
            os.kill(os.getpid(), signal.SIGKILL)
    return nullcontext(tick)

options = Options(base_url=sys.argv[1], attempts=1, concurrency=2)
spec = DetectorSpec("judge-simple", ("m",), options=options)
list(start_check(rows(20), CheckRequest(spec), watch).results(refuse))
"""


def test_process_that_is_killed_pays_for_nothing_twice(judge: Judge, server: Loopback) -> None:
    server.delay = 0.03
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, server.url],
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL
    before = server.calls
    server.delay = 0
    report = list(start_check(rows(20), CheckRequest(judge(concurrency=2))).results(refuse))
    assert len(report) == 20
    assert before >= 5
    assert server.calls <= 20 + 2 * 2  # what was under way, or answered and not yet read


def test_budget_ends_a_check_with_what_it_has_and_a_larger_one_goes_on(
    judge: Judge, server: Loopback
) -> None:
    early: list[str] = []
    small = start_check(rows(20), CheckRequest(judge(budget_calls=6)))
    with pytest.raises(BudgetError):
        take_all(small.results(refuse), early)
    assert (len(early), server.calls) == (6, 6)
    assert "6 calls" in small.usage
    large = start_check(rows(20), CheckRequest(judge(budget_calls=50)))
    assert len(list(large.results(refuse))) == 20
    assert (server.calls, kept()) == (20, [])


def test_check_with_other_settings_is_another_check(judge: Judge, server: Loopback) -> None:
    with pytest.raises(BudgetError):
        take_all(start_check(rows(9), CheckRequest(judge(budget_calls=3))).results(refuse), [])
    warm = CheckRequest(judge(temperature=0.9))
    assert len(list(start_check(rows(9), warm).results(refuse))) == 9
    assert server.calls == 3 + 9
    assert len(list(start_check(rows(9), CheckRequest(judge())).results(refuse))) == 9
    assert (server.calls, kept()) == (3 + 9 + 6, [])


def test_service_that_cannot_be_used_leaves_nothing_behind(judge: Judge, server: Loopback) -> None:
    server.status = 401
    with pytest.raises(ServiceError):
        take_all(start_check(rows(9), CheckRequest(judge())).results(refuse), [])
    assert kept() == []


def test_check_that_goes_on_asks_again_for_what_failed(judge: Judge, server: Loopback) -> None:
    server.answer = lambda body: "??" if "Cat 2 " in question(body) else FAITHFUL
    server.delay = 0.02
    request = CheckRequest(judge(concurrency=1))
    early: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        take_all(start_check(rows(9), request, interrupting(4)).results(refuse), early)
    server.answer, server.delay = (lambda body: FAITHFUL), 0
    found = list(start_check(rows(9), request).results(refuse))
    assert all(each.label == "faithful" for each in found)
    assert len(found) == 9


def test_failures_are_results_and_not_asked_for_twice_in_one_check(
    judge: Judge, server: Loopback
) -> None:
    server.answer = lambda body: "I cannot say."
    found = list(start_check(rows(3), CheckRequest(judge())).results(refuse))
    assert [each.failures[0].reason for each in found] == ["parse"] * 3
    asked = server.calls
    assert set(server.asked.values()) == {asked // 3}


def test_check_that_left_failures_asks_again_for_these_only(judge: Judge, server: Loopback) -> None:
    server.answer = lambda body: FAITHFUL if "Cat 1" in question(body) else "I cannot say."
    list(start_check(rows(3), CheckRequest(judge())).results(refuse))
    server.answer = lambda body: FAITHFUL
    before = server.calls
    found = list(start_check(rows(3), CheckRequest(judge())).results(refuse))
    assert [each.label for each in found] == ["faithful"] * 3
    assert server.calls == before + 2
    assert kept() == []


def test_what_dead_processes_set_aside_is_removed(judge: Judge) -> None:
    folder = state_folder()
    gone = folder / "setting-aside-999999999-0.jsonl"
    ours = folder / f"setting-aside-{os.getpid()}-0.jsonl"
    old = folder / "check-0000.sqlite"
    for path in (gone, ours, old):
        path.write_text("", encoding="utf-8")
    os.utime(old, (0, 0))
    list(start_check(rows(1), CheckRequest(judge())).results(refuse))
    assert (gone.exists(), ours.exists(), old.exists()) == (False, True, False)


def test_same_check_under_way_twice_is_two_checks(judge: Judge, server: Loopback) -> None:
    server.delay = 0.01
    first = start_check(rows(5), CheckRequest(judge())).results(refuse)
    early = next(first)  # it is open, and has its lock
    second = list(start_check(rows(5), CheckRequest(judge())).results(refuse))
    assert [each.id for each in (early, *first)] == [each.id for each in second]
    assert (server.calls, kept()) == (10, [])


def test_reader_who_goes_away_early_loses_nothing(judge: Judge, server: Loopback) -> None:
    results = start_check(rows(5), CheckRequest(judge())).results(refuse)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(list(start_check(rows(5), CheckRequest(judge())).results(refuse))) == 5
    assert (server.calls, kept()) == (5, [])


@pytest.mark.parametrize("asks", [False, True], ids=["offline", "model"])
def test_problems_are_told_and_the_rest_goes_on(asks: bool, judge: Judge) -> None:
    told: list[Problem] = []
    broken = Problem("line 2", "broken")
    first, second = rows(2)
    request = CheckRequest(judge() if asks else DetectorSpec("overlap"))
    found = start_check([first, broken, second], request).results(told.append)
    assert [each.id for each in found] == ["ex0", "ex1"]
    assert told == [broken]
    assert list(start_check([broken], request).results(told.append)) == []


def test_results_and_report_are_by_the_same_author(judge: Judge) -> None:
    for spec in (judge(), DetectorSpec("overlap")):
        report = check([{"source": "The cat sat.", "response": "It sat."}], detector=spec)
        assert report[0].judgement.author == report.manifest.author


def test_author_names_the_knowledge_that_was_consulted(
    judge: Judge, server: Loopback, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "cats.txt").write_text("Cats sit.", encoding="utf-8")
    index_corpus(tmp_path / "notes", tmp_path / "facts.sqlite")
    server.answer = lambda body: '{"reason": "so", "label": "fabricated"}'
    for spec in (judge("judge-gray7"), DetectorSpec("overlap")):
        request = CheckRequest(spec, knowledge=KnowledgeChoice("facts.sqlite"))
        checking = start_check(rows(1), request)
        (result,) = checking.results(refuse)
        assert result.judgement.author == checking.manifest.author
        assert "facts" in checking.manifest.author.name


def test_peers_are_for_detectors_that_learn_from_them(judge: Judge) -> None:
    with pytest.raises(InputError, match="learns from annotated responses") as caught:
        CheckRequest(judge("faithjudge"))
    assert (caught.value.field, caught.value.code) == ("peers", "no-peers")
    with pytest.raises(InputError, match="learns from no peers"):
        CheckRequest(judge(), peers="a.jsonl")


def test_knowledge_that_is_not_there_is_told_before_anything_is_asked(
    judge: Judge, server: Loopback
) -> None:
    for spec in (judge("judge-gray7"), DetectorSpec("overlap")):
        with pytest.raises(AssayError, match=r"nowhere\.sqlite"):
            start_check(rows(1), CheckRequest(spec, knowledge=KnowledgeChoice("nowhere.sqlite")))
    assert server.calls == 0


def test_folder_of_checks_that_cannot_be_made_says_how_to_name_another(
    judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSAY_STATE", str(tmp_path / "file" / "state"))
    with pytest.raises(InputError, match=r"cannot keep the check at .*ASSAY_STATE"):
        list(start_check(rows(1), CheckRequest(judge())).results(refuse))


def test_collected_results_are_those_of_the_iterator(judge: Judge) -> None:
    for spec in (judge(), DetectorSpec("overlap")):
        one = list(start_check(rows(4), CheckRequest(spec)).results(refuse))
        two = asyncio.run(start_check(rows(4), CheckRequest(spec)).collect(refuse))
        assert [each.label for each in one] == [each.label for each in two]
        assert [each.id for each in two] == [f"ex{n}" for n in range(4)]


def test_error_of_a_collected_check_reaches_its_caller(judge: Judge, server: Loopback) -> None:
    server.status = 401
    with pytest.raises(ServiceError):
        asyncio.run(start_check(rows(4), CheckRequest(judge())).collect(refuse))
