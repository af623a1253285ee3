"""Everybody's opinions of an item, stretch by stretch, for those who settle or audit it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.annotation.settings import ProjectSettings
from assay.annotation.team.disagreement import (
    Place,
    Severity,
    compare,
    labels_within,
    places,
    pooled_class,
)
from assay.audit.disagreement import speaks_of
from assay.core.codec import read_judgement
from assay.core.judgements import Finding, Judgement
from assay.core.records import unit_record
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE, UnitKind
from assay.core.wire import UnitRecord
from assay.store.annotation.records import AuthorKind, StoredJudgement


@dataclass(frozen=True, slots=True)
class UnitOpinion:
    """One author's opinion of a unit; `unit` has the note, the evidence and the answers too."""

    author: str
    kind: AuthorKind
    stage: str
    at: str
    label: str | None
    taxonomy: str
    coarse: str | None
    score: float | None
    note: str
    unit: UnitRecord


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the response that people judged, with what everybody says of it.

    `kind` is sentence, span, or response for what is said of the whole. `severity` compares what
    people say; nothing where they agree.
    """

    kind: UnitKind
    start: int
    end: int
    text: str
    is_disputed: bool
    severity: Severity
    said: tuple[UnitOpinion, ...]


@dataclass(frozen=True, slots=True)
class ItemOpinion:
    """One author's judgement of an item, and its stage."""

    author: str
    kind: AuthorKind
    stage: str
    at: str
    judgement: Judgement


def opinions(said: Iterable[StoredJudgement]) -> list[ItemOpinion]:
    """The last judgement of each author, of judgements in the order of their rounds."""
    last = {(each.kind, each.author): each for each in said}
    return [
        ItemOpinion(each.author, each.kind, each.stage, each.at, read_judgement(each.record))
        for each in last.values()
    ]


def stretches(
    given: Sequence[ItemOpinion], settings: ProjectSettings, response: str
) -> tuple[Stretch, ...]:
    """The stretches of a response: its sentences, then its spans, then the whole."""
    people = [each.judgement for each in given if each.kind == "person"]
    found: list[Stretch] = []
    if settings.has_sentences:
        for place in places(people):
            severity = compare([labels_within(each, place) for each in people], GRAY7)
            found.append(_stretch("sentence", place, severity, given, response))
    if settings.has_spans:
        for place in places(people, "span"):
            found.append(_stretch("span", place, Severity(), given, response))
        pooled = [{(0, 0): pooled_class(each)} for each in people]
        severity = compare(pooled, FAITHBENCH) if pooled else Severity()
        found.append(_stretch("response", (0, len(response)), severity, given, response))
    elif any(each.judgement.finding(RESPONSE) for each in given):
        found.append(_stretch("response", (0, len(response)), Severity(), given, response))
    return tuple(found)


def _stretch(
    kind: UnitKind,
    place: Place,
    severity: Severity,
    given: Sequence[ItemOpinion],
    response: str,
) -> Stretch:
    said = tuple(_said(kind, place, given))
    start, end = place
    return Stretch(kind, start, end, response[start:end], severity.units > 0, severity, said)


def _said(kind: UnitKind, place: Place, given: Sequence[ItemOpinion]) -> Iterator[UnitOpinion]:
    for opinion in given:
        for finding in opinion.judgement.findings:
            if (finding.kind == RESPONSE) != (kind == RESPONSE):
                continue
            is_own_kind = opinion.kind == "detector" or finding.kind == kind
            if kind == RESPONSE or (is_own_kind and speaks_of(finding, place)):
                yield said(opinion, finding)


def said(opinion: ItemOpinion, finding: Finding) -> UnitOpinion:
    """A finding of an author, told in full."""
    label = finding.label
    menu = label.taxonomy if label else ""
    return UnitOpinion(
        opinion.author,
        opinion.kind,
        opinion.stage,
        opinion.at,
        label.name if label else None,
        menu,
        finding.coarse,
        finding.score,
        finding.note,
        unit_record(finding.unit, finding.outcome, menu),
    )
