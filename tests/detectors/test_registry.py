"""Detectors by name."""

import pytest

from assay.core import InputError, UnknownNameError
from assay.detectors import DEFAULT, DETECTORS, load_detector


def test_default_is_loaded_without_a_name() -> None:
    assert load_detector().name == DEFAULT == "embedded"


def test_unknown_name_raises_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'overlap'"):
        load_detector("overlp")


def test_argument_for_a_detector_that_takes_none_raises() -> None:
    with pytest.raises(InputError, match="'overlap' takes nothing after its name, but got ':file'"):
        load_detector("overlap:file")


def test_recorded_without_its_file_raises() -> None:
    with pytest.raises(InputError, match="write recorded:FILE"):
        load_detector("recorded")


def test_everything_after_the_first_colon_is_the_argument() -> None:
    with pytest.raises(InputError, match=r"cannot read C:\\a\.json"):
        load_detector(r"recorded:C:\a.json")


@pytest.mark.parametrize("name", DETECTORS)
def test_every_name_points_to_a_module_and_a_class(name: str) -> None:
    module, _, attribute = DETECTORS[name].place.partition(":")
    assert module.startswith("assay.detectors.")
    assert attribute.endswith("Detector")
