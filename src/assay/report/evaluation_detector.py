"""What the page of an evaluation shows of one detector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.verdicts import Verdict
from assay.evaluate.board import EvaluationReport
from assay.evaluate.evaluation import Evaluation
from assay.evaluate.figures import truths_of
from assay.evaluate.judged import Judged
from assay.report.charts import (
    Bar,
    Part,
    Scope,
    gold_badge,
    in_order,
    positions,
    said_badge,
    stack,
)
from assay.report.charts_errors import error_bars, quarters
from assay.report.charts_matrix import Matrix, confusion
from assay.report.charts_scores import Reliability, RiskCurve, reliability, risk_curve


@dataclass(frozen=True, slots=True)
class DetectorView:
    """All that the page shows of one detector."""

    evaluation: Evaluation
    rank: int | None
    said: tuple[Part, ...]
    confusion: Matrix
    class_f1: tuple[Bar, ...]
    by_gold: tuple[Bar, ...]
    by_source: tuple[Bar, ...]
    by_response: tuple[Bar, ...]
    curve: RiskCurve | None
    bins: tuple[Reliability, ...]


def view_detector(evaluation: Evaluation, report: EvaluationReport, scope: Scope) -> DetectorView:
    judged, best = evaluation.judged, report.best
    examples = [report.examples[each.item.example] for each in judged]
    source = quarters([len(example.source.text) for example in examples])
    response = quarters([len(example.response.text) for example in examples])
    scores = dict(_scores(judged))
    truth = truths_of(judged[at].item.faithful for at in scores)
    score = np.array([*scores.values()], dtype=float)
    return DetectorView(
        evaluation=evaluation,
        rank=best.index(evaluation.detector) if evaluation.detector in best else None,
        said=stack([said_badge(each) for each in judged], scope, "said"),
        confusion=confusion(judged, scope, square=bool(evaluation.class_f1)),
        class_f1=tuple(Bar(name, each) for name, each in evaluation.class_f1.items()),
        by_gold=tuple(error_bars(judged, _counted_classes(judged), scope, "gold {}")),
        by_source=tuple(error_bars(judged, source, scope, "source of {} characters")),
        by_response=tuple(error_bars(judged, response, scope, "response of {} characters")),
        curve=risk_curve(truth, score),
        bins=reliability([*scores], truth, score, scope),
    )


def _counted_classes(judged: Sequence[Judged]) -> dict[str, list[int]]:
    """The items of each gold class that the reading counts."""
    counted = {at for at, each in enumerate(judged) if each.item.faithful is not None}
    classes = positions(map(gold_badge, judged))
    found = {b.name: [at for at in classes[b] if at in counted] for b in in_order(classes)}
    return {name: items for name, items in found.items() if items}


def _scores(judged: Sequence[Judged]) -> Iterator[tuple[int, float]]:
    """The scores of the items that count, with their positions."""
    for at, each in enumerate(judged):
        score = each.outcome.score if isinstance(each.outcome, Verdict) else None
        if score is not None and each.item.faithful is not None:
            yield at, score
