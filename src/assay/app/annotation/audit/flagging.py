"""Where detectors or recorded labels disagree with what a project settled on.

What counts as a disagreement, and how much it weighs, is the audit's own (`assay.audit`); here is
which units of a project are looked at.
"""

from collections.abc import Iterator, Sequence

from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.team.cases import Opinion
from assay.app.annotation.team.disagreement import pooled_class, sentences
from assay.audit.comparing import Comparing
from assay.audit.flagging import (
    Labelled,
    Reason,
    Suspicion,
    most_severe_first,
    reason_against,
    suspicion_of,
)
from assay.core.folding import fold_outcomes
from assay.core.judgements import Judgement
from assay.core.labels import Label
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure

_AS_THEY_ARE = Comparing()


def suspicions(
    settled: Judgement, given: Sequence[Opinion], settings: ProjectSettings
) -> list[Suspicion]:
    """The units of a settled judgement that others disagree with, the most severe first."""
    reasons: dict[str, list[Reason]] = {}
    for opinion in given:
        for unit, reason in _against(settled, opinion.judgement, settings):
            reasons.setdefault(unit, []).append(reason)
    return most_severe_first(suspicion_of(unit, why) for unit, why in reasons.items())


def whole_label(settled: Judgement, settings: ProjectSettings) -> Label | None:
    """What a settled judgement says of the whole response."""
    if settings.has_spans:
        return pooled_class(settled)
    own = settled.finding(RESPONSE)
    judged = [own.outcome] if own else [each.outcome for each in sentences(settled)]
    return fold_outcomes(RESPONSE, judged).label


def _against(
    settled: Judgement, theirs: Judgement, settings: ProjectSettings
) -> Iterator[tuple[str, Reason]]:
    compared = False
    for each in sentences(settled) if settings.has_sentences else ():
        if each.label:
            found = reason_against((each.unit, each.label), theirs, _AS_THEY_ARE)
            compared = compared or not isinstance(found, Failure)
            if isinstance(found, Reason):
                yield each.id, found
    label = whole_label(settled, settings)
    if label and (settings.has_spans or not compared):
        whole: Labelled = (Unit(RESPONSE, "response", ""), label)
        found = reason_against(whole, theirs, _AS_THEY_ARE)
        if isinstance(found, Reason):
            yield RESPONSE, found
