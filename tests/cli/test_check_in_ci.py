"""`assay check` in CI: the share of unfaithful responses, and test cases."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import completed

Run = Callable[..., "subprocess.CompletedProcess[str]"]
YEARS = (1815, 1815, 1815, 1852)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assay` in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return completed


@pytest.fixture
def rows(tmp_path: Path) -> str:
    made = [
        {"source": "Ada was born in 1815 in London.", "response": f"Ada was born in {year}."}
        for year in YEARS
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in made))
    return "rows.jsonl"


# Wilson's interval for 1 of 4: (0.25 + 0.4802 ± 1.96 √(0.046875 + 0.060025)) / 1.9604
SHARE = "1 of 4 responses unfaithful: 25.0%, 95 % interval 4.6% to 69.9%"


@pytest.mark.parametrize(("most", "code"), [("25%", 0), ("0.25", 0), ("24.9%", 1), ("0", 1)])
def test_share_of_unfaithful_responses_is_said_and_kept(
    run: Run, rows: str, most: str, code: int
) -> None:
    done = run("check", rows, "--detector", "embedded", "--max-unfaithful", most)
    assert done.returncode == code
    assert SHARE in done.stderr


@pytest.mark.parametrize("share", ["x", "5%%", "120%", "-1", "nan", ""])
def test_what_is_no_share_is_refused(run: Run, rows: str, share: str) -> None:
    done = run("check", rows, "--max-unfaithful", share)
    assert done.returncode == 2
    assert "write it as in 5% or 0.05" in done.stderr


def test_junit_fails_the_responses_that_break_the_rules(
    run: Run, rows: str, tmp_path: Path
) -> None:
    how = ("--detector", "embedded", "--quiet", "--junit", "a.xml")
    assert run("check", rows, *how, "--fail-on", "contradicting").returncode == 1
    root = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "0"}
    run("check", rows, *how, "--fail-on", "fabricated")
    assert ElementTree.parse(tmp_path / "a.xml").getroot().get("failures") == "0"


@pytest.mark.parametrize(
    ("path", "said"), [("rows.jsonl", "would be lost"), ("-", "give its name"), ("no/a", "cannot")]
)
def test_junit_needs_a_file_of_its_own(run: Run, rows: str, path: str, said: str) -> None:
    done = run("check", rows, "--detector", "embedded", "--junit", path)
    assert done.returncode == 2
    assert said in done.stderr
