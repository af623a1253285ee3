"""Options of detectors that run a model here, and who takes them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.detector import CAPABILITIES, EmbeddedDetector
from assay.detectors.local import FittedCalibration, LocalOptions, parameters_of, read_calibration
from assay.detectors.registry import DetectorSpec
from tests.detectors.embedded.conftest import TinyModel, write_tiny_model

SOURCE, RESPONSE = "The pier opened in 1986.", "The pier opened in 1987."
WIDE = Calibration(1.0, 0.0, 0.5, (0.0, 1.0))


@pytest.fixture
def tiny_model(tmp_path: Path) -> TinyModel:
    return lambda *bias: write_tiny_model(tmp_path / "model", *bias)


def fitted(folder: Path, calibration: Calibration = WIDE) -> FittedCalibration:
    return FittedCalibration("embedded", EmbeddedDetector(str(folder)).author.version, calibration)


@pytest.mark.parametrize(
    ("given", "field"),
    [({"threshold": 0.4}, "threshold"), ({"device": "cuda"}, "device")],
)
@pytest.mark.parametrize("name", ["overlap", "judge-gray7", "localize-zero", "claimwise:overlap"])
def test_detector_that_runs_no_model_here_refuses(
    name: str, given: dict[str, Any], field: str
) -> None:
    with pytest.raises(InputError, match=f"runs no model here; leave out {field}") as raised:
        DetectorSpec(name, local=LocalOptions(**given))
    assert raised.value.field == field


@pytest.mark.parametrize(
    "name", ["embedded", "discourse-offline", "claimwise", "localize-zero:two-step=embedded"]
)
def test_detector_that_runs_one_somewhere_inside_takes_them(name: str) -> None:
    spec = DetectorSpec(name, local=LocalOptions(threshold=0.4))
    assert spec.local.describe() == {"threshold": 0.4}


@pytest.mark.parametrize("threshold", [0.0, 1.0, -0.1, float("nan"), "0.4", True])
def test_threshold_lies_between_0_and_1(threshold: Any) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        LocalOptions(threshold=threshold)


@pytest.mark.parametrize("device", ["", "gpu", "cuda:", "cuda:x", "cpu ", None])
def test_unknown_device_is_refused(device: Any) -> None:
    with pytest.raises(InputError, match="cpu, cuda or cuda:N"):
        LocalOptions(device)


def test_threshold_decides_the_label_and_stays_in_the_manifest(tiny_model: TinyModel) -> None:
    name = f"embedded:{tiny_model((0.0, 0.0, 0.0))}"
    (plain,) = assay.check(SOURCE, RESPONSE, detector=name).sentences
    assert plain.score is not None
    below, above = plain.score - 0.05, plain.score + 0.05
    low = assay.check(SOURCE, RESPONSE, detector=name, threshold=round(below, 4))
    high = assay.check(SOURCE, RESPONSE, detector=name, threshold=round(above, 4))
    assert (low.sentences[0].coarse, high.sentences[0].coarse) == ("faithful", "unfaithful")
    assert low.sentences[0].score == high.sentences[0].score == plain.score
    assert low.manifest.parameters == {"threshold": round(below, 4)}
    assert assay.check(SOURCE, RESPONSE, detector=name).manifest.parameters == {}


def test_calibration_is_taken_as_a_file_or_as_data(tiny_model: TinyModel, tmp_path: Path) -> None:
    folder = tiny_model((0.0, 0.0, 0.0))
    made, path = fitted(folder), tmp_path / "calibration.json"
    path.write_text(json.dumps(made.to_dict()))
    assert read_calibration(path) == made
    for given in (made, path, str(path)):
        report = assay.check(SOURCE, RESPONSE, detector=f"embedded:{folder}", calibration=given)
        assert report.sentences[0].coarse == "not-sure"
        assert report.manifest.parameters == {"calibration": made.digest}


def test_calibration_for_another_model_is_refused(tiny_model: TinyModel) -> None:
    folder = tiny_model((0.0, 0.0, 0.0))
    other = replace(fitted(folder), model="0123456789abcdef")
    with pytest.raises(InputError, match="fitted for embedded with model 0123456789abcdef") as told:
        EmbeddedDetector(str(folder), LocalOptions(calibration=other))
    assert told.value.code == "other-model"


def card(changed: str) -> str:
    """The file of a calibration in which a later entry takes the place of an earlier one."""
    usual = '"scale": 1, "shift": 0, "threshold": 0.5, "unsure": [0.4, 0.6]'
    about = '"schema": "urn:assay:calibration:1", "detector": "embedded", "model": "m"'
    return f'{{{about}, "calibration": {{{usual}, {changed}}}}}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "it is not JSON"),
        ("[]", "its schema is not"),
        ('{"schema": "urn:assay:judgements:1"}', "its schema is not"),
        ('{"schema": "urn:assay:calibration:1", "detector": "embedded"}', "damaged"),
        (
            '{"schema": "urn:assay:calibration:1", "detector": "e", "model": "m",'
            ' "calibration": {"scale": 1, "shift": 0, "threshold": 0.5, "unsure": [0.6, 0.7]}}',
            "does not hold the threshold",
        ),
        pytest.param("[" * 100_000, "it is not JSON", id="deep"),
        (card('"scale": 1' + "0" * 400), "damaged"),
        (card('"threshold": true, "unsure": [0, 1]'), "damaged"),
        (card('"unsure": "01"'), "damaged"),
        (card('"threshold": 0, "unsure": [0, 0]'), "between 0 and 1"),
        (card('"threshold": 1, "unsure": [1, 1]'), "between 0 and 1"),
        (card('"scale": -1'), "file.json: a calibration needs"),
    ],
)
def test_file_that_is_no_calibration_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as told:
        read_calibration(path)
    assert told.value.field == "calibration"


def test_calibration_of_another_type_is_refused() -> None:
    given: Any = {}
    with pytest.raises(InputError, match="not of type dict") as told:
        assay.check(SOURCE, RESPONSE, calibration=given)
    assert told.value.field == "calibration"


def test_missing_calibration_is_told() -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_calibration("nowhere.json")


def test_spec_and_option_both_given_are_refused() -> None:
    with pytest.raises(InputError, match="leave out threshold"):
        assay.check(SOURCE, RESPONSE, detector=DetectorSpec("embedded"), threshold=0.4)


def test_threshold_of_a_model_is_in_the_manifest_unless_it_is_the_usual_one() -> None:
    usual = replace(CAPABILITIES, marks=False)
    assert parameters_of(LocalOptions(), usual) == {}
    assert parameters_of(LocalOptions(), replace(usual, threshold=0.45)) == {"threshold": 0.45}
