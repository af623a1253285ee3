"""`auto`, the default: `embedded`, and `embedded-large` where that is not sure if it can run here.

It names no detector of its own. A spec that asks for it has the name of the detector that it stands
for, so that manifests, runs and reports say who judged.
"""

from assay.core.errors import InputError
from assay.detectors.local import LocalOptions
from assay.detectors.registry import (
    DetectorSpec,
    DetectorType,
    detector_facts,
    make_detector,
)
from assay.models.cache import look
from assay.models.catalogue import amount, find_model

NAME = "auto"
ALONE = "embedded"
LARGE = "embedded-large"
BOTH = "cascade:embedded,embedded-large"
CHOICES = (ALONE, BOTH)
BASE = "large"  # its name in the catalogue
_OF_ONE_MODEL = ("threshold", "calibration")


def is_for_one_model(local: LocalOptions) -> bool:
    """True if a threshold or a calibration was chosen, which are for one model."""
    return any(name in local.changed for name in _OF_ONE_MODEL)


def stands_for(argument: str, local: LocalOptions) -> str:
    """The detector that it stands for now.

    With a calibration of one of the two it is that one, and with a threshold alone the one that is
    always here.
    """
    if argument:
        raise InputError(f"detector '{NAME}' takes nothing after its name", field="detector")
    if is_for_one_model(local):
        fitted = local.calibration
        return LARGE if fitted and fitted.detector == LARGE else ALONE
    return BOTH if look(find_model(BASE)).state == "ready" else ALONE


def _facts(argument: str) -> dict[str, str]:
    chosen, public = stands_for(argument, LocalOptions()), find_model(BASE)
    why = {
        BOTH: f"the base of embedded-large is here ({public.file})",
        ALONE: f"the base of embedded-large is not here: 'assay models pull {BASE}' fetches it"
        f" ({amount(public.size)}), and then it is {BOTH}",
    }
    own = {
        name: value
        for name, value in detector_facts(chosen).items()
        if name not in ("detector", "what it is", "judges", "labels")
    }
    return {"stands for": chosen, "because": why[chosen], **own}


AUTO = DetectorType(
    "embedded, then embedded-large where it is not sure if its base is here; the default",
    lambda argument: DetectorSpec(stands_for(argument, LocalOptions())).capabilities,
    lambda given: make_detector(DetectorSpec(NAME, local=given.local)),
    _facts,
    takes_argument=False,
    stands_for=stands_for,
)
