"""Faults of plugins and streams that are closed: told for what they are, and nothing is lost."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

GOOD = {"id": "good", "source": "The cat sat on the mat.", "response": "The cat sat."}
BAD = {"id": "bad", "source": "The cat sat.", "response": "Elephants danced on the roof."}
LAST = {"id": "last", "source": "The cat sat.", "response": "Stop here."}
POINTS = """
[assay.detectors]
acme-first = acme_judge.detector:MADE
acme-second = acme_judge.detector:MADE
acme-third = acme_judge.detector:MADE
"""
DETECTOR = """
from assay import DetectorType
from assay.detectors.overlap import OverlapDetector

class Ending(OverlapDetector):
    async def judge(self, examples):
        for example in examples:
            if example.response.text == "Stop here.":
                {statement}
            yield self._judge(example)

MADE = DetectorType("ends", Ending.capabilities, lambda given: Ending(), takes_argument=False)
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A command in a process of its own, through a shell, with a plugin that does something."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(map(json.dumps, (GOOD, BAD, LAST))), encoding="utf-8")
    (tmp_path / "acme_judge").mkdir()
    (tmp_path / "acme_judge" / "__init__.py").touch()
    about = tmp_path / "acme_judge-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-judge\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)

    def start(command: str, statement: str = "pass") -> "subprocess.CompletedProcess[str]":
        code = DETECTOR.format(statement=statement)
        (tmp_path / "acme_judge" / "detector.py").write_text(code, encoding="utf-8")
        return subprocess.run(
            ["sh", "-c", f'"{sys.executable}" -m assay {command}'],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return start


@pytest.mark.parametrize("statement", ["raise SystemExit(1)", "exit(0)", "raise KeyError('key')"])
def test_a_plugin_that_ends_the_program_is_a_fault_and_hides_nothing(
    run: Run, tmp_path: Path, statement: str
) -> None:
    command = "check rows.jsonl --detector acme-first --fail-on unfaithful --html page.html --json"
    done = run(command, statement)
    assert done.returncode == 70, done.stderr
    assert "this is a fault in the plugins of 'acme_judge' (module acme_judge.detector)" in (
        done.stderr
    )
    assert "only 2 examples were judged" in done.stderr
    assert "1 sentence labelled fabricated" in done.stderr
    assert "Elephants danced" in (tmp_path / "page.html").read_text(encoding="utf-8")
    document = json.loads(done.stdout)
    assert [each["example"] for each in document["judgements"]] == ["good", "bad"]
    assert document["ending"]["state"] == "stopped"
    assert document["ending"]["message"].startswith("a fault: ")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check rows.jsonl --detector overlap >&-", 0),
        ("check rows.jsonl --detector overlap --quiet --fail-on unfaithful >&-", 1),
        ("check rows.jsonl --detector overlap --fail-on unfaithful >&- 2>&-", 1),
        ("data list >&-", 0),
        ("check - --detector overlap <&-", 2),
    ],
)
def test_a_closed_stream_is_an_empty_one(run: Run, command: str, code: int) -> None:
    done = run(command)
    assert done.returncode == code
    assert "fault" not in done.stderr


def test_closed_standard_input_has_no_examples(run: Run) -> None:
    assert run("check - <&-").stderr == "assay: the input has no examples\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(
    "command", ["check rows.jsonl --detector overlap", "data list --json", "check --help"]
)
def test_a_full_standard_output_is_named(run: Run, command: str) -> None:
    done = run(f"{command} > /dev/full")
    assert done.returncode == 2
    said = "assay: cannot write to standard output: No space left on device\n"
    assert done.stderr == said


def test_help_names_every_exit_code(run: Run) -> None:
    said = " ".join(run("check --help").stdout.split())
    assert "70 a fault in Assay or in a plugin" in said
    for code in ("130", "141", "143"):
        assert f" {code} " in said
