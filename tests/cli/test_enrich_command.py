"""`assay enrich`: proposals from a journaled run, decided by people, applied to the data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from assay.core.examples import Annotated
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.conversion import read_converted
from assay.evaluation.localization.gold import gold_inconsistencies
from tests.cli import conftest
from tests.cli.conftest import line_of
from tests.cli.ferries import make_folder
from tests.cli.loopback import Body, Loopback, question

COLOUR = {
    "quotes": ["red"],
    "evidence": [],
    "description": "The response calls the ferry red, and the source names no colour.",
    "category": "extrinsic-wrong",
}
DAY = {
    "quotes": ["twice a day"],
    "evidence": ["twice a day"],
    "description": "The response leaves open on which days the ferry goes.",
    "category": "intrinsic-alteration",
}


def proposing(body: Body) -> str:
    found = [COLOUR, DAY] if "The red ferry" in question(body) else [DAY]
    return json.dumps({"reasoning": "", "inconsistencies": found})


@pytest.fixture
def server() -> Iterator[Loopback]:
    made = Loopback(proposing)
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Path:
    made = make_folder(tmp_path, monkeypatch)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return made


def enrich(*arguments: str) -> Result:
    return conftest.assay("enrich", *arguments)


def propose(server: Loopback, *more: str, out: str = "tasks.jsonl") -> Result:
    asked = ("--model", "m", "--quiet", "--detector", "localize-cot")
    return enrich("propose", "ragtruth", "--out", out, *asked, *more)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def said_by(line: dict[str, Any], name: str) -> dict[str, Any]:
    """The judgement of an example by an author; the form is by nobody yet."""
    return next(each for each in line["judgements"] if each["author"]["name"] == name)


def decide(folder: Path, *states: str) -> None:
    """Fills in the forms, one state for each task."""
    tasks = lines(folder / "tasks.jsonl")
    for task, state in zip(tasks, states, strict=True):
        form = said_by(task, "")
        form["author"]["name"] = "ann"
        for unit in form["units"]:
            unit["verdict"]["attributes"] = {"decision": state}
    (folder / "done.jsonl").write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")


def test_what_the_gold_has_is_not_proposed_again(folder: Path, server: Loopback) -> None:
    done = propose(server)
    assert done.exit_code == 0, done.output
    assert "4 about 4 of 4 examples" in done.stdout
    assert "2 proposals are in the gold already" in done.stdout
    tasks = lines(folder / "tasks.jsonl")
    assert [task["id"] for task in tasks] == ["0", "1", "2", "3"]
    forms = [unit for task in tasks for unit in said_by(task, "")["units"]]
    assert {unit["text"] for unit in forms} == {DAY["description"]}
    assert {unit["verdict"]["attributes"]["decision"] for unit in forms} == {"open"}
    proposal = said_by(tasks[0], "localize-cot m")
    origin = proposal["units"][0]["verdict"]["note"]
    assert origin.startswith("Proposed by m, prompt localize-cot-a ")
    assert "in run:ragtruth--localize-cot--m, matched by offline" in origin
    assert proposal["at"]


def test_same_command_goes_on_with_its_run_and_pays_nothing_twice(
    folder: Path, server: Loopback
) -> None:
    propose(server)
    assert server.calls == 4
    again = propose(server, "--json", out="more.jsonl")
    assert json.loads(again.stdout)["tasks"] == 4
    assert server.calls == 4
    replayed = enrich(
        "propose", "ragtruth", "--run", "ragtruth--localize-cot--m", "--out", "third.jsonl"
    )
    assert replayed.exit_code == 0, replayed.output
    first, third = lines(folder / "tasks.jsonl"), lines(folder / "third.jsonl")
    assert first == third


def test_budget_that_is_used_up_says_how_to_go_on(folder: Path, server: Loopback) -> None:
    (folder / "assay.toml").write_text(
        '[llm.prices."m"]\ninput = 1000.0\noutput = 1000.0\n', encoding="utf-8"
    )
    done = propose(server, "--budget-usd", "5")
    assert "the same command goes on" in line_of(done)
    assert not (folder / "tasks.jsonl").exists()


def test_failures_of_the_model_are_counted(folder: Path, server: Loopback) -> None:
    server.answer = lambda body: "Hm." if "The red ferry" in question(body) else proposing(body)
    done = propose(server, "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["failures"] == {"parse": 2}


def test_accepted_tasks_are_in_the_gold_of_the_new_data(folder: Path, server: Loopback) -> None:
    propose(server)
    decide(folder, "accepted", "rejected", "open", "accepted")
    done = enrich("apply", "done.jsonl", "ragtruth", "--out", "more.jsonl")
    assert done.exit_code == 0, done.output
    assert "2 before, 4 now (+100%)" in done.stdout
    assert "1 response not known to be unfaithful before" in done.stdout
    found = [each for each in read_converted("more.jsonl") if isinstance(each, Annotated)]
    assert [len(gold_inconsistencies(each) or ()) for each in found] == [1, 1, 0, 2]
    assert {each.author.name for each in found[0].gold} == {"gold", "ann"}


def test_unsure_examples_can_be_dropped(folder: Path, server: Loopback) -> None:
    propose(server)
    decide(folder, "unsure", "rejected", "rejected", "rejected")
    done = enrich(
        "apply", "done.jsonl", "ragtruth", "--out", "more.jsonl", "--drop-unsure", "--json"
    )
    found = json.loads(done.stdout)
    assert (found["examples"], found["dropped"], found["accepted"]["value"]) == (3, 1, 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("propose", "ragtruth"), "--out FILE, ending in .jsonl"),
        (("propose", "ragtruth", "--out", "x.csv"), "ending in .jsonl"),
        (("propose", "ragtrut", "--out", "x.jsonl", "--model", "m"), "'ragtruth'"),
        (
            ("propose", "ragtruth", "--out", "x.jsonl", "--detector", "localize-cot"),
            "no model is given",
        ),
        (
            ("propose", "ragtruth", "--out", "x.jsonl", "--run", "r", "--model", "m"),
            "what an earlier run found needs no model (--model)",
        ),
        (
            ("propose", "ragtruth", "--out", "x.jsonl", "--run", "r"),
            "there are no runs",
        ),
        (("apply", "no.jsonl", "ragtruth", "--out", "x.jsonl"), "no.jsonl"),
        (("apply", "t.jsonl", "ragtruth", "--out", "t.jsonl"), "would be lost"),
        (("apply", "t.jsonl", "ragtruth", "--out", "x.jsonl"), "no example 'who'"),
        (("apply", "old.jsonl", "ragtruth", "--out", "x.jsonl"), "old.jsonl line 1"),
    ],
)
def test_bad_input_is_one_clear_line(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    task = {"schema": EXAMPLE_SCHEMA, "id": "who", "source": "A.", "response": "B."}
    (folder / "t.jsonl").write_text(json.dumps(task), encoding="utf-8")
    (folder / "old.jsonl").write_text('{"id": "t", "example": "who"}', encoding="utf-8")
    assert message in line_of(enrich(*arguments))


def test_run_of_another_kind_of_judge_is_refused(folder: Path, server: Loopback) -> None:
    server.answer = lambda body: json.dumps({"reason": "", "label": "faithful"})
    asked = ["--model", "m", "--base-url", server.url, "--quiet", "--name", "simple"]
    conftest.assay("run", "ragtruth", "--detector", "judge-simple", *asked)
    done = enrich("propose", "ragtruth", "--run", "simple", "--out", "x.jsonl")
    assert "run:simple does not say what is wrong" in line_of(done)


def test_detector_of_another_kind_is_refused_before_it_is_asked(
    folder: Path, server: Loopback
) -> None:
    done = propose(server, "--detector", "judge-simple")
    assert "judge-simple does not say what is wrong" in line_of(done)
    assert server.calls == 0


def test_wrong_key_ends_with_one_line(folder: Path, server: Loopback) -> None:
    server.status = 401
    assert "does not accept the key" in line_of(propose(server))
