"""At which level the errors of a judge are looked at: described errors, sentences or responses."""

from typing import Literal

from assay.detectors.localize.making import is_localizer
from assay.detectors.protocol import Detector
from assay.detectors.replay import Replay

Level = Literal["error", "sentence", "response"]


def level_of(detector: Detector, asked: str) -> Level:
    """By what the judge says; `asked` is the detector that said it, where its name is known."""
    if is_localizer(detector) or asked.startswith("localize-") or _describes(detector):
        return "error"
    return "sentence" if detector.unit_kind == "sentence" else "response"


def _describes(detector: Detector) -> bool:
    """Whether a record of what was said holds inconsistencies."""
    if not isinstance(detector, Replay):
        return False
    units = (unit for record in detector.records.values() for unit in record.get("units", ()))
    return any(unit.get("kind") == "inconsistency" for unit in units)
