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
Pool = Literal["worst", "majority", "best"]
POOLS: dict[Pool, Callable[[Iterable[Label]], Label]] = {
    "worst": worst,
    "majority": majority,
    "best": best,
}


def gold_labels(example: Example, kind: GoldUnit, pool: Pool) -> list[tuple[Unit, Label]]:
    """The units of a kind with their gold labels; a label that the corpus aggregated comes first.

    Without one, each annotator's worst label of a unit is taken, and these are pooled.
    """
    direct = [verdict for verdict in example.gold if verdict.unit.kind == kind and verdict.label]
    if direct:
        return _by_unit(direct, pool)
    spans = [verdict for verdict in example.gold if verdict.unit.kind == "span" and verdict.label]
    if kind == "response":
        sentences = [v for v in example.gold if v.unit.kind == "sentence" and v.label]
        return _whole(example, spans or sentences, pool)
    return _sentences_from_spans(example, spans, pool)


def _by_unit(verdicts: list[Verdict], pool: Pool) -> list[tuple[Unit, Label]]:
    units: dict[Unit, list[Verdict]] = {}
    for verdict in verdicts:
        units.setdefault(verdict.unit, []).append(verdict)
    return [(unit, _pooled(given, pool)) for unit, given in units.items()]


def _pooled(verdicts: list[Verdict], pool: Pool) -> Label:
    """The corpus's own label, or the pool of the annotators; each counts with their worst."""
    aggregated = [verdict.label for verdict in verdicts if not verdict.judge and verdict.label]
    if aggregated:
        return worst(aggregated)
    judges: dict[str, list[Label]] = {}
    for verdict in verdicts:
        if verdict.label:
            judges.setdefault(verdict.judge, []).append(verdict.label)
    return POOLS[pool](worst(labels) for labels in judges.values())


def _whole(example: Example, verdicts: list[Verdict], pool: Pool) -> list[tuple[Unit, Label]]:
    if not verdicts:
        return []
    text = example.response.text
    unit = Unit.at("response", Span.cut(text, 0, len(text), "response"))
    return [(unit, _pooled(verdicts, pool))]


def _sentences_from_spans(
    example: Example, spans: list[Verdict], pool: Pool
) -> list[tuple[Unit, Label]]:
    """Sentences of a response whose errors are marked as spans: unmarked ones are faithful."""
    unmarked = _unmarked(example, spans)
    named = [unit for unit in example.units if unit.kind == "sentence"]
    if unmarked is None or (named and not spans):  # the corpus has sentences, and left these open
        return []
    units = named or [Unit.at("sentence", s) for s in split_sentences(example.response.text)]
    found = []
    for unit in units:
        touching = [
            v for v in spans if any(a.overlaps(b) for a in v.unit.spans for b in unit.spans)
        ]
        found.append((unit, _pooled(touching, pool) if touching else unmarked))
    return found


def _unmarked(example: Example, spans: list[Verdict]) -> Label | None:
    """The label of what nobody marked; None if it is not known that anybody looked."""
    for verdict in example.gold:
        if verdict.unit.kind == "response" and verdict.label and verdict.label.coarse == "faithful":
            return verdict.label
    if not spans or not spans[0].label:
        return None
    top = max(TAXONOMIES[spans[0].label.taxonomy], key=lambda label: label.rank)
    return top if top.coarse == "faithful" else BINARY["faithful"]
