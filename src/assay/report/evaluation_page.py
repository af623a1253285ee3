"""The page of an evaluation: one HTML file with figures, charts and the examples behind them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Template

from assay.core.writing import replacing
from assay.evaluate.board import EvaluationReport
from assay.evaluate.comparison import SIGNIFICANT
from assay.evaluate.evaluation import Evaluation
from assay.evaluate.items import Item
from assay.report.charts import MOST_LISTED, Scope
from assay.report.evaluation_detector import DetectorView, view_detector
from assay.report.evaluation_examples import MOST_ROWS, Examples, any_row, choose_examples
from assay.report.evaluation_gold import GoldView, view_gold
from assay.report.templating import make_environment


@dataclass(frozen=True, slots=True)
class PageView:
    """The whole page."""

    report: EvaluationReport
    repairs: tuple[str, ...]
    items: tuple[Item, ...]
    gold: GoldView
    detectors: tuple[DetectorView, ...]
    examples: Examples
    scales: Mapping[str, tuple[float, float]]
    significant: float = SIGNIFICANT
    most_rows: int = MOST_ROWS
    most_listed: int = MOST_LISTED


def write_evaluation_page(path: str, report: EvaluationReport) -> None:
    """Writes the page; until it is whole, what was at the path before stays there."""
    with (
        replacing(path) as part,
        # What cannot be encoded is shown as a replacement character, and the rest is kept.
        open(part, "x", encoding="utf-8", errors="xmlcharrefreplace", newline="") as file,
    ):
        file.write(_template().render(page=view_page(report)))


def view_page(report: EvaluationReport) -> PageView:
    """The page of a report; the detector of the best balanced accuracy comes first."""
    evaluations = sorted(report.evaluations, key=_accuracy, reverse=True)
    examples = choose_examples(evaluations)
    items = tuple(each.item for each in evaluations[0].judged)
    return PageView(
        report=report,
        # A repair is "name 12 x (meaning)", and a meaning may have a semicolon of its own.
        repairs=tuple(filter(None, re.split(r"; (?=\S+ [\d,]+ x \()", report.repairs))),
        items=items,
        gold=view_gold(items, Scope("Gold labels", any_row(examples))),
        detectors=tuple(
            view_detector(evaluation, report, Scope(evaluation.detector, rows))
            for evaluation, rows in zip(evaluations, examples.places, strict=True)
        ),
        examples=examples,
        scales=_scales(evaluations),
    )


def _accuracy(evaluation: Evaluation) -> float:
    value = evaluation.figures["balanced accuracy"].value
    return -1.0 if value is None else value


def _scales(evaluations: Sequence[Evaluation]) -> dict[str, tuple[float, float]]:
    """For each figure the tenths between which all detectors lie, with their intervals."""
    found = {}
    for name in evaluations[0].figures:
        given = [evaluation.figures[name] for evaluation in evaluations]
        ends = [x for e in given for x in (e.low, e.value, e.high) if x is not None] or [0, 1]
        low = min(math.floor(min(ends) * 10), 9)
        found[name] = low / 10, max(math.ceil(max(ends) * 10), low + 1) / 10
    return found


@cache
def _template() -> Template:
    environment = make_environment("templates")
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    environment.filters["fixed"] = "{:.3f}".format
    environment.filters["percent"] = _percent
    environment.filters["top"] = _top
    environment.filters["duration"] = _duration
    return environment.get_template("evaluation/page.html.jinja")


def _percent(share: float) -> str:
    """A share as a percentage; all but one of many is not 100%, and one of many is not 0%."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _top(share: float) -> float:
    """Where an axis ends that has to hold a share."""
    return next(top for top in (0.1, 0.2, 0.4, 0.6, 0.8, 1) if share <= top)


def _duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:,.3g} s" if seconds < 600 else f"{seconds / 60:,.0f} min"
