"""Whether a calibration is worth having, by its figures on sources that it was fitted without."""

from collections.abc import Iterator, Mapping

from assay.core.errors import InputError
from assay.evaluation.calibrating import LabelledScores, tells_apart
from assay.metrics import Estimate

_CHANCE = 0.5  # the balanced accuracy of guessing


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
    """What to know before the calibration is used."""
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
