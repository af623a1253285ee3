"""`auto` stands for `embedded`, or for a cascade to the large one where its base is here."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf")

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.detectors.combinators.auto import ALONE, BOTH
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.local import FittedCalibration, LocalOptions
from assay.detectors.protocol import uses_of
from assay.detectors.registry import (
    DEFAULT,
    DetectorSpec,
    Ingredients,
    detector_facts,
    find_type,
    open_detector,
)
from tests.detectors.embedded.large.tiny_model import replace_large
from tests.judging import judge_one

Make = Callable[..., Example]


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_large(tmp_path, monkeypatch)


def test_without_the_base_it_is_embedded_alone() -> None:
    assert DEFAULT == "auto"
    assert (DetectorSpec().name, DetectorSpec().asked) == (ALONE, "auto")
    assert DetectorSpec() == DetectorSpec("embedded")
    assert open_detector(DetectorSpec()).author.name == "embedded"


@pytest.mark.usefixtures("large")
def test_with_the_base_it_is_a_cascade() -> None:
    spec = DetectorSpec("auto")
    assert (spec.name, spec.asked) == (BOTH, "auto")
    assert spec == DetectorSpec(BOTH)
    assert open_detector(spec).author.name == "embedded then embedded-large"


@pytest.mark.usefixtures("large")
def test_what_is_not_sure_goes_on_to_the_large_one(make_example: Make) -> None:
    detector = open_detector(DetectorSpec())
    source = "The harbour of Otranto opened in 1986."
    judgement = judge_one(detector, make_example(source, "Der Hafen wurde 1986 eröffnet."))
    assert judgement.findings
    assert [(each.name, each.examples) for each in uses_of(detector)] == [
        ("embedded", 1),
        ("embedded-large", 1),
    ]


def test_base_that_was_not_checked_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = replace_large(tmp_path, monkeypatch)
    (tmp_path / f"{model.file}.json").unlink()
    assert DetectorSpec().name == ALONE


@pytest.mark.usefixtures("large")
def test_threshold_is_for_the_small_one_alone() -> None:
    assert DetectorSpec(local=LocalOptions(threshold=0.4)).name == ALONE
    assert DetectorSpec(local=LocalOptions(device="cuda")).name == BOTH


def fitted(detector: str, model: str = "") -> LocalOptions:
    return LocalOptions(calibration=FittedCalibration(detector, model, Calibration(1, 0)))


@pytest.mark.usefixtures("large")
def test_with_a_calibration_it_is_the_detector_that_was_calibrated() -> None:
    version = open_detector(DetectorSpec("embedded-large")).author.version
    spec = DetectorSpec(local=fitted("embedded-large", version))
    assert (spec.name, spec.asked) == ("embedded-large", "auto")
    assert open_detector(spec).author.name == "embedded-large"
    assert DetectorSpec(local=fitted("embedded")).name == ALONE


def test_calibration_of_another_detector_names_it() -> None:
    with pytest.raises(
        InputError, match=r"fitted for minicheck .*: use minicheck, or fit it again"
    ):
        open_detector(DetectorSpec(local=fitted("minicheck")))


def test_its_type_makes_what_it_stands_for() -> None:
    made = find_type("auto").make(Ingredients(local=LocalOptions(threshold=0.4)))
    assert (made.author.name, made.capabilities.threshold) == ("embedded", 0.4)


def test_it_takes_nothing_after_its_name() -> None:
    with pytest.raises(InputError, match="'auto' takes nothing after its name"):
        DetectorSpec("auto:large")


@pytest.mark.parametrize("name", ["vote:auto,overlap", "cascade:overlap,auto", "claimwise:auto"])
def test_it_cannot_be_a_part_whose_name_would_not_say_who_judged(name: str) -> None:
    with pytest.raises(InputError, match="'auto' stands for one detector or another"):
        DetectorSpec(name)


def test_facts_say_what_it_stands_for_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = detector_facts("auto")
    assert (alone["detector"], alone["stands for"]) == ("auto", ALONE)
    assert "'assay models pull large'" in alone["because"]
    assert alone["model"]
    replace_large(tmp_path, monkeypatch)
    both = detector_facts("auto")
    assert both["stands for"] == BOTH
    assert "is here" in both["because"]
    assert both["part 2"].startswith("embedded-large")
