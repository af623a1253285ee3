"""The default of `assay check`: which detector it is, and what is said of the large one."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gguf")

from assay.detectors.embedded.calibration import Calibration
from assay.detectors.local import FittedCalibration
from assay.models.cache import mark_as_checked
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


def on_terminal(*arguments: str, env: dict[str, str]) -> tuple[int, str]:
    """The exit code of a command that runs on a terminal, and all that is seen there."""
    shown, terminal = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-m", "assay", *arguments],
        stdout=terminal,
        stderr=terminal,
        env=env,
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
    return process.returncode, text.decode()


@pytest.mark.usefixtures("interactive")
def test_large_one_is_mentioned_once(rows: str) -> None:
    first = assay("check", rows)
    assert first.stderr.count(LINE) == 1
    assert "(1.12 GB, once) adds embedded-large" in first.stderr
    assert LINE not in assay("check", rows).stderr


@pytest.mark.usefixtures("interactive")
@pytest.mark.parametrize(
    "how", [["--json"], ["--quiet"], ["--detector", "embedded"], ["--threshold", "0.4"]]
)
def test_large_one_is_not_mentioned_to_programs_nor_to_who_chose(rows: str, how: list[str]) -> None:
    assert LINE not in assay("check", rows, *how).stderr
    assert LINE in assay("check", rows).stderr  # nothing was used up


@pytest.mark.usefixtures("interactive")
def test_large_one_is_not_mentioned_where_nothing_was_judged(rows: str, tmp_path: Path) -> None:
    german = tmp_path / "german.jsonl"
    german.write_text(Path(rows).read_text(encoding="utf-8").splitlines()[1], encoding="utf-8")
    assert LINE not in assay("check", str(german)).stderr
    assert LINE in assay("check", rows).stderr


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


def test_terminal_of_a_person_is_known_and_so_is_that_of_a_machine(rows: str) -> None:
    usual = {name: value for name, value in os.environ.items() if name != "CI"}
    code, text = on_terminal("check", rows, env={**usual, "CI": "true"})
    assert code == 3  # a sentence in German
    assert LINE not in text
    assert LINE in on_terminal("check", rows, env=usual)[1]


@pytest.mark.usefixtures("interactive")
def test_damaged_base_is_told_with_what_to_do(
    rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = replace_large(tmp_path / "models", monkeypatch)
    base = tmp_path / "models" / model.file
    base.write_bytes(bytes(model.size))
    mark_as_checked(model, base, base.stat().st_mtime_ns)
    assert error_of(assay("check", rows)).endswith(
        "is damaged: it is no GGUF file; run 'assay models remove large', then 'assay models pull"
        " large'"
    )


def test_calibration_of_the_large_one_needs_its_base(rows: str, tmp_path: Path) -> None:
    fitted = FittedCalibration("embedded-large", "0" * 16, Calibration(1, 0))
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps(fitted.to_dict()))
    told = error_of(assay("check", rows, "--calibration", str(file)))
    assert "embedded-large needs the base model" in told
    assert "run 'assay models pull large'" in told


def test_one_detector_by_two_names_is_not_measured_twice(rows: str) -> None:
    gold = Path(rows).with_name("gold.jsonl")
    row = {"id": "a", "source": "It is.", "response": "It is.", "label": "faithful"}
    gold.write_text(json.dumps(row))
    for command in ("evaluate", "compare"):
        told = error_of(assay(command, "auto", "embedded", "--dataset", str(gold)))
        assert "'auto' and 'embedded' are the same detector here, embedded: give one" in told


def test_show_and_list_name_it() -> None:
    assert "auto" in assay("detectors", "list").stdout
    facts = json.loads(assay("detectors", "show", "auto", "--json").stdout)
    assert (facts["detector"], facts["stands for"]) == ("auto", "embedded")
    assert "takes nothing after its name" in error_of(assay("detectors", "show", "auto:x"))
