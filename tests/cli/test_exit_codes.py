"""Exit codes: what each means, that none hides a broken rule, and that faults have their own."""

import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import assay.cli
from assay.cli.errors import exit_code
from tests.cli.conftest import assay as run
from tests.cli.loopback import Loopback, question

GOOD = {"id": "good", "source": "The cat sat.", "response": "The cat sat."}
BAD = {"id": "bad", "source": "The cat sat.", "response": "Elephants danced on the roof."}
EMPTY = {"id": "empty", "source": "The cat sat.", "response": ""}
RULE = ("--fail-on", "unfaithful")


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes rows to a file in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")

    def write(*given: Any) -> str:
        (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, given)), encoding="utf-8")
        return "rows.jsonl"

    return write


def check(name: str, *more: str) -> Any:
    return run("check", name, "--detector", "overlap", *more)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, 0),
        ({"no_verdict": True}, 3),
        ({"unusable": True, "no_verdict": True}, 2),
        ({"broken": True, "unusable": True, "no_verdict": True}, 1),
    ],
)
def test_the_worst_that_applies_is_the_code(given: dict[str, bool], code: int) -> None:
    assert exit_code(**given) == code


def test_an_empty_answer_does_not_hide_a_broken_rule(rows: Any) -> None:
    name = rows(GOOD, EMPTY, BAD)
    broken, fine = check(name, *RULE), check(name)
    assert (broken.exit_code, fine.exit_code) == (1, 2)
    assert "the response is empty" in broken.stderr
    assert "1 sentence labelled fabricated" in broken.stderr


def test_a_row_that_cannot_be_read_does_not_hide_a_broken_rule(rows: Any) -> None:
    done = check(rows(BAD, {"text": 1}), *RULE, "--json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert document["ending"] == {"state": "complete"}
    assert len(document["problems"]) == 1


def test_a_used_up_budget_does_not_hide_a_broken_rule(rows: Any, server: Loopback) -> None:
    server.answer = lambda body: '{"label": "unfaithful"}'
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", server.url)
    name = rows(*({**GOOD, "id": str(n), "response": f"Cat {n} sat."} for n in range(4)))
    done = run("check", name, *asked, "--budget-calls", "2", "--json", *RULE)
    document = json.loads(done.stdout)
    assert done.exit_code == 1
    assert len(document["judgements"]) == 2
    assert document["ending"]["state"] == "budget"
    assert "budget" in document["ending"]["message"]
    assert "only 2 examples were judged" in done.stderr
    assert "2 responses labelled unfaithful" in done.stderr


def test_a_single_example_was_judged(rows: Any, server: Loopback) -> None:
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", server.url)
    name = rows(*({**GOOD, "id": str(n), "response": f"Dog {n} sat."} for n in range(3)))
    done = run("check", name, *asked, "--budget-calls", "1", "--json")
    assert "; only 1 example was judged\n" in done.stderr


def test_examples_without_any_verdict_were_not_judged(rows: Any, server: Loopback) -> None:
    server.answer = lambda body: "no idea"
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", server.url)
    name = rows(*({**GOOD, "id": str(n), "response": f"Cow {n} sat."} for n in range(3)))
    done = run("check", name, *asked, "--budget-calls", "5", "--concurrency", "1", "--json")
    assert json.loads(done.stdout)["judgements"]
    assert "; no example was judged\n" in done.stderr


def test_missing_verdicts_do_not_hide_a_broken_rule(rows: Any, server: Loopback) -> None:
    server.answer = lambda body: (
        '{"label": "unfaithful"}' if "Elephants" in question(body) else "no idea"
    )
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", server.url, "--quiet")
    done = run("check", rows(GOOD, BAD), *asked, *RULE)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "no verdict for 1 response (parse 1)" in done.stderr
    assert "1 response labelled unfaithful" in done.stderr


def test_quiet_prints_broken_rules_and_nothing_else(rows: Any, tmp_path: Path) -> None:
    name = rows(GOOD, BAD)
    silent, told = check(name, "--quiet"), check(name, "--quiet", *RULE, "--html", "page.html")
    assert (silent.exit_code, silent.output) == (0, "")
    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr == "assay: 1 sentence labelled fabricated\n"
    assert (tmp_path / "page.html").exists()
    assert json.loads(check(name, "--quiet", "--json").stdout)["judgements"]


def test_quiet_is_the_same_for_run_and_evaluate(rows: Any) -> None:
    name = rows({**GOOD, "label": "faithful"}, {**BAD, "label": "unfaithful"})
    assert run("run", name, "--detector", "overlap", "--quiet").output == ""
    measured = ("evaluate", "overlap", "--dataset", name, "--quiet")
    assert run(*measured).output == ""
    assert json.loads(run(*measured, "--json").stdout)


class PanicException(BaseException):
    """As extensions written in Rust raise it."""


@pytest.mark.parametrize(
    "error",
    [ValueError("odd \x1b[31m"), RecursionError(), MemoryError(), PanicException("at 1"), KeyError],
)
def test_a_fault_has_its_own_code_and_two_lines(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(assay.cli, "app", fail)
    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        assay.cli.main()
    said = capsys.readouterr().err
    assert ended.value.code == 70
    assert said.startswith("assay: this is a fault in Assay, not in your input: ")
    assert (type(error) if isinstance(error, BaseException) else error).__name__ in said
    assert "ASSAY_DEBUG=1" in said
    assert said.count("\n") == 2
    assert "\x1b" not in said


def test_an_end_of_file_that_nobody_foresaw_is_a_fault_and_no_broken_rule(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*given: object) -> None:
        raise EOFError("cut off")

    monkeypatch.setattr("assay.cli.runs.list_runs", fail)
    monkeypatch.setattr(sys, "argv", ["assay", "runs", "list"])
    with pytest.raises(SystemExit) as ended:
        assay.cli.main()
    assert ended.value.code == 70
    assert "a fault in Assay, not in your input: EOFError: cut off" in capsys.readouterr().err


def test_a_fault_of_a_plugin_names_it_and_its_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    point = EntryPoint("acme", "acme_judge.detector:make", "assay.detectors")

    def installed(group: str) -> list[EntryPoint]:
        return [point] if group == point.group else []

    module: dict[str, Any] = {"__name__": "acme_judge.words"}
    exec("def app():\n    {}['key']", module)
    monkeypatch.setattr("importlib.metadata.entry_points", installed)
    monkeypatch.setattr(assay.cli, "app", module["app"])
    with pytest.raises(SystemExit) as ended:
        assay.cli.main()
    assert ended.value.code == 70
    said = capsys.readouterr().err
    assert "a fault in the plugin 'acme' (module acme_judge.words): KeyError: 'key'" in said


def test_the_traceback_is_shown_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assay.cli, "app", lambda: 1 / 0)
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    with pytest.raises(SystemExit):
        assay.cli.main()
    said = capsys.readouterr().err
    assert "Traceback (most recent call last)" in said
    assert said.splitlines()[-1].endswith("ZeroDivisionError: division by zero")


@pytest.mark.parametrize("command", [["detectors", "list"], ["check", "--help"], ["data", "list"]])
def test_a_reader_that_leaves_ends_any_command_with_141(command: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (141, b"")
