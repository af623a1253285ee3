"""The detectors, and the facts about each."""

from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.results import plural_of
from assay.detectors.registry import DetectorSpec, detector_facts, detector_names

__all__ = ["DetectorLine", "detector_facts", "list_detectors"]


@dataclass(frozen=True, slots=True)
class DetectorLine:
    """A detector in a list: what it judges, the menu of its labels, and what it is."""

    name: str
    judges: str
    labels: str
    summary: str


def list_detectors() -> list[DetectorLine]:
    """Every detector, ours and those that installed packages bring."""
    return [_line(name) for name in detector_names()]


def _line(name: str) -> DetectorLine:
    try:
        spec = DetectorSpec(name)
    except InputError as error:  # a plugin that cannot be loaded does not hide the others
        return DetectorLine(name, "", "", str(error))
    can = spec.capabilities
    return DetectorLine(spec.name, plural_of(can.unit_kind), can.taxonomy.name, spec.type.summary)
