"""`--dry-run`: every command that asks a model can say what that would cost, and asks nobody."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import assay, line_of
from tests.cli.ferries import make_folder
from tests.cli.loopback import Loopback

COUNT = 6
# The command, and how often each of its detectors would ask: once for each of the responses.
COMMANDS = {
    "run": (["run", "ragtruth", "--detector", "judge-simple"], {"judge-simple": COUNT}),
    "check": (["check", "data.jsonl", "--detector", "judge-simple"], {"judge-simple": 2}),
    "evaluate": (["evaluate", "judge-simple", "--dataset", "ragtruth"], {"judge-simple": COUNT}),
    "compare": (
        ["compare", "overlap", "judge-grounding", "--dataset", "ragtruth"],
        {"judge-grounding": COUNT},
    ),
    "localize evaluate": (
        ["localize", "evaluate", "localize-cot", "--dataset", "ragtruth", "--sample", "4"],
        {"localize-cot on ragtruth": 4},
    ),
    "localize choose": (
        ["localize", "choose", "localize-cot", "--dataset", "ragtruth"],
        {"localize-cot:a on ragtruth": COUNT, "localize-cot:b on ragtruth": COUNT},
    ),
    "explain-errors": (
        ["explain-errors", "localize-cot", "--dataset", "ragtruth"],
        {"localize-cot": COUNT},
    ),
    "enrich propose": (
        ["enrich", "propose", "ragtruth", "--out", "tasks.jsonl"],
        {"localize-recall": COUNT},
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make_folder(tmp_path, monkeypatch, COUNT)
    rows = [{"source": "Cat 1 sat.", "response": f"Cat {n} sat."} for n in (1, 2)]
    (made / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.delenv("OPENAI_API_KEY")
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_calls_are_counted_and_nothing_is_sent_or_written(
    name: str, folder: Path, server: Loopback
) -> None:
    command, calls = COMMANDS[name]
    before = sorted(path.name for path in folder.iterdir())
    asked = ("--model", "openai/gpt-4o", "--base-url", server.url, "--dry-run")
    done = assay(*command, *asked, "--json")
    assert done.exit_code == 0, done.output
    estimates = json.loads(done.stdout)
    assert {
        detector: each["models"]["openai/gpt-4o"]["calls"] for detector, each in estimates.items()
    } == calls
    words = assay(*command, *asked).stdout
    assert all(detector in words for detector in calls)
    assert server.calls == 0
    assert sorted(path.name for path in folder.iterdir()) == before
    assert not os.path.exists(os.environ["ASSAY_STATE"])


def test_what_asks_nobody_costs_nothing(folder: Path) -> None:
    done = assay("evaluate", "overlap", "--dataset", "ragtruth", "--dry-run")
    assert (done.exit_code, done.stdout) == (0, "nothing here asks a model\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_name_is_told_in_a_dry_run(name: str, folder: Path) -> None:
    command, _ = COMMANDS[name]
    wrong = [
        each.replace("ragtruth", "ragtruh").replace("data.jsonl", "dat.jsonl") for each in command
    ]
    message = line_of(assay(*wrong, "--model", "openai/gpt-4o", "--dry-run"))
    assert "ragtruth" in message or "cannot read dat.jsonl" in message
