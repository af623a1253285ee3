"""The effect of values in other forms than the source's on the opinion and its reason."""

from dataclasses import replace

from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.verdicts import Assessment
from assay.text.quantities.restating import Restated

_LEAST_BELOW = 0.01  # the threshold, for a value that was converted wrongly
MOST_SAID = 2  # conversions in a note


def with_conversions(found: Assessment, read: Restated, calibration: Calibration) -> Assessment:
    """The opinion with the values that were read in other forms, of which none may be a slip.

    What looks like a wrong conversion contradicts the source, and is not sure unless the model
    thinks so too.
    """
    if not read.changes:
        return found
    found = replace(found, conversions=_said(read))
    if not read.slips:
        return found
    low, threshold = calibration.unsure[0], calibration.threshold
    below = min((low + threshold) / 2, threshold - _LEAST_BELOW)
    entailed = max(min(found.entailed, below), 0.0)
    neutral = min(found.neutral, found.contradicted, (1 - entailed) / 3)
    return replace(
        found,
        entailed=entailed,
        neutral=neutral,
        contradicted=1 - entailed - neutral,
        is_doubted=found.entailed > low,
    )


def _said(read: Restated) -> str:
    """Sentences such as `1.248 billion is 1,248 million.`"""
    original = read.original
    same = [
        f"“{original[each.start : each.end]}” is “{each.written}”." for each in read.conversions
    ]
    slips = [
        f"“{original[each.start : each.end]}” looks like a wrong conversion of “{each.slip_of}”."
        for each in read.slips
    ]
    return " ".join((*slips, *same)[:MOST_SAID])
