"""Settled labels of a project: which units others disagree with, and how many there are.

What counts as a disagreement, and how much it weighs, is the audit's own (`assay.audit`); here is
which units of a project are looked at.
"""

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio
from assay.annotation.team.disagreement import ItemOpinion, pooled_class, sentences
from assay.audit.disagreement import (
    Comparing,
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
from assay.store.annotation.database import Connection, StudioDatabase
from assay.store.annotation.finals import Final, final
from assay.store.annotation.flags import versions_of_finished

Version = tuple[tuple[int, int], bool]  # of what was said of an item, and what the project asks for
_Counts = dict[int, tuple[Version, int | None]]  # by item; None where nothing settles it
_kept: "WeakKeyDictionary[StudioDatabase, dict[int, _Counts]]" = WeakKeyDictionary()
_AS_THEY_ARE = Comparing()


def suspicions(
    settled: Judgement, given: Sequence[ItemOpinion], settings: ProjectSettings
) -> list[Suspicion]:
    """The units of a settled judgement that others disagree with, the most severe first."""
    reasons: dict[str, list[Reason]] = {}
    for opinion in given:
        for unit, reason in _against(settled, opinion.judgement, settings):
            reasons.setdefault(unit, []).append(reason)
    return most_severe_first(suspicion_of(unit, why) for unit, why in reasons.items())


def label_of(settled: Judgement, unit: str, settings: ProjectSettings) -> Label | None:
    """The settled label of a unit, or of the whole response."""
    if unit == RESPONSE:
        return _whole_label(settled, settings)
    found = settled.finding(unit)
    return found.label if found else None


def _whole_label(settled: Judgement, settings: ProjectSettings) -> Label | None:
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
    label = _whole_label(settled, settings)
    if label and (settings.has_spans or not compared):
        whole: Labelled = (Unit(RESPONSE, "response", ""), label)
        found = reason_against(whole, theirs, _AS_THEY_ARE)
        if isinstance(found, Reason):
            yield RESPONSE, found


def count_settled(
    studio: Studio, connection: Connection, project: int, settings: ProjectSettings
) -> tuple[int, int]:
    """The number of settled items of a project, and of the labels that they have together.

    Items are read once, and again only where something was said since.
    """
    said = versions_of_finished(connection, project)
    versions = {item: (version, settings.has_sentences) for item, version in said.items()}
    before = _kept.get(studio.database, {}).get(project, {})
    counts = {
        item: before[item]
        for item, version in versions.items()
        if item in before and before[item][0] == version
    }
    changed = [item for item in versions if item not in counts]
    found = {each.item: each for each in final(connection, project, changed)}
    for item in changed:
        settled = found.get(item)
        counts[item] = (versions[item], _count_units(settled, settings) if settled else None)
    _kept.setdefault(studio.database, {})[project] = counts
    units = [count for _, count in counts.values() if count is not None]
    return len(units), sum(units)


def _count_units(settled: Final, settings: ProjectSettings) -> int:
    """The labels that an audit looks at: of sentences, or of the whole where spans are marked."""
    return len(sentences(settled.judgement)) if settings.has_sentences else 1
