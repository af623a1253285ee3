"""docs/ci.md: every command on it is run, in order, on the file that it shows."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import completed

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
_BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_FAILS = "# exit code 1"
BLOCKS = [(kind, text) for kind, text in _BLOCK.findall(PAGE)]
ACCEPTED = next(text for kind, text in BLOCKS if kind == "toml")


def yaml_blocks() -> Iterator[Any]:
    yield from (yaml.safe_load(text) for kind, text in BLOCKS if kind == "yaml")


def commands_of(document: Any) -> Iterator[str]:
    """The commands of a workflow, of a job of GitLab, or of the hooks of pre-commit."""
    if isinstance(document, dict):
        for name, value in document.items():
            if name in ("run", "entry"):
                yield value
            elif name == "script":
                yield from value
            elif value == "assay-check":
                (hook,) = HOOKS
                yield shlex.join([*shlex.split(hook["entry"]), *document["args"]])
            else:
                yield from commands_of(value)
    elif isinstance(document, list):
        for each in document:
            yield from commands_of(each)


def shell_lines() -> Iterator[tuple[str, int]]:
    """The lines of shell in order, each with its exit code."""
    for kind, text in BLOCKS:
        for line in text.splitlines() if kind == "sh" else ():
            yield line.strip().removesuffix(_FAILS).strip(), int(_FAILS in line)


def run(line: str) -> "subprocess.CompletedProcess[str]":
    program, *arguments = shlex.split(line)
    if program == "assay":
        return completed(*arguments)
    assert program in ("touch", "pytest")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    whole = [*(command if program == "pytest" else [program]), *arguments]
    return subprocess.run(whole, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page shows."""
    monkeypatch.chdir(tmp_path)
    for kind, text in BLOCKS:
        if kind == "json":
            (tmp_path / "answers.jsonl").write_text(text, encoding="utf-8")
        if kind == "python":
            (tmp_path / "test_answers.py").write_text(text, encoding="utf-8")
    return tmp_path


def test_commands_of_the_shell_do_what_the_page_says(folder: Path) -> None:
    ran = [(line, run(line), code) for line, code in shell_lines()]
    assert len(ran) == 6
    assert [(line, code) for line, done, code in ran if done.returncode != code] == []
    failing = ran[-1][1].stdout
    shown = next(text for kind, text in BLOCKS if kind == "text")
    assert _without_version(shown) in _without_version(failing)


def _without_version(text: str) -> str:
    """The text without the digest of a model, which changes with it, and without blanks at ends."""
    return "\n".join(map(str.rstrip, re.sub(r"embedded \w{16}", "embedded", text).splitlines()))


def test_entry_that_the_page_shows_accepts_what_the_page_finds(folder: Path) -> None:
    (folder / "accepted.toml").write_text(ACCEPTED, encoding="utf-8")
    rules = ("--detector", "embedded", "--fail-on", "unfaithful", "--quiet")
    done = completed("check", "answers.jsonl", *rules, "--accept", "accepted.toml")
    assert (done.returncode, done.stderr) == (0, "assay: 1 accepted\n")


def test_commands_of_workflows_and_hooks_pass_with_a_baseline(folder: Path) -> None:
    (folder / "assay-accepted.toml").touch()
    first = next(line for line, _ in shell_lines() if "--update-baseline" in line)
    assert run(first).returncode == 0
    found = [line for document in yaml_blocks() for line in commands_of(document)]
    ours = [line for line in found if not line.startswith("pip install assay-faith")]
    assert len(ours) == 4
    assert [line for line in ours if run(line).returncode] == []
    assert {"assay.xml", "assay.sarif"} <= {path.name for path in folder.iterdir()}


def test_files_that_a_workflow_uploads_are_those_that_it_writes() -> None:
    workflow = next(each for each in yaml_blocks() if "jobs" in each)
    steps = workflow["jobs"]["faithful"]["steps"]
    (command,) = [step["run"] for step in steps if "assay check" in step.get("run", "")]
    for step in steps:
        given = step.get("with", {})
        for name in filter(None, (given.get("sarif_file"), given.get("path"))):
            assert f" {name}" in command
            assert f"hashFiles('{name}')" in step["if"]


def test_hook_names_no_file_of_its_own() -> None:
    """pre-commit would give several files at once, and a check takes one."""
    (hook,) = HOOKS
    assert (hook["id"], hook["pass_filenames"]) == ("assay-check", False)


def test_rows_of_the_page_have_ids() -> None:
    rows = next(text for kind, text in BLOCKS if kind == "json").splitlines()
    assert all(json.loads(row)["id"] for row in rows)
