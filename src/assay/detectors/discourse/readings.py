"""The readings of a sentence, folded from those of its claims."""

from collections.abc import Sequence
from operator import attrgetter

from assay.core.decision import Interpretation
from assay.core.labels import Label
from assay.detectors.discourse.parts import JudgedPart

MOST_READINGS = 8  # of a sentence; beyond these, one for each label

Readings = tuple[Interpretation, ...]


def fold_readings(judged: Sequence[JudgedPart]) -> Readings:
    """Each reading of the ambiguous parts, with the label that the sentence has in that reading.

    Readings of several parts are combined. Without a part that has two readings there are none:
    what is called ambiguous without them counts by its label.
    """
    several = [part for part in judged if _has_readings(part)]
    if not several:
        return ()
    others = [part.label for part in judged if not _has_readings(part)]
    found: Readings = several[0].verdict.interpretations
    for part in several[1:]:
        found = _combined(found, part.verdict.interpretations)
    return tuple(
        Interpretation(least_faithful([*others, each.label]), each.meaning) for each in found
    )


def least_faithful(labels: Sequence[Label]) -> Label:
    """The label of a sentence whose parts have these; no-fact counts only if all are so."""
    stating = [label for label in labels if label.coarse != "no-fact"] or labels
    return min(stating, key=attrgetter("rank"))


def _has_readings(part: JudgedPart) -> bool:
    return part.is_ambiguous and len(part.verdict.interpretations) > 1


def _combined(first: Readings, second: Readings) -> Readings:
    """Every reading of one part with every reading of another."""
    found = [
        Interpretation(
            least_faithful([one.label, other.label]),
            "; ".join(filter(None, (one.meaning, other.meaning))),
        )
        for one in first
        for other in second
    ]
    if len(found) > MOST_READINGS:
        found = list({each.label: each for each in reversed(found)}.values())
    return tuple(found)
