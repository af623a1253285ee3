"""Runs, evaluation, comparison and localization from Python."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay import (
    BudgetError,
    Columns,
    DataChoice,
    DetectorSpec,
    InputError,
    ServiceError,
    UnknownNameError,
    compare,
    evaluate,
    localize,
    open_judgements,
    run,
)
from assay.app.judging import Asking
from assay.app.questions import Asked, open_questions
from assay.app.runs import (
    RunContents,
    export_run,
    list_runs,
    remove_run,
    run_contents,
    show_run,
)
from assay.llm.client import Message, Request
from assay.llm.settings.options import Options
from assay.store.runs import open_store
from tests.cli.ferries import make_folder
from tests.cli.loopback import FAITHFUL, Loopback, question

Judge = Callable[..., DetectorSpec]


@pytest.fixture
def ferries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Path:
    """A small corpus in the form of RAGTruth: every second response has an error."""
    folder = make_folder(tmp_path, monkeypatch, 8)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A file of ten examples."""
    rows = (
        {"id": f"ex{n}", "source": f"Cat {n} sat.", "response": f"Cat {n} sat."} for n in range(10)
    )
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_run_judges_and_goes_on_without_being_told(
    data: str, judge: Judge, server: Loopback, runs_at: str
) -> None:
    first = run(data, detector=judge(budget_calls=4), name="mine", runs=runs_at)
    assert (first.ending.state, first.summary.totals.examples) == ("budget", 4)
    again = run(data, detector=judge(), name="mine", runs=runs_at)
    assert (again.ending.state, again.summary.totals.labels) == ("complete", {"faithful": 10})
    assert "6 calls" in again.usage
    assert server.calls == 10
    with pytest.raises(InputError, match="exists") as caught:
        run(data, detector=judge(), name="mine", runs=runs_at, resume=False)
    assert caught.value.code == "run-complete"
    found = open_judgements("run:mine", runs=runs_at)
    assert [each.example for each in found] == [f"ex{n}" for n in range(10)]


def test_run_of_a_sample_under_a_name_of_ones_own(data: str, tmp_path: Path) -> None:
    choice = DataChoice(data, sample=3, seed=1)
    outcome = run(choice, detector="overlap", name="mine", runs=str(tmp_path / "runs"))
    assert outcome.summary.totals.examples == 3
    assert list_runs(str(tmp_path / "runs"))[1][0].name == "mine"


def test_run_asks_again_for_failures(data: str, judge: Judge, server: Loopback) -> None:
    server.answer = lambda body: "??" if "Cat 3 " in question(body) else FAITHFUL
    assert run(data, detector=judge()).summary.totals.failures == {"parse": 1}
    server.answer = lambda body: FAITHFUL
    assert run(data, detector=judge(), retry=True).summary.totals.failures == {}


def test_budget_that_allows_no_call_raises_and_leaves_no_run(
    data: str, judge: Judge, server: Loopback
) -> None:
    with pytest.raises(BudgetError, match="not even the first call fits"):
        run(data, detector=judge(budget_tokens=1))
    assert (server.calls, list_runs()[1]) == (0, [])


def test_service_that_fails_later_says_what_is_kept(
    data: str, judge: Judge, server: Loopback
) -> None:
    run(data, detector=judge(budget_calls=4))
    server.status = 401
    with pytest.raises(ServiceError, match="4 of 10 examples are judged and kept") as caught:
        run(data, detector=judge())
    assert caught.value.code == "run-stopped"


def test_runs_are_listed_shown_exported_and_removed(
    data: str, server: Loopback, runs_at: str, tmp_path: Path
) -> None:
    run(data, detector="judge-simple", model="m", runs=runs_at)
    run(data, detector="overlap", runs=runs_at)
    _, lines = list_runs(runs_at)
    assert [(each.name, each.state, each.done) for each in lines] == [
        ("data--judge-simple--m", "complete", 10),
        ("data--overlap", "complete", 10),
    ]
    assert lines[1].cost is None
    assert show_run("data--overlap", runs_at).state == "complete"
    assert run_contents("data--overlap", runs_at) == RunContents(10, 0, 0.0)
    out = tmp_path / "out.json"
    export_run("data--overlap", str(out), runs_at)
    assert len(list(open_judgements(str(out)))) == 10
    assert list(open_judgements(str(out))) == list(
        open_judgements("run:data--overlap", runs=runs_at)
    )
    remove_run("data--overlap", runs_at)
    assert [each.name for each in list_runs(runs_at)[1]] == ["data--judge-simple--m"]
    with pytest.raises(UnknownNameError):
        show_run("data--overlap", runs_at)


def test_list_shows_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad.sqlite").write_bytes(b"not a database" * 100)
    (line,) = list_runs(str(tmp_path))[1]
    assert line.name == "bad"
    assert "not a database" in line.problem


def test_detectors_are_measured_on_a_corpus(ferries: Path) -> None:
    found = evaluate("overlap", data="ragtruth")
    evaluation = found["overlap"]
    assert next(iter(found)) is evaluation
    assert found.to_dict()["dataset"] == "ragtruth"
    frame = found.to_pandas()
    assert set(frame["detector"]) == {"overlap"}
    assert "value" in frame.columns
    assert "overlap" in found._repr_html_()
    assert "overlap" in found.to_html(ferries / "page.html")
    assert (ferries / "page.html").exists()
    with pytest.raises(UnknownNameError):
        found["other"]


def test_judge_is_run_with_a_journal_and_not_asked_twice(ferries: Path, server: Loopback) -> None:
    evaluate("judge-simple", data="ragtruth", model="m")
    assert server.calls == 8
    assert [each.name for each in list_runs()[1]] == ["ragtruth--judge-simple--m"]
    evaluate("judge-simple", data="ragtruth", model="m")
    evaluate("run:ragtruth--judge-simple--m", data="ragtruth")
    assert server.calls == 8


def test_budget_is_for_all_detectors_together(ferries: Path, server: Loopback) -> None:
    options = Options(budget_calls=10)
    names = ("judge-simple", "judge-grounding")
    with pytest.raises(InputError) as caught:
        evaluate(*names, data="ragtruth", model="m", options=options)
    assert (caught.value.code, server.calls) == ("budget", 10)
    evaluate("judge-simple", data="ragtruth", model="m", options=options)
    assert server.calls == 10  # its answers were kept


def test_results_of_a_run_are_looked_at_like_those_of_a_check(ferries: Path) -> None:
    outcome = run("ragtruth", detector="overlap")
    assert [each.id for each in outcome.results()] == [str(n) for n in range(8)]
    frame = outcome.to_pandas()
    assert set(frame["label"]) == {each.label.name for each in outcome.report().units if each.label}
    assert "The red ferry" in outcome.to_html()
    assert "<style" in outcome._repr_html_()


def test_gold_is_opened_by_reference_and_scores_as_itself(ferries: Path) -> None:
    assert len(list(open_judgements("gold:ragtruth"))) == 8
    (evaluation,) = evaluate("gold:ragtruth", data="ragtruth")
    assert evaluation.figures["balanced accuracy"].value == 1.0
    with pytest.raises(InputError, match="nobody"):
        open_judgements("gold:nobody@ragtruth")


def test_gold_of_a_file_is_its_label_column(tmp_path: Path) -> None:
    row = {"id": "1", "source": "A.", "response": "B.", "label": "unfaithful"}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (judgement,) = open_judgements(f"gold:{tmp_path / 'mine.jsonl'}")
    assert [each.label for each in judgement.verdicts] == ["unfaithful"]


def test_unlabelled_examples_are_not_paid_for(
    tmp_path: Path, ferries: Path, server: Loopback
) -> None:
    rows = [
        {"id": "1", "source": "A.", "response": "A.", "label": "faithful"},
        {"id": "2", "source": "B.", "response": "B.", "label": ""},
        {"id": "3", "source": "C.", "response": "D.", "label": "unfaithful"},
    ]
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    columns = Columns(label="label")
    evaluate("judge-simple", data=DataChoice(str(path), columns=columns), model="m")
    assert server.calls == 2


def test_two_detectors_are_compared(ferries: Path, server: Loopback) -> None:
    server.answer = lambda body: FAITHFUL.replace("faithful", "unfaithful")
    found = compare("overlap", "judge-simple", data="ragtruth", model="m")
    assert found.items == 8
    frame = found.to_pandas()
    assert len(frame) == len(found.pair.differences)
    assert "judge-simple" in "".join(map(str, frame.columns))
    assert found.to_dict()
    assert "<table" in found._repr_html_()


def test_wrong_words_are_told_by_field(ferries: Path) -> None:
    for field, wrong in (("unit", "word"), ("pool", "some")):
        with pytest.raises(UnknownNameError) as caught:
            evaluate("overlap", data="ragtruth", **{field: wrong})  # type: ignore[arg-type]
        assert caught.value.field == field
    with pytest.raises(InputError) as threshold:
        evaluate("overlap", data="ragtruth", threshold=1.5)
    assert threshold.value.field == "threshold"
    with pytest.raises(UnknownNameError, match="overlap"):
        evaluate("overlp", data="ragtruth")


def test_localizer_is_measured_and_its_matcher_kept(ferries: Path, server: Loopback) -> None:
    server.answer = lambda body: json.dumps(
        {"inconsistencies": [], "reason": "none", "label": "faithful", "errors": []}
    )
    found = localize("localize-zero", "ragtruth", model="m")
    (report,) = found.reports
    assert report.dataset == "ragtruth"
    assert set(found.to_pandas()["dataset"]) == {"ragtruth"}
    assert found.to_dict()["corpora"]
    calls = server.calls
    localize("localize-zero", "ragtruth", model="m")
    assert server.calls == calls
    with pytest.raises(UnknownNameError) as caught:
        localize("localize-zero", "ragtruth", matcher="magic")
    assert caught.value.field == "matcher"
    with pytest.raises(InputError, match="name a corpus"):
        localize("localize-zero")


def asking(server: Loopback, **more: object) -> Asked:
    options = Options(base_url=server.url, attempts=1, **more)  # type: ignore[arg-type]
    return Asked("matcher", ("m",), options)


def test_questions_are_kept_and_not_asked_twice(server: Loopback, runs_at: str) -> None:
    how = Asking(runs=runs_at)

    def ask() -> list[str]:
        with open_questions("matching", "ferries", [asking(server)], how) as questions:
            (client,) = questions.clients("matcher")

            async def work() -> list[str]:
                texts = (Request((Message("user", f"question {n}"),)) for n in range(3))
                return [(await client.ask(each)).text for each in texts]

            return questions.answer(work(), lambda: None)

    assert ask() == ask() == [FAITHFUL] * 3
    assert server.calls == 3
    (name,) = open_store(runs_at).names()
    assert name == "ferries--matching--m"
    with open_store(runs_at).open(name) as journal:
        assert (journal.fact("state"), journal.fact("usage")["calls"]) == ("complete", 3)


def test_questions_that_are_cut_off_keep_what_was_answered(server: Loopback) -> None:
    how = Asking()

    def ask(most: int) -> None:
        with open_questions("matching", "ferries", [asking(server)], how) as questions:
            (client,) = questions.clients("matcher")
            answered: list[int] = []

            async def work() -> None:
                for n in range(5):
                    await client.ask(Request((Message("user", f"question {n}"),)))
                    answered.append(n)
                    if n + 1 == most:
                        await asyncio.sleep(3600)

            def tick() -> None:
                if len(answered) == most:
                    raise KeyboardInterrupt

            questions.answer(work(), tick)

    with pytest.raises(KeyboardInterrupt):
        ask(2)
    ask(9)
    assert server.calls == 5
    assert [each.state for each in list_runs()[1]] == ["complete"]


def test_where_nobody_is_asked_nothing_is_kept() -> None:
    async def work() -> int:
        return 5

    how = Asking()
    with open_questions("matching", "ferries", [], how) as questions:
        assert questions.clients("matcher") == ()
        assert questions.answer(work(), lambda: None) == 5
        assert questions.usage == ""
    assert list_runs()[1] == []
