"""Where detectors or recorded labels disagree with what a project settled on, and how strongly.

A disagreement weighs 1 where one says faithful and the other unfaithful. Within one taxonomy, two
other labels weigh their distance in its order as a share of the whole order. Between taxonomies,
"not sure" and "no fact" are compared only with a menu that has such a label, and then weigh a half:
a detector that can only say yes or no cannot be wrong about what is neither.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.team.cases import Opinion, speaks_of
from assay.app.annotation.team.disagreement import place_of, pooled_class, sentences
from assay.core.folding import fold_judgement, fold_outcomes
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Coarse, Label
from assay.core.taxonomies import taxonomy
from assay.core.units import RESPONSE
from assay.core.verdicts import Verdict

_ORDER: tuple[Coarse, ...] = ("unfaithful", "not-sure", "no-fact", "faithful")


@dataclass(frozen=True, slots=True)
class Reason:
    """Somebody who disagrees with a label, and why."""

    author: str
    kind: str  # person or detector
    label: str | None
    taxonomy: str
    coarse: str
    score: float | None
    note: str
    strength: float


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A unit whose label others disagree with; more and stronger disagreement is more severe."""

    unit: str
    severity: float
    reasons: tuple[Reason, ...]


def suspicions(
    settled: Judgement, given: Sequence[Opinion], settings: ProjectSettings
) -> list[Suspicion]:
    """The units of a settled judgement that others disagree with, the most severe first."""
    reasons: dict[str, list[Reason]] = {}
    for opinion in given:
        for unit, reason in _against(settled, opinion, settings):
            reasons.setdefault(unit, []).append(reason)
    found = [
        Suspicion(unit, round(sum(each.strength for each in why), 4), tuple(why))
        for unit, why in reasons.items()
    ]
    return sorted(found, key=lambda each: -each.severity)


def strength(label: Label, other: Verdict) -> float:
    """How strongly a verdict disagrees with a label, from 0 to 1."""
    if label.coarse != other.coarse and {label.coarse, other.coarse} == {"faithful", "unfaithful"}:
        return 1.0
    if other.label is not None and other.label.taxonomy == label.taxonomy:
        ranks = [each.rank for each in taxonomy(label.taxonomy)]
        return round(abs(label.rank - other.label.rank) / (max(ranks) - min(ranks)), 4)
    if label.coarse == other.coarse:
        return 0.0
    theirs = taxonomy(other.label.taxonomy) if other.label else ()
    can_say = {each.coarse for each in theirs}
    can_be = {each.coarse for each in taxonomy(label.taxonomy)}
    return 0.5 if label.coarse in can_say and other.coarse in can_be else 0.0


def whole_label(settled: Judgement, settings: ProjectSettings) -> Label | None:
    """What a settled judgement says of the whole response."""
    if settings.has_spans:
        return pooled_class(settled)
    own = settled.finding(RESPONSE)
    judged = [own.outcome] if own else [each.outcome for each in sentences(settled)]
    return fold_outcomes(RESPONSE, judged).label


def _against(
    settled: Judgement, opinion: Opinion, settings: ProjectSettings
) -> Iterator[tuple[str, Reason]]:
    theirs = opinion.judgement
    compared = False
    for each in sentences(settled) if settings.has_sentences else ():
        near = [one for one in _parts(theirs) if speaks_of(one, place_of(each))]
        if near and each.label:
            compared = True
            yield from _reason(each.id, each.label, min(near, key=_faithfulness), opinion)
    label = whole_label(settled, settings)
    whole = fold_judgement(theirs)
    if label and isinstance(whole, Verdict) and (settings.has_spans or not compared):
        unit = next((u for u in theirs.units if u.id == RESPONSE), settled.units[0])
        yield from _reason(RESPONSE, label, Finding(unit, whole), opinion)


def _parts(judgement: Judgement) -> list[Finding]:
    """The verdicts on parts of the response, without parts of those."""
    found = [each for each in judgement.findings if each.verdict and each.kind != RESPONSE]
    judged = {each.id for each in found}
    return [each for each in found if each.unit.parent not in judged and each.unit.spans]


def _faithfulness(finding: Finding) -> tuple[int, float]:
    coarse = finding.coarse or "faithful"
    return _ORDER.index(coarse), finding.score if finding.score is not None else 1.0


def _reason(
    unit: str, label: Label, finding: Finding, opinion: Opinion
) -> Iterator[tuple[str, Reason]]:
    verdict = finding.verdict
    if verdict is None or not (weight := strength(label, verdict)):
        return
    said = verdict.label
    yield (
        unit,
        Reason(
            opinion.author,
            opinion.kind,
            said.name if said else None,
            said.taxonomy if said else "",
            verdict.coarse,
            verdict.score,
            verdict.note,
            weight,
        ),
    )
