"""Opinions of an item, stretch by stretch: where people disagree about it, and how severely.

Sentences are compared by their places: the same boundaries with the same labels. Spans are pooled
first, as FaithBench does it: the worst class that somebody gave any span is what they say of the
response, and without a span they call it consistent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.annotation.settings import ProjectSettings
from assay.audit.disagreement import speaks_of
from assay.core.codec import read_judgement
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Label, Taxonomy, worst
from assay.core.records import unit_record
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE, UnitKind
from assay.core.wire import UnitRecord
from assay.datasets.corpora.faithbench_marks import class_of
from assay.store.annotation.records import AuthorKind, StoredJudgement

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Severity:
    """The severity of a disagreement about an item; a greater one comes first in a queue.

    `conflicts` counts the units that are faithful to one and unfaithful to another, `distance` is
    the greatest distance in the order of the labels as a share of the whole order, and `units`
    counts the units that they differ about.
    """

    conflicts: int = 0
    distance: float = 0.0
    units: int = 0


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


def differ(judgements: Sequence[Judgement], settings: ProjectSettings) -> bool:
    """True if judgements of an item differ in what the project asks for."""
    return severity(judgements, settings).units > 0


def severity(judgements: Sequence[Judgement], settings: ProjectSettings) -> Severity:
    """The severity of the differences between judgements of an item; nothing if they agree."""
    found: list[Severity] = []
    if settings.has_sentences:
        found += [
            compare([labels_within(each, place) for each in judgements], GRAY7)
            for place in places(judgements)
        ]
    if settings.has_spans:
        pooled = [{(0, 0): pooled_class(each)} for each in judgements]
        found.append(compare(pooled, FAITHBENCH))
    return Severity(
        sum(each.conflicts for each in found),
        max((each.distance for each in found), default=0.0),
        sum(each.units for each in found),
    )


def compare(said: Sequence[dict[Place, Label]], menu: Taxonomy) -> Severity:
    """The severity of a disagreement about a stretch of text, from each person's labels in it."""
    if all(each == said[0] for each in said[1:]):
        return Severity()
    worsts = [worst(each.values()) for each in said if each]
    ranks = [label.rank for label in worsts]
    kinds = {label.coarse for label in worsts}
    width = max(label.rank for label in menu) - min(label.rank for label in menu)
    distance = (max(ranks) - min(ranks)) / width if ranks else 0.0
    return Severity(int({"faithful", "unfaithful"} <= kinds), round(distance, 4), 1)


def sentences(judgement: Judgement, kind: UnitKind = "sentence") -> tuple[Finding, ...]:
    """The findings on sentences with a place in the response, or on another kind of unit."""
    return tuple(each for each in judgement.findings if each.kind == kind and each.unit.spans)


def place_of(finding: Finding) -> Place:
    """The start and the end of a unit."""
    return (finding.unit.spans[0].start, finding.unit.spans[-1].end)


def labels_within(judgement: Judgement, place: Place) -> dict[Place, Label]:
    """The labels of the sentences within a stretch of the response, by their places."""
    return {
        place_of(each): each.label
        for each in sentences(judgement)
        if each.label and overlaps(place_of(each), place)
    }


def places(judgements: Iterable[Judgement], kind: UnitKind = "sentence") -> list[Place]:
    """The stretches of the response that people cut into sentences, in the same way or not.

    Where boundaries differ, all sentences that overlap make one stretch; so do spans.
    """
    return joined({place_of(each) for one in judgements for each in sentences(one, kind)})


def joined(cut: Iterable[Place]) -> list[Place]:
    """Places in their order, with those that overlap made one."""
    found: list[Place] = []
    for start, end in sorted(cut):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def overlaps(one: Place, other: Place) -> bool:
    """True if two places share a character."""
    return one[0] < other[1] and other[0] < one[1]


def pooled_class(judgement: Judgement) -> Label:
    """The worst of the classes that somebody gave to spans; kinds count as their class."""
    whole = judgement.finding(RESPONSE)
    if whole and whole.label and whole.label.taxonomy == FAITHBENCH.name:
        return class_of(whole.label)
    given = [
        each.label
        for each in judgement.findings
        if each.kind == "span" and each.label and each.label.taxonomy == FAITHBENCH.name
    ]
    return class_of(worst(given)) if given else FAITHBENCH["consistent"]


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
                yield _opinion(opinion, finding)


def _opinion(opinion: ItemOpinion, finding: Finding) -> UnitOpinion:
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
