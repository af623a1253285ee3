"""Options of models that run on this machine: the device, and how scores are read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import Annotated, Any

from assay.core.errors import InputError
from assay.core.judgements import MARKS, Parameter
from assay.core.options import Option
from assay.core.verdicts import FAITHFUL_FROM
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.protocol import Capabilities

SCHEMA = "urn:assay:calibration:1"
_HERE = "A model that runs here"
_LARGEST = 1 << 20  # bytes of a file
_DEVICE = re.compile(r"cpu|cuda(?::[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class FittedCalibration:
    """A calibration that was fitted on a user's own labels, and the detector that it is for."""

    detector: str
    model: str  # the version of the detector's author
    calibration: Calibration

    @property
    def digest(self) -> str:
        """A digest that identifies the calibration."""
        said = repr((self.model, self.calibration)).encode()
        return blake2b(said, digest_size=4).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The document that `read_calibration` reads."""
        return {
            "schema": SCHEMA,
            "detector": self.detector,
            "model": self.model,
            "calibration": self.calibration.card(),
        }


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """The device of a detector that runs a model here, and how its scores become verdicts.

    `threshold` is the score below which a sentence counts as unfaithful, instead of the model's or
    the calibration's own; the band of unsure scores moves with it.
    """

    device: Annotated[
        str, Option("Where it runs; cuda needs a GPU and the extra gpu.", "cpu|cuda", _HERE)
    ] = "cpu"  # or `cuda:1`
    threshold: Annotated[
        float | None,
        Option(
            "Score below which a sentence counts as unfaithful; the not-sure band moves with it.",
            "X",
            _HERE,
        ),
    ] = None
    batch_size: Annotated[
        int | None,
        Option("Texts that a published model reads at once; 16 unless given.", "N", _HERE),
    ] = None
    calibration: Annotated[
        FittedCalibration | None,
        Option(
            "File of 'assay calibrate' that says how its scores are read.",
            "FILE",
            _HERE,
            reads=lambda path: read_calibration(path),
        ),
    ] = None

    def __post_init__(self) -> None:
        if not (isinstance(self.device, str) and _DEVICE.fullmatch(self.device)):
            raise InputError(
                f"the device is cpu, cuda or cuda:N, not {self.device!r}", field="device"
            )
        if self.threshold is not None and not (
            _is_number(self.threshold) and 0 < self.threshold < 1
        ):
            raise InputError(
                f"a threshold lies between 0 and 1, both excluded, not at {self.threshold!r}",
                field="threshold",
            )
        if self.batch_size is not None and self.batch_size < 1:
            raise InputError(
                f"the batch size is 1 or more, not {self.batch_size}", field="batch_size"
            )
        if not isinstance(self.calibration, FittedCalibration | None):
            raise InputError(
                "a calibration is a file or what was fitted, not of type"
                f" {type(self.calibration).__name__}",
                field="calibration",
            )

    @property
    def changed(self) -> tuple[str, ...]:
        """The fields that are not as usual."""
        usual = LocalOptions()
        names = ("device", "threshold", "batch_size", "calibration")
        return tuple(name for name in names if getattr(self, name) != getattr(usual, name))

    def describe(self) -> dict[str, Parameter]:
        """The settings that differ from the defaults, for a manifest."""
        said: dict[str, Parameter] = {name: getattr(self, name) for name in self.changed}
        if fitted := self.calibration:
            said["calibration"] = fitted.digest
        return said

    def calibrate(self, own: Calibration, detector: str, model: str) -> Calibration:
        """The calibration: that of the model's card, unless another was chosen.

        A calibration that was fitted for another model raises.
        """
        fitted = self.calibration
        if fitted is not None:
            if fitted.model != model:
                other = f"use {fitted.detector}, or " if fitted.detector != detector else ""
                raise InputError(
                    f"the calibration was fitted for {fitted.detector} with model {fitted.model};"
                    f" this is {detector} with model {model}: {other}fit it again",
                    field="calibration",
                    code="other-model",
                )
            own = fitted.calibration
        return own if self.threshold is None else own.at(self.threshold)


NO_OPTIONS = LocalOptions()


def parameters_of(local: LocalOptions, can: Capabilities) -> dict[str, Parameter]:
    """The parameters of a local detector, for a manifest.

    What was chosen, its threshold, and that it marks words: whoever measures the marks cannot tell
    that from verdicts in which nothing happens to be marked.
    """
    said = local.describe()
    if can.threshold != FAITHFUL_FROM:
        said["threshold"] = can.threshold
    return {**said, MARKS: True} if can.marks else said


def read_calibration(path: str | Path) -> FittedCalibration:
    """The calibration of a file; one that is none raises and says why."""
    try:
        with Path(path).open("rb") as file:
            said = json.loads(file.read(_LARGEST))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", field="calibration") from None
    except (ValueError, RecursionError):  # the latter for brackets in brackets without end
        raise InputError(f"{path} is no calibration: it is not JSON", field="calibration") from None
    if not isinstance(said, Mapping) or said.get("schema") != SCHEMA:
        raise InputError(
            f"{path} is no calibration: its schema is not {SCHEMA}", field="calibration"
        )
    try:
        made = Calibration.read(_numbers(said["calibration"]))
        return FittedCalibration(str(said["detector"]), str(said["model"]), made)
    except InputError as error:
        raise InputError(f"{path}: {error.message}", field="calibration") from None
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise InputError(f"{path} is damaged: fit it again", field="calibration") from None


def _numbers(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """The card of a calibration, which has numbers and a threshold between 0 and 1."""
    low, high = card["unsure"]
    for each in (card["scale"], card["shift"], card["threshold"], low, high):
        if not _is_number(each):
            raise TypeError(f"{each!r} is no number")
    if not 0 < card["threshold"] < 1:
        raise InputError(f"a threshold lies between 0 and 1, not at {card['threshold']}")
    return card


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)
