"""What people said of an example, as one label for each unit that is evaluated."""

from collections.abc import Callable, Iterable
from typing import Literal

from assay.core.examples import Example
from assay.core.labels import Label, best, majority, worst
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, TAXONOMIES
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.text.sentences import split_sentences

GoldUnit = Literal["sentence", "response"]
Pool = Literal["corpus", "worst", "majority", "best"]
_POOLS: dict[Pool, Callable[[Iterable[Label]], Label]] = {
    "corpus": worst,
    "worst": worst,
    "majority": majority,
    "best": best,
}


def gold_labels(example: Example, kind: GoldUnit, pool: Pool) -> list[tuple[Unit, Label]]:
    """The units of a kind with their gold labels.

    `corpus` takes the label that the corpus itself aggregated, and the worst of the annotators
    where it has none; the other pools go by the annotators. Each counts with their worst label.
    """
    labelled = [verdict for verdict in example.gold if verdict.label]
    if kind == "response":
        return _whole(example, labelled, pool)
    direct = [verdict for verdict in labelled if verdict.unit.kind == kind]
    if not direct:
        return _sentences_from_spans(example, labelled, pool)
    units: dict[Unit, list[Verdict]] = {}
    for verdict in direct:
        units.setdefault(verdict.unit, []).append(verdict)
    return [(unit, _pooled(_votes(given), pool)) for unit, given in units.items()]


Votes = dict[str, list[Label]]


def _votes(verdicts: Iterable[Verdict]) -> Votes:
    """The labels by annotator; those without one are the corpus's own."""
    votes: Votes = {}
    for verdict in verdicts:
        if verdict.label:
            votes.setdefault(verdict.judge, []).append(verdict.label)
    return votes


def _pooled(votes: Votes, pool: Pool) -> Label:
    """One label from the annotators; with fewer than two, the corpus's own has a vote as well."""
    people = {judge: labels for judge, labels in votes.items() if judge}
    if "" in votes and pool == "corpus":
        return _worst_fact(votes[""])
    chosen = people if len(people) > 1 else votes
    return _POOLS[pool](_worst_fact(labels) for labels in chosen.values())


def _worst_fact(labels: list[Label]) -> Label:
    """The worst label; what states no fact counts only if nothing else is there."""
    return worst([label for label in labels if label.coarse != "no-fact"] or labels)


def _whole(example: Example, labelled: list[Verdict], pool: Pool) -> list[tuple[Unit, Label]]:
    """The response: as it was labelled, or as its spans or else its sentences were."""
    direct = [verdict for verdict in labelled if verdict.unit.kind == "response"]
    votes = _votes(direct)
    parts = [v for v in labelled if v.unit.kind == "span"] or [
        v for v in labelled if v.unit.kind == "sentence"
    ]
    for judge, labels in _votes(parts).items():
        if judge or not direct:
            menus = {label.taxonomy for each in votes.values() for label in each}
            if not menus or labels[0].taxonomy in menus:
                votes.setdefault(judge, []).extend(labels)
    if not votes:
        return []
    text = example.response.text
    unit = Unit.at("response", Span.cut(text, 0, len(text), "response"))
    return [(unit, _pooled(votes, pool))]


def _sentences_from_spans(
    example: Example, labelled: list[Verdict], pool: Pool
) -> list[tuple[Unit, Label]]:
    """Sentences of a response whose errors are marked as spans: unmarked ones are faithful."""
    spans = [verdict for verdict in labelled if verdict.unit.kind == "span"]
    unmarked = _unmarked(labelled, spans)
    named = [unit for unit in example.units if unit.kind == "sentence"]
    if unmarked is None or (named and not spans):  # the corpus has sentences, and left these open
        return []
    units = named or [Unit.at("sentence", s) for s in split_sentences(example.response.text)]
    described = [v for v in labelled if v.unit.kind == "inconsistency"]
    silent: Votes = {v.judge: [] for v in labelled if v.judge and v not in described}
    pooled = [_pooled(_marked(unit, spans, unmarked, silent), pool) for unit in units]
    return [
        (unit, _described(unit, described, each)) for unit, each in zip(units, pooled, strict=True)
    ]


def _described(unit: Unit, described: list[Verdict], label: Label) -> Label:
    """The label of a sentence; an error that people described in it counts like a marked one."""
    errors = [v.label for v in _touching(described, unit) if v.label]
    return label if label.coarse == "unfaithful" or not errors else errors[0]


def _touching(verdicts: list[Verdict], unit: Unit) -> list[Verdict]:
    return [v for v in verdicts if any(a.overlaps(b) for a in v.unit.spans for b in unit.spans)]


def _marked(unit: Unit, spans: list[Verdict], unmarked: Label, silent: Votes) -> Votes:
    """The votes on a sentence: who looked at the response and marked nothing here is content."""
    votes = {**silent, **_votes(_touching(spans, unit))}
    return {judge: labels or [unmarked] for judge, labels in votes.items()} or {"": [unmarked]}


def _unmarked(labelled: list[Verdict], spans: list[Verdict]) -> Label | None:
    """The label of what nobody marked; None if it is not known that anybody looked."""
    menu = spans[0].label.taxonomy if spans and spans[0].label else ""
    for verdict in labelled:
        label = verdict.label
        if verdict.unit.kind != "response" or label is None or label.coarse != "faithful":
            continue
        if menu in ("", label.taxonomy):
            return label
    if not menu:
        return None
    top = max(TAXONOMIES[menu], key=lambda label: label.rank)
    return top if top.coarse == "faithful" else BINARY["faithful"]
