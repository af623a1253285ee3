"""`assay calibrate`, and the options that read scores otherwise."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay import Calibrated, CalibrateRequest
from assay.app import calibrate as use_case
from assay.cli.application import app
from tests.app.test_calibrate import EVEN, learnable, rows, write
from tests.detectors.embedded.conftest import write_tiny_model

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("calibrating")
    write_tiny_model(made / "model", EVEN)
    write(made / "rows.jsonl", learnable(f"embedded:{made / 'model'}", 30, 15))
    return made


@pytest.fixture(scope="module")
def calibration(folder: Path) -> Path:
    """A calibration by which nothing is ever sure."""
    path = folder / "calibration.json"
    given = [str(folder / "rows.jsonl"), "--detector", f"embedded:{folder / 'model'}"]
    result = RUNNER.invoke(app, ["calibrate", *given, "--out", str(path)])
    assert result.exit_code == 0, result.output
    assert "30 responses from 30 sources, 15 unfaithful" in result.stdout
    assert "those after are of sources that it was fitted without" in result.stdout
    figures = result.stdout.partition("figures;")[2].splitlines()[2:]
    names = [line.split("  ")[0].strip() for line in figures if " before " in line]
    assert "precision of unfaithful where sure" in names
    assert all("n=" in line and len(line) <= 80 for line in figures)
    said = json.loads(path.read_text())
    said["calibration"]["unsure"] = [0, 1]
    unsure = folder / "unsure.json"
    unsure.write_text(json.dumps(said))
    return unsure


def check(folder: Path, *options: str) -> tuple[int, str, str]:
    given = ["check", str(folder / "rows.jsonl"), "--detector", f"embedded:{folder / 'model'}"]
    result = RUNNER.invoke(app, [*given, *options])
    return result.exit_code, result.stdout, result.stderr


def test_check_says_what_it_is_not_sure_of(folder: Path, calibration: Path) -> None:
    code, told, _ = check(folder, "--calibration", str(calibration))
    assert code == 0
    assert "? 30 not sure" in told
    assert "? not sure (" in told
    assert "Not sure: its score lies in the band around the threshold." in " ".join(told.split())


def test_gate_fails_on_what_is_not_sure_only_if_asked(folder: Path, calibration: Path) -> None:
    options = ("--calibration", str(calibration), "--quiet", "--fail-on")
    code, told, warned = check(folder, *options, "unfaithful,faithful")
    assert (code, told) == (0, "")
    assert "30 sentences not counted, because the detector is not sure" in " ".join(warned.split())
    code, _, warned = check(folder, *options, "not-sure")
    assert code == 1
    assert "30 sentences labelled not sure" in " ".join(warned.split())


def test_threshold_is_refused_by_a_detector_without_a_model(folder: Path) -> None:
    result = RUNNER.invoke(
        app, ["check", str(folder / "rows.jsonl"), "--detector", "overlap", "--threshold", "0.4"]
    )
    assert result.exit_code == 2
    assert "runs no model here; leave out threshold (--threshold)" in " ".join(
        result.stderr.split()
    )


def test_calibration_for_another_model_is_refused(folder: Path, calibration: Path) -> None:
    result = RUNNER.invoke(
        app, ["check", str(folder / "rows.jsonl"), "--calibration", str(calibration)]
    )
    assert result.exit_code == 2
    assert "fit it again (--calibration)" in " ".join(result.stderr.split())


def test_run_keeps_what_was_chosen_and_goes_on_only_with_it(
    folder: Path, calibration: Path
) -> None:
    given = ["run", str(folder / "rows.jsonl"), "--detector", f"embedded:{folder / 'model'}"]
    given += ["--runs", str(folder / "runs"), "--name", "mine", "--json"]
    result = RUNNER.invoke(app, [*given, "--calibration", str(calibration), "--threshold", "0.3"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)["manifest"]["parameters"]
    assert said["threshold"] == 0.3
    assert len(said["calibration"]) == 8
    again = RUNNER.invoke(app, [*given, "--resume", "--threshold", "0.3"])
    assert again.exit_code == 2
    assert "calibration:" in again.stderr


def test_evaluate_measures_by_labels_whatever_is_not_sure(folder: Path, calibration: Path) -> None:
    given = ["evaluate", f"embedded:{folder / 'model'}", "--dataset", str(folder / "rows.jsonl")]
    plain = json.loads((folder / "calibration.json").read_text())["calibration"]
    found = []
    for name in ("unsure.json", "calibration.json"):
        result = RUNNER.invoke(app, [*given, "--json", "--calibration", str(folder / name)])
        assert result.exit_code == 0, result.output
        (each,) = json.loads(result.stdout)["detectors"]
        found.append(each["figures"]["balanced accuracy"])
        assert each["coverage"] == 1
    assert plain["unsure"] != [0, 1]
    assert found[0] == found[1]


def test_options_for_a_model_here_need_a_detector_that_has_one(
    folder: Path, calibration: Path
) -> None:
    given = ["evaluate", "overlap", "--dataset", str(folder / "rows.jsonl")]
    result = RUNNER.invoke(app, [*given, "--calibration", str(calibration)])
    assert result.exit_code == 2
    assert "no detector here runs a model of its own" in " ".join(result.stderr.split())


def test_too_few_labels_are_told_in_one_line(folder: Path) -> None:
    few = write(folder / "few.jsonl", rows(6, 3))
    result = RUNNER.invoke(app, ["calibrate", few, "--out", str(folder / "none.json")])
    assert result.exit_code == 2
    assert "too few labels to calibrate on" in result.stderr
    assert not (folder / "none.json").exists()


def test_data_is_refused_as_output_before_anything_is_judged(folder: Path) -> None:
    own = Path(write(folder / "own.jsonl", rows(30, 15)))
    (folder / "link.jsonl").hardlink_to(own)
    before = own.read_bytes()
    for out in (own, folder / "link.jsonl"):
        result = RUNNER.invoke(app, ["calibrate", str(own), "--out", str(out), "--quiet"])
        assert result.exit_code == 2
        assert "is an input and would be lost" in " ".join(result.stderr.split())
    assert own.read_bytes() == before


def test_calibration_that_is_worse_is_shown_and_written_only_if_forced(folder: Path) -> None:
    detector, out = f"embedded:{folder / 'model'}", folder / "worse.json"
    other = {"faithful": "unfaithful", "unfaithful": "faithful"}
    given = [  # balanced accuracy 0.750 before, and 0.725 by cross-validation
        {**row, "label": other[row["label"]] if k % 4 == 1 else row["label"]}
        for k, row in enumerate(learnable(detector, 40, 20))
    ]
    path = write(folder / "worse.jsonl", given)
    command = ["calibrate", path, "--detector", detector, "--out", str(out)]
    refused = RUNNER.invoke(app, command)
    assert refused.exit_code == 2
    told = refused.stderr.strip()
    assert told.count("\n") == 0
    assert told.startswith("assay: on sources that it was fitted without, the calibration is worse")
    assert told.endswith("nothing was written; --force writes it all the same")
    assert "balanced accuracy" in refused.stdout
    assert not out.exists()
    forced = RUNNER.invoke(app, [*command, "--force", "--quiet"])
    assert forced.exit_code == 0
    assert "worse than the model's own" in forced.stderr
    assert json.loads(out.read_text())["warnings"]


def test_interrupted_calibrating_says_that_it_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(request: CalibrateRequest) -> Calibrated:
        raise KeyboardInterrupt

    monkeypatch.setattr(use_case, "calibrate", interrupted)
    given = ["calibrate", str(folder / "rows.jsonl"), "--out", str(folder / "never.json")]
    result = RUNNER.invoke(app, given)
    assert result.exit_code == 130
    assert "what was judged is kept, and the same command goes on" in result.stderr


def test_what_is_not_reached_is_told_also_where_all_is_quiet(folder: Path) -> None:
    detector = f"embedded:{folder / 'model'}"
    other = {"faithful": "unfaithful", "unfaithful": "faithful"}
    noisy = [
        {**row, "label": other[row["label"]] if k % 4 == 0 else row["label"]}
        for k, row in enumerate(learnable(detector, 60, 30))
    ]
    path, out = write(folder / "noisy.jsonl", noisy), folder / "noisy.json"
    given = ["calibrate", path, "--detector", detector, "--out", str(out), "--quiet"]
    result = RUNNER.invoke(app, [*given, "--sure", "0.99"])
    assert result.exit_code == 0, result.output
    told = " ".join(result.stderr.split())
    assert "right less often than 0.99 of the time" in told
    assert json.loads(out.read_text())["warnings"]
    assert RUNNER.invoke(app, [*given, "--sure", "0.5"]).stderr == ""
