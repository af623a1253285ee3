"""How a model that runs on this machine is run, and how its scores are read."""

import re
from dataclasses import dataclass
from typing import Any

from assay.core.errors import InputError
from assay.detectors.embedded.calibration import Calibration

_DEVICE = re.compile(r"cpu|cuda(?::[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class FittedCalibration:
    """A calibration that was fitted on a user's own labels, and the detector that it is for."""

    detector: str
    model: str  # the version of the detector's author
    calibration: Calibration

    def describe(self) -> dict[str, Any]:
        """What of it matters to a verdict."""
        return {"model": self.model, **self.calibration.card()}


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """The device of a detector that runs a model here, and how its scores become verdicts.

    `threshold` is the score below which a sentence counts as unfaithful, instead of the model's or
    the calibration's own; the band of unsure scores moves with it.
    """

    device: str = "cpu"  # or `cuda`, `cuda:1`
    threshold: float | None = None
    calibration: FittedCalibration | None = None

    def __post_init__(self) -> None:
        if not _DEVICE.fullmatch(self.device):
            raise InputError(
                f"the device is cpu, cuda or cuda:N, not {self.device!r}", field="device"
            )
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise InputError(
                f"a threshold lies between 0 and 1, both excluded, not at {self.threshold}",
                field="threshold",
            )

    @property
    def changed(self) -> tuple[str, ...]:
        """The fields that are not as usual."""
        usual = LocalOptions()
        names = ("device", "threshold", "calibration")
        return tuple(name for name in names if getattr(self, name) != getattr(usual, name))

    def describe(self) -> dict[str, Any]:
        """What is not as usual, for a manifest."""
        said = {name: getattr(self, name) for name in self.changed}
        if self.calibration is not None:
            said["calibration"] = self.calibration.describe()
        return said

    def calibrate(self, own: Calibration, detector: str, model: str) -> Calibration:
        """How scores are read: as the model's card says, unless something else was chosen.

        A calibration that was fitted for another model raises.
        """
        fitted = self.calibration
        if fitted is not None:
            if fitted.model != model:
                raise InputError(
                    f"the calibration was fitted for {fitted.detector} with model {fitted.model};"
                    f" this is {detector} with model {model}: fit it again",
                    field="calibration",
                    code="other-model",
                )
            own = fitted.calibration
        return own if self.threshold is None else own.at(self.threshold)


NO_OPTIONS = LocalOptions()
