"""Detectors that stay open from one job to the next, since loading their networks takes long."""

from collections.abc import Sequence

from assay.detectors.protocol import Detector, uses_of
from assay.detectors.registry import Annotations, DetectorSpec, open_detector
from assay.llm.client import ModelClient


class OpenedDetectors:
    """Opens those that run a model here once; one worker at a time uses them."""

    def __init__(self) -> None:
        self._opened: list[tuple[DetectorSpec, Detector]] = []

    def open(
        self,
        spec: DetectorSpec,
        clients: Sequence[ModelClient] = (),
        annotations: Annotations | None = None,
    ) -> Detector:
        """The detector of a spec; one that asks a model, learns or counts its use is a new one."""
        for known, detector in self._opened:
            if known == spec:
                return detector
        detector = open_detector(spec, clients, annotations)
        is_whole = not clients and annotations is None and not uses_of(detector)
        if spec.capabilities.runs_here and is_whole:
            self._opened.append((spec, detector))
        return detector
