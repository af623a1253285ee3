"""`assay enrich`: proposals from a journaled run, decided by people, applied to the data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

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
    asked = ("--model", "m", "--detector", "localize-cot")
    return enrich("propose", "ragtruth", "--out", out, *asked, *more)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def said_by(line: dict[str, Any], name: str) -> dict[str, Any]:
    """The judgement of an example by an author; the form is by nobody yet."""
    return next(each for each in line["judgements"] if each["author"]["name"] == name)


def decide(folder: Path, *states: str, by: str = "ann", out: str = "done.jsonl") -> None:
    """Fills in the forms, one state for each task; what is marked as known stays so."""
    tasks = lines(folder / "tasks.jsonl")
    for task, state in zip(tasks, states, strict=True):
        form = said_by(task, "")
        form["author"]["name"] = by
        for unit in form["units"]:
            chosen = "known" if unit.get("parent") and state != "open" else state
            unit["verdict"]["attributes"] = {"decision": chosen}
    (folder / out).write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")


def test_what_the_gold_seems_to_have_is_shown_and_marked(folder: Path, server: Loopback) -> None:
    done = propose(server)
    assert done.exit_code == 0, done.output
    assert "6 about 4 of 4 examples" in done.stdout
    assert "2 of them are taken for errors that the gold has" in done.stdout
    tasks = lines(folder / "tasks.jsonl")
    assert [task["id"] for task in tasks] == ["0", "1", "2", "3"]
    forms = [said_by(task, "")["units"] for task in tasks]
    marked = [[unit.get("parent", "") for unit in units] for units in forms]
    assert marked == [[""], ["g1", ""], [""], ["g1", ""]]
    assert [unit["id"] for unit in said_by(tasks[1], "gold")["units"]] == ["g1"]
    states = {unit["verdict"]["attributes"]["decision"] for units in forms for unit in units}
    assert states == {"open"}
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
    done = propose(server, "--budget-usd", "5", "--trust-folder")
    assert "the same command goes on" in line_of(done)
    assert not (folder / "tasks.jsonl").exists()


def test_failures_of_the_model_are_counted(folder: Path, server: Loopback) -> None:
    server.answer = lambda body: "Hm." if "The red ferry" in question(body) else proposing(body)
    done = propose(server, "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["failures"] == {"parse": 2}


def test_new_errors_are_in_the_gold_of_the_new_data(folder: Path, server: Loopback) -> None:
    propose(server)
    decide(folder, "new", "none", "open", "new")
    done = enrich("apply", "done.jsonl", "ragtruth", "--out", "more.jsonl")
    assert done.exit_code == 0, done.output
    assert "2 before, 4 now (+100%)" in done.stdout
    assert "1 response not known to be unfaithful before" in done.stdout
    # The paper's table: inconsistent, consistent, total, errors.
    for row in ("before 2 2 4 2", "after 3 1 4 4"):
        assert row in " ".join(done.stdout.split())
    found = [each for each in read_converted("more.jsonl") if isinstance(each, Annotated)]
    assert [len(gold_inconsistencies(each) or ()) for each in found] == [1, 1, 0, 2]
    assert {each.author.name for each in found[0].gold} == {"gold", "ann"}
    again = enrich("apply", "done.jsonl", "more.jsonl", "--out", "again.jsonl")
    assert again.exit_code == 0, again.output
    assert lines(folder / "again.jsonl") == lines(folder / "more.jsonl")


def test_unsure_examples_can_be_dropped(folder: Path, server: Loopback) -> None:
    propose(server)
    decide(folder, "unsure", "none", "none", "none")
    done = enrich(
        "apply", "done.jsonl", "ragtruth", "--out", "more.jsonl", "--drop-unsure", "--json"
    )
    found = json.loads(done.stdout)
    assert (found["examples"], found["dropped"], found["shares"]["new"]["value"]) == (3, 1, 0.0)
    assert found["proposals"] == {"unsure": 1, "known": 2, "none": 3}


def test_annotators_who_differ_are_listed_and_nothing_is_written(
    folder: Path, server: Loopback
) -> None:
    propose(server)
    decide(folder, "new", "none", "none", "none", out="ann.jsonl")
    decide(folder, "none", "none", "none", "none", by="bo", out="bo.jsonl")
    both = ("apply", "ann.jsonl", "bo.jsonl", "ragtruth", "--out", "more.jsonl")
    done = enrich(*both)
    assert done.exit_code == 3
    assert "ann: new" in done.stdout
    assert "Cohen's kappa" in done.stdout
    assert "1 conflict of annotators: nothing was written" in done.stderr
    assert not (folder / "more.jsonl").exists()
    found = json.loads(enrich(*both, "--json").stdout)
    # Five of six proposals are decided alike: the two that are known, and three that are none.
    assert (found["agreement"]["raw"]["value"], found["agreement"]["raw"]["n"]) == (
        pytest.approx(5 / 6),
        6,
    )
    assert (found["conflicts"][0]["example"], found["file"]) == ("0", "")
    chosen = enrich(*both, "--prefer", "ann", "--json")
    assert chosen.exit_code == 0, chosen.output
    assert (json.loads(chosen.stdout)["added"], (folder / "more.jsonl").exists()) == (1, True)


def test_forgotten_data_is_noticed_and_no_annotator_is_taken_for_it(
    folder: Path, server: Loopback
) -> None:
    propose(server)
    decide(folder, "new", "none", "none", "none", out="ann.jsonl")
    decide(folder, "new", "none", "none", "none", by="bo", out="bo.jsonl")
    for data in ("bo.jsonl", "tasks.jsonl"):
        done = enrich("apply", "ann.jsonl", data, "--out", "more.jsonl")
        assert f"{data} is no data, but tasks with forms for people" in line_of(done)
        assert "the last argument is the data" in line_of(done)
    assert not (folder / "more.jsonl").exists()


def test_what_people_decided_is_never_overwritten(folder: Path, server: Loopback) -> None:
    propose(server)
    assert propose(server).exit_code == 0  # nobody has worked on them yet
    decide(folder, "new", "none", "none", "none", out="tasks.jsonl")
    done = (folder / "tasks.jsonl").read_bytes()
    assert "tasks.jsonl has decisions of people that would be lost" in line_of(propose(server))
    (folder / "copy.jsonl").write_bytes(done)
    again = enrich("apply", "copy.jsonl", "ragtruth", "--out", "tasks.jsonl")
    assert "would be lost" in line_of(again)
    assert (folder / "tasks.jsonl").read_bytes() == done
    apply = ("apply", "tasks.jsonl", "ragtruth", "--out", "more.jsonl")
    assert [enrich(*apply).exit_code for _ in range(2)] == [0, 0]  # data is made anew


def test_run_is_measured_on_the_data_that_came_of_it(folder: Path, server: Loopback) -> None:
    propose(server)
    decide(folder, "unsure", "none", "none", "none")
    apply = ("apply", "done.jsonl", "ragtruth", "--drop-unsure", "--out", "more.jsonl")
    assert enrich(*apply).exit_code == 0
    run = ("localize", "evaluate", "run:ragtruth--localize-cot--m", "--dataset", "more.jsonl")
    done = conftest.assay(*run, "--json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["corpora"]
    assert (found["examples"], found["coverage"], found["not_in_data"]) == (3, 1.0, 1)
    shown = " ".join(conftest.assay(*run).stdout.split())
    assert "not in the data 1 example that the detector judged, left out" in shown


def explained_data(folder: Path) -> None:
    """A file with one explained response, as DeFacto has them."""
    response = "The red ferry crosses the strait twice a day."
    unit = {"id": "response", "kind": "response", "text": response, "start": 0, "end": 45}
    attributes = {"explanation": "No colour and no number of trips is given."}
    verdict = {"label": "unfaithful", "attributes": attributes}
    judgement = {
        "example": "x",
        "author": {"name": "gold", "kind": "person"},
        "taxonomy": "binary",
        "units": [{**unit, "verdict": verdict}],
    }
    line = {
        "schema": EXAMPLE_SCHEMA,
        "id": "x",
        "source": "A ferry crosses the strait.",
        "response": response,
        "judgements": [judgement],
    }
    (folder / "data.jsonl").write_text(json.dumps(line), encoding="utf-8")


def test_explanations_are_taken_apart_and_replaced(folder: Path, server: Loopback) -> None:
    explained_data(folder)
    done = enrich("propose", "data.jsonl", "--explanations", "--out", "tasks.jsonl")
    assert done.exit_code == 0, done.output
    assert "1 in 1 of 1 example" in done.stdout
    assert server.calls == 0
    (task,) = lines(folder / "tasks.jsonl")
    form = said_by(task, "")
    form["author"]["name"] = "ann"
    whole, first = form["units"][0], form["units"][1]
    whole["verdict"]["attributes"]["decision"] = "split"
    parts = {"i1": "No colour is given.", "i2": "No number of trips is given."}
    operation = {**first["verdict"], "attributes": {"category": "extraction"}}
    errors = [
        {"id": id, "kind": "inconsistency", "text": text, "verdict": operation}
        for id, text in parts.items()
    ]
    form["units"] = [whole, *errors]
    (folder / "done.jsonl").write_text(json.dumps(task), encoding="utf-8")
    made = enrich("apply", "done.jsonl", "data.jsonl", "--out", "more.jsonl", "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert (found["explanations"], found["after"]["errors"]) == ({"split": 1}, 2)
    assert found["operations"]["extraction"]["n"] == 2
    (after,) = [each for each in read_converted("more.jsonl") if isinstance(each, Annotated)]
    gold = gold_inconsistencies(after)
    assert gold is not None
    assert [each.description for each in gold] == list(parts.values())
    # The filled-in file is no data; what came of it is, though it has the same decision.
    wrong = enrich("apply", "done.jsonl", "done.jsonl", "--out", "third.jsonl")
    assert "done.jsonl is no data" in line_of(wrong)
    assert enrich("apply", "done.jsonl", "more.jsonl", "--out", "third.jsonl").exit_code == 0
    assert "decisions of people" in line_of(
        enrich("propose", "data.jsonl", "--explanations", "--out", "done.jsonl")
    )


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
        (
            ("apply", "t.jsonl", "ragtruth", "--out", "x.jsonl"),
            "t.jsonl line 1: the data has no example 'who'",
        ),
        (
            ("apply", "t.jsonl", "ragtruth", "--out", "x.jsonl", "--prefer", "a", "--majority"),
            "either one annotator is preferred, or the majority decides",
        ),
        (
            ("propose", "ragtruth", "--explanations", "--out", "x.jsonl"),
            "ragtruth has no explanation of an unfaithful response",
        ),
        (
            ("propose", "ragtruth", "--explanations", "--out", "x.jsonl", "--run", "r"),
            "explanations are taken apart by people",
        ),
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


def test_prompt_of_the_matcher_can_be_another(folder: Path, server: Loopback) -> None:
    header = "---\nname: mine\nversion: 1\ninputs: gold, predicted\nreply: map\n---\n"
    (folder / "m.md").write_text(f"{header}# user\nPair $gold and $predicted.\n", "utf-8")
    server.answer = lambda body: (
        '{"A": "A", "B": null}' if "Pair <<<GOLD" in question(body) else proposing(body)
    )
    done = propose(server, "--matcher", "llm", "--matcher-prompt", "m.md")
    assert done.exit_code == 0, done.output
    assert sum(each.startswith("Pair <<<GOLD") for each in server.asked) > 0
