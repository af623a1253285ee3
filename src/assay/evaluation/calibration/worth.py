"""The worth of a calibration, by its figures on sources that it was fitted without."""

from collections.abc import Iterator, Mapping
from math import ceil

from assay.core.errors import InputError
from assay.detectors.embedded.calibration import Calibration
from assay.evaluation.calibration.fits import LabelledScores, Read, change, rescaled, tells_apart
from assay.metrics import Estimate, proportion

_CHANCE = 0.5  # the balanced accuracy of guessing
_Z = 1.96  # of a 95 % interval


def require_use(
    given: LabelledScores, before: Mapping[str, Estimate], after: Mapping[str, Estimate]
) -> None:
    """Raises where the scores say nothing of the labels, or guessing would do as well."""
    if not tells_apart(given):
        raise InputError(
            "what is labelled faithful has no higher scores than what is labelled unfaithful: are"
            " the labels the wrong way round?",
            field="label_field",
            code="no-use",
        )
    own, made = before["balanced accuracy"], after["balanced accuracy"]
    if _is_guessing(made) and not _is_guessing(own):
        raise InputError(
            "a calibration on these labels is no better than guessing on sources that it was"
            f" fitted without: balanced accuracy {made}; keep the model's own, which has {own}",
            code="no-use",
        )


def _is_guessing(found: Estimate) -> bool:
    return found.value is None or found.value <= _CHANCE


def why_worse(before: Mapping[str, Estimate], after: Mapping[str, Estimate]) -> str:
    """In what the calibration is worse than the model's own; empty where it is not."""
    own, made = before["balanced accuracy"], after["balanced accuracy"]
    if own.value is None or made.value is None or made.value >= own.value:
        return ""
    return (
        "on sources that it was fitted without, the calibration is worse than the model's own:"
        f" balanced accuracy {made}, where that has {own}; more labels may help"
    )


def warnings_about(
    before: Mapping[str, Estimate], after: Mapping[str, Estimate], sure: float
) -> Iterator[str]:
    """Warnings to read before the calibration is used."""
    made = after["balanced accuracy"]
    if _is_guessing(made):
        yield (
            "on sources that it was fitted without, the calibration is no better than guessing:"
            f" balanced accuracy {made}; more labels may help"
        )
    elif worse := why_worse(before, after):
        yield worse
    for label in ("unfaithful", "faithful"):
        found = after[f"precision of {label} where sure"]
        if found.value is None:
            yield f"no verdict is sure that something is {label}"
        elif found.value < sure:
            yield (
                f"verdicts that are sure that something is {label} are right less often than"
                f" {sure:g} of the time: {found}"
            )


def warning_of_band(given: LabelledScores, own: Calibration, made: Calibration, sure: float) -> str:
    """That nothing is called not sure any more, and whether the labels are too few to say so."""
    if made.unsure[0] < made.unsure[1] or own.unsure[0] == own.unsure[1]:
        return ""
    told = (
        "the not-sure band is gone: verdicts on these labels are right often enough without it, so"
        " that none will be called not sure any more"
    )
    read = Read.by(made, rescaled(given.scores, *change(own, made)))
    few = [
        (label, int(called.sum()))
        for label, called in (("unfaithful", ~read.called), ("faithful", read.called))
        if (
            _lowest(int((called & (given.faithful == read.called)).sum()), int(called.sum())) < sure
        )
    ]
    if not few:
        return told
    counts = " and ".join(f"{count:,} verdicts are {label}" for label, count in few)
    return (
        f"{told}; that is little to go by, since {counts}, and it takes {needed(sure)} of each"
        f" kind, all right, to show that {sure:g} of them are: add labels, hard ones too, or keep"
        " the model's own calibration"
    )


def needed(sure: float) -> int:
    """So many verdicts, all right, show that a share of them is: Wilson's 95 % interval is above.

    >>> needed(0.8), needed(0.9)
    (16, 35)
    """
    return ceil(_Z**2 * sure / (1 - sure))


def _lowest(right: int, count: int) -> float:
    return proportion(right, count).low or 0.0
