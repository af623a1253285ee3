"""Examples in bounded batches, so that several detectors can hear the same stream."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.detectors.protocol import Detector
from assay.detectors.units import response_unit, sentence_units

BATCH = 32


def batches_with_units(examples: Iterable[Example], detector: Detector) -> Iterator[list[Example]]:
    """Batches of examples that name the units of the detector's kind."""
    stream = (with_units(example, detector) for example in examples)
    while batch := list(islice(stream, BATCH)):
        yield batch


def with_units(example: Example, detector: Detector) -> Example:
    """The example with the units that the detector would judge, where that can be said before."""
    if detector.unit_kind == "sentence":
        return replace(example, units=sentence_units(example))
    if detector.unit_kind == "response":
        return replace(example, units=(response_unit(example),))
    return example


def same_kind(detectors: tuple[Detector, ...]) -> Detector:
    """The first of some detectors that all judge the same kind of unit in the same taxonomy."""
    first, *others = detectors
    for other in others:
        for what in ("unit_kind", "taxonomy"):
            if getattr(first, what) != getattr(other, what):
                raise InputError(
                    f"{first.name} and {other.name} cannot be combined: their {what} differs"
                )
    return first
