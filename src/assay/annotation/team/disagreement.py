"""Disagreement of people about an item: its places and its severity.

Sentences are compared by their places: the same boundaries with the same labels. Spans are pooled
first, as FaithBench does it: the worst class that somebody gave any span is what they say of the
response, and without a span they call it consistent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.annotation.settings import ProjectSettings
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Label, Taxonomy, worst
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE, UnitKind
from assay.datasets.corpora.faithbench_marks import class_of

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
