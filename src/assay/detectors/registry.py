"""The detectors by name. Nothing is imported before it is asked for."""

from importlib import import_module
from inspect import signature
from typing import cast

from assay.core.errors import InputError, UnknownNameError
from assay.detectors.protocol import Detector

DETECTORS: dict[str, str] = {
    "overlap": "assay.detectors.overlap:OverlapDetector",
    "recorded": "assay.detectors.recorded:RecordedDetector",
}
DEFAULT = "overlap"


def load_detector(name: str = DEFAULT) -> Detector:
    """The detector of that name; what follows a colon is given to it: `recorded:verdicts.json`."""
    key, _, argument = name.partition(":")
    if key not in DETECTORS:
        raise UnknownNameError("detector", key, DETECTORS)
    module, attribute = DETECTORS[key].split(":")
    make = getattr(import_module(module), attribute)
    if argument and not signature(make).parameters:
        raise InputError(f"detector '{key}' takes nothing after its name, but got ':{argument}'")
    return cast(Detector, make(argument) if argument else make())
