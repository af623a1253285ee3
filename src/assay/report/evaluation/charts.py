"""Charts of each detector, and of the gold labels alone, on the page of an evaluation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.figures import confidence, truths_of
from assay.evaluation.items import Item, Judged
from assay.evaluation.shares import share_of
from assay.metrics import (
    Estimate,
    first_errors,
)
from assay.report.pages.badges import label_badge
from assay.report.pages.charts import (
    Bar,
    Matrix,
    Pair,
    Reliability,
    RiskCurve,
    Scope,
    StackPart,
    confusion,
    gold_badge,
    in_order,
    matrix,
    positions,
    predicted_badge,
    reliability,
    risk_curve,
    stack,
)

MOST_POSITIONS = 10


@dataclass(frozen=True, slots=True)
class DetectorCharts:
    """All that the page shows of one detector."""

    evaluation: Evaluation
    rank: int | None
    predicted: tuple[StackPart, ...]
    confusion: Matrix
    class_f1: tuple[Bar, ...]
    by_gold: tuple[Bar, ...]
    by_source: tuple[Bar, ...]
    by_response: tuple[Bar, ...]
    curve: RiskCurve | None
    bins: tuple[Reliability, ...]


def view_detector(evaluation: Evaluation, report: EvaluationReport, scope: Scope) -> DetectorCharts:
    """The view of one detector; `scope` says which of its items the page carries."""
    judged, best = evaluation.judged, report.best
    examples = [report.examples[each.item.example] for each in judged]
    source = quarters([len(example.source.text) for example in examples])
    response = quarters([len(example.response.text) for example in examples])
    kind = evaluation.confidence
    found = {
        at: value for at, each in enumerate(judged) if (value := confidence(each, kind)) is not None
    }
    truth = truths_of(judged[at].item.faithful for at in found)
    sure = np.array([*found.values()], dtype=float)
    labels = (each.outcome.label for each in judged if kind == "label")
    names = {float(label.rank): label.name for label in labels if label}
    return DetectorCharts(
        evaluation=evaluation,
        rank=best.index(evaluation.detector) if evaluation.detector in best else None,
        predicted=stack([predicted_badge(each) for each in judged], scope, "predicted"),
        confusion=confusion(judged, scope, square=bool(evaluation.class_f1)),
        class_f1=tuple(Bar(name, each) for name, each in evaluation.class_f1.items()),
        by_gold=tuple(error_bars(judged, _counted_classes(judged), scope, "gold {}")),
        by_source=tuple(error_bars(judged, source, scope, "source of {} characters")),
        by_response=tuple(error_bars(judged, response, scope, "response of {} characters")),
        curve=risk_curve(truth, sure, names),
        bins=reliability([*found], truth, sure, scope) if kind == "score" else (),
    )


def _counted_classes(judged: Sequence[Judged]) -> dict[str, list[int]]:
    """The items of each gold class that the reading counts."""
    counted = {at for at, each in enumerate(judged) if each.item.faithful is not None}
    classes = positions(map(gold_badge, judged))
    found = {b.name: [at for at in classes[b] if at in counted] for b in in_order(classes)}
    return {name: items for name, items in found.items() if items}


def error_bars(
    judged: Sequence[Judged], groups: Mapping[str, Sequence[int]], scope: Scope, words: str
) -> Iterator[Bar]:
    """The share of wrong verdicts in each group of items."""
    for name, group in groups.items():
        wrong = [at for at in group if judged[at].is_error]
        link = scope.link(wrong, f"wrong, {words.format(name)}")
        yield Bar(name, _error_rate([judged[at] for at in group]), link)


def _error_rate(judged: Sequence[Judged]) -> Estimate:
    """The share of wrong verdicts, with an interval over sources."""
    return share_of(
        (each.item.group, each.is_error)
        for each in judged
        if each.faithful is not None and each.item.faithful is not None
    )


def quarters(lengths: ArrayLike) -> dict[str, list[int]]:
    """Four groups of items by length; equal lengths stay together, so there may be fewer."""
    values = np.asarray(lengths)
    groups = positions(np.searchsorted(np.quantile(values, (0.25, 0.5, 0.75)), values).tolist())
    return {
        f"{values[group].min():,}–{values[group].max():,}": group
        for _, group in sorted(groups.items())
    }


@dataclass(frozen=True, slots=True)
class GoldCharts:
    """Charts of the gold labels without any detector."""

    parts: tuple[StackPart, ...]
    transitions: Matrix | None = None
    first_errors: tuple[Bar, ...] = ()
    clean: int = 0


def view_gold(items: Sequence[Item], scope: Scope) -> GoldCharts:
    """The view of the gold labels: how they divide, and for sentences how they follow."""
    parts = stack([label_badge(item.gold) for item in items], scope, "gold")
    if any(item.unit.kind != "sentence" for item in items):
        return GoldCharts(parts)
    listed = positions(item.example for item in items).values()
    responses = [_in_reading_order(items, response) for response in listed]
    order = [at for response in responses for at in response]
    # What the reading leaves out is no error.
    fine = [items[at].faithful is not False for at in order]
    found = first_errors(fine, [items[at].example for at in order])
    return GoldCharts(
        parts,
        _transitions(items, responses, scope),
        tuple(_first_error_bars(items, responses, found.hazards[:MOST_POSITIONS], scope)),
        found.clean,
    )


def _in_reading_order(items: Sequence[Item], response: Sequence[int]) -> list[int]:
    """The sentences of a response by where they stand; as they are listed if one stands nowhere."""
    starts = {at: items[at].unit.start for at in response}
    if None in starts.values():
        return list(response)
    return sorted(response, key=lambda at: starts[at] or 0)


def _transitions(
    items: Sequence[Item], responses: Sequence[Sequence[int]], scope: Scope
) -> Matrix | None:
    moves: dict[Pair, list[int]] = {}
    for before, after in (pair for response in responses for pair in pairwise(response)):
        pair = label_badge(items[before].gold), label_badge(items[after].gold)
        moves.setdefault(pair, []).append(after)
    names = ("sentence after", "gold")
    return matrix(moves, square=True, scope=scope, names=names, kinds={}) if moves else None


def _first_error_bars(
    items: Sequence[Item],
    responses: Sequence[Sequence[int]],
    hazards: Sequence[Estimate],
    scope: Scope,
) -> Iterator[Bar]:
    """Of the responses that are still faithful, the share that goes wrong at each sentence."""
    wrong = ([at for at in response if items[at].faithful is False] for response in responses)
    first = {each[0] for each in wrong if each}
    for number, hazard in enumerate(hazards):
        here = [r[number] for r in responses if len(r) > number and r[number] in first]
        link = scope.link(here, f"first unfaithful at sentence {number + 1}")
        yield Bar(str(number + 1), hazard, link)
