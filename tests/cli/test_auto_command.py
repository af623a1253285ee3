"""The default of `assay check`: which detector it is, and what is said of the large one."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gguf")

from tests.cli.conftest import assay, error_of
from tests.detectors.embedded.large.tiny_model import replace_large

LINE = "assay: this was embedded alone, a first look at English text. 'assay models pull large' "


@pytest.fixture
def rows(tmp_path: Path) -> str:
    file = tmp_path / "rows.jsonl"
    texts = ["Ferries cross daily.", "Die Fähre fährt täglich."]
    given = [{"id": text[:3], "source": "Ferries cross daily.", "response": text} for text in texts]
    file.write_text("\n".join(map(json.dumps, given)), encoding="utf-8")
    return str(file)


@pytest.fixture
def interactive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.check.is_interactive", lambda: True)


@pytest.mark.usefixtures("interactive")
def test_large_one_is_mentioned_once(rows: str) -> None:
    first = assay("check", rows)
    assert first.stderr.count(LINE) == 1
    assert "(1.12 GB, once) adds embedded-large" in first.stderr
    assert LINE not in assay("check", rows).stderr


@pytest.mark.usefixtures("interactive")
@pytest.mark.parametrize("how", [["--json"], ["--quiet"], ["--detector", "embedded"]])
def test_large_one_is_not_mentioned_to_programs_nor_to_who_chose(rows: str, how: list[str]) -> None:
    assert LINE not in assay("check", rows, *how).stderr
    assert LINE in assay("check", rows).stderr  # nothing was used up


def test_large_one_is_not_mentioned_in_a_pipe(rows: str) -> None:
    assert LINE not in assay("check", rows).stderr


@pytest.mark.usefixtures("interactive")
def test_it_is_said_again_where_it_cannot_be_noted(
    rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSAY_STATE", str(tmp_path / "file" / "state"))
    for _ in range(2):
        done = assay("check", rows)
        assert LINE in done.stderr
        assert "cannot keep" not in done.stderr


@pytest.mark.usefixtures("interactive")
def test_with_the_base_nothing_is_mentioned_and_stages_are_shown(
    rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_large(tmp_path / "models", monkeypatch)
    done = assay("check", rows)
    assert LINE not in done.stderr
    assert "stages: embedded: 2 responses" in done.stderr
    assert "embedded-large: 1 response (50.0%)" in done.stderr
    document = json.loads(assay("check", rows, "--json").stdout)
    assert document["manifest"]["detector"] == "cascade:embedded,embedded-large"
    assert [each["examples"] for each in document["stages"]] == [2, 1]


def test_terminal_of_a_person_is_known(rows: str) -> None:
    shown, terminal = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-m", "assay", "check", rows],
        stdout=terminal,
        stderr=terminal,
        check=False,
    )
    os.close(terminal)
    text = b""
    try:
        while more := os.read(shown, 65_536):
            text += more
    except OSError:  # its other end is closed
        pass
    os.close(shown)
    assert process.returncode == 3  # a sentence in German
    assert LINE in text.decode()


def test_show_and_list_name_it() -> None:
    assert "auto" in assay("detectors", "list").stdout
    facts = json.loads(assay("detectors", "show", "auto", "--json").stdout)
    assert (facts["detector"], facts["stands for"]) == ("auto", "embedded")
    assert "takes nothing after its name" in error_of(assay("detectors", "show", "auto:x"))
