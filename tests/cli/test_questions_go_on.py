"""Commands that ask a model and are cut off: given again, they pay for nothing twice."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Workplace, assay
from tests.cli.ferries import make_folder
from tests.cli.loopback import Body, Loopback, question
from tests.cli.test_run_processes import AT_ONCE, DELAY, LIMIT, wait_for

pytestmark = pytest.mark.soak

COUNT = 120
COLOUR = {
    "quotes": ["red"],
    "evidence": [],
    "description": "The response calls the ferry red, and the source names no colour.",
    "category": "extrinsic-wrong",
}
ALARM = {**COLOUR, "quotes": ["twice a day"], "description": "The response is too short."}
ON = ("--dataset", "ragtruth", "--quiet", "--json")


def kind_of(body: Body) -> str:
    """What a question is for."""
    text = body["messages"][0]["content"] + question(body)
    if "GOLD" in text:
        return "match"
    if "Somebody complained" in text:
        return "explain"
    return "localize" if "inconsistenc" in text else "judge"


def answering(body: Body) -> str:
    kind, text = kind_of(body), question(body)
    if kind == "match":
        return '{"A": "A"}'
    if kind == "explain":
        return json.dumps({"reason": "It is left out.", "label": "omission"})
    if kind == "localize":
        found = [COLOUR] if "The red ferry" in text else [ALARM]
        return json.dumps({"reasoning": "", "inconsistencies": found})
    return json.dumps({"reason": "", "label": "faithful"})


class Counting(Loopback):
    """A server that knows what each question is for, and fails after so many of a kind."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.fails_after: tuple[str, int] | None = None
        super().__init__(self.respond, DELAY)

    def respond(self, body: Body) -> str:
        self.kinds.append(kind_of(body))
        if self.fails_after and self.count(self.fails_after[0]) >= self.fails_after[1]:
            self.status = 401
        return answering(body)

    def count(self, kind: str) -> int:
        return self.kinds.count(kind)

    def recover(self) -> None:
        self.status, self.fails_after, self.delay = 200, None, 0.0


@pytest.fixture
def server() -> Iterator[Counting]:
    made = Counting()
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Counting) -> Path:
    made = make_folder(tmp_path, monkeypatch, COUNT)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return made


def command(name: str) -> list[str]:
    """A command of which the questions of some kind are cut off."""
    asked = ["--model", "m", "--concurrency", str(AT_ONCE)]
    matching = ["--matcher", "llm", "--matcher-model", "other"]
    commands = {
        "evaluate": ["evaluate", "judge-simple", *ON],
        "localize": ["localize", "evaluate", "localize-cot", *matching, *ON],
        "explain-errors": ["explain-errors", "localize-cot", *ON],
        "enrich": ["enrich", "propose", "ragtruth", *matching, *ON[2:], "--out", "tasks.jsonl"],
    }
    return [*commands[name], *asked]


KINDS = {"evaluate": "judge", "localize": "match", "explain-errors": "explain", "enrich": "match"}


def done(name: str) -> dict[str, Any]:
    found = assay(*command(name))
    assert found.exit_code == 0, found.output
    document: dict[str, Any] = json.loads(found.stdout)
    return document


def last_line(*arguments: str) -> str:
    """How a command that fails says so, after what was asked and what that cost."""
    found = assay(*arguments)
    assert found.exit_code == 2, found.output
    return found.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_command_that_is_cut_off_pays_for_nothing_twice(
    name: str, by: signal.Signals, folder: Path, server: Counting
) -> None:
    kind = KINDS[name]
    with Workplace(folder, server).start(*command(name)) as process:
        try:
            wait_for(lambda: server.count(kind) >= 30 or process.poll() is not None)
            process.send_signal(by)
            _, told = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
    assert process.returncode == (-by if by == signal.SIGKILL else 130), told
    assert "Traceback" not in told
    assert ("the same command goes on" in told) == (by == signal.SIGINT)
    server.wait_until_left()
    before = {each: server.count(each) for each in set(server.kinds)}
    assert before[kind] < COUNT
    server.recover()
    done(name)
    # What came before is complete; of what was cut off, only calls under way are made again.
    assert {each: server.count(each) for each in before if each != kind} == {
        each: count for each, count in before.items() if each != kind
    }
    assert server.calls - len(server.asked) <= AT_ONCE
    calls = server.calls
    done(name)
    assert server.calls == calls


@pytest.mark.parametrize("name", KINDS)
def test_service_that_fails_midway_loses_no_answer(
    name: str, folder: Path, server: Counting
) -> None:
    server.fails_after = (KINDS[name], 30)
    message = last_line(*command(name))
    assert "does not accept the key" in message
    assert "--resume" not in message
    refused = sum(server.asked.values()) - len(server.kinds)
    server.recover()
    done(name)
    assert len(server.kinds) - len(server.asked) <= refused + AT_ONCE


def test_runs_and_questions_are_kept_among_the_runs(folder: Path, server: Counting) -> None:
    server.delay = 0.0
    done("localize")
    done("explain-errors")
    rows = json.loads(assay("runs", "list", "--json").stdout)
    assert {row["run"]: row["state"] for row in rows} == {
        "ragtruth--localize-cot--m": "complete",
        "ragtruth--localize-cot--matching--other": "complete",
        "ragtruth--localize-cot--explaining--m": "complete",
    }


def test_budget_that_runs_out_says_that_the_same_command_goes_on(
    folder: Path, server: Counting
) -> None:
    server.delay = 0.0
    budget = ("--budget-calls", "30")
    message = last_line(*command("evaluate"), *budget)
    assert "the budget is used up: 30 of 30 calls made" in message
    assert f"30 of {COUNT} examples are judged and kept" in message
    assert "raise the budget, and the same command goes on" in message
    done("evaluate")
    assert server.calls == COUNT


def test_judge_beside_is_run_and_kept_as_well(folder: Path, server: Counting) -> None:
    server.fails_after = ("judge", 30)
    beside = [*command("localize"), "--binary", "judge-simple"]
    assert "does not accept the key" in last_line(*beside)
    server.recover()
    found = assay(*beside)
    assert found.exit_code == 0, found.output
    assert server.count("localize") == COUNT
    assert json.loads(found.stdout)["corpora"][0]["binary"]["n"] == COUNT


def test_another_experiment_asks_only_what_is_new(folder: Path, server: Counting) -> None:
    server.delay = 0.0
    done("explain-errors")
    explained = server.count("explain")
    assert explained == COUNT // 2
    assert os.path.exists("assay-runs/ragtruth--localize-cot--explaining--m.sqlite")
    more = assay(*command("explain-errors"), "--counterfactual")
    assert more.exit_code in (0, 3), more.output
    assert server.count("explain") == explained
