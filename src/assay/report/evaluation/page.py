"""The page of an evaluation: one HTML file with figures, charts and the examples behind them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from jinja2 import Template

from assay import __version__
from assay.core.verdicts import Verdict
from assay.evaluation.comparison import SIGNIFICANT, EvaluationReport
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.items import Item, Judged
from assay.report.evaluation.charts import DetectorCharts, GoldCharts, view_detector, view_gold
from assay.report.evaluation.table import details
from assay.report.pages.badges import Badge, label_badge, make_environment, note_of
from assay.report.pages.charts import (
    MOST_LISTED,
    Scope,
    gold_badge,
    positions,
    predicted_badge,
)
from assay.report.pages.records import Numbers, badge_records, literal, names, row
from assay.report.tables import Table
from assay.report.words import short_text

MOST_ROWS = 5_000
LONGEST_TEXT = 240


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item as lists show it."""

    example: str
    model: str
    gold: Badge
    text: str


@dataclass(frozen=True, slots=True)
class ListedVerdict:
    """A detector's outcome for an item, which is given by its number."""

    item: int
    predicted: Badge
    wrong: bool
    score: float | None
    note: str


@dataclass(frozen=True, slots=True)
class Examples:
    """The items on the page, at most `most` for each cell, and each detector's rows by position."""

    most: int
    items: tuple[ListedItem, ...]
    rows: tuple[ListedVerdict, ...]
    places: tuple[Mapping[int, int], ...]

    def document(self) -> str:
        """The lists as JSON; a badge in them is its number."""
        badges = Numbers()
        items = [names(ListedItem), *(row(each, badges) for each in self.items)]
        rows = [names(ListedVerdict), *(row(each, badges) for each in self.rows)]
        return literal({"badges": badge_records(badges), "items": items, "rows": rows})


@dataclass(frozen=True, slots=True)
class PageView:
    """The whole page."""

    report: EvaluationReport
    repairs: tuple[str, ...]
    items: tuple[Item, ...]
    gold: GoldCharts
    detectors: tuple[DetectorCharts, ...]
    examples: Examples
    scales: Mapping[str, tuple[float, float]]
    details: tuple[Table[Any], ...] = ()
    significant: float = SIGNIFICANT
    most_rows: int = MOST_ROWS
    most_listed: int = MOST_LISTED


def evaluation_html(report: EvaluationReport) -> str:
    """The page as text; what cannot be encoded is shown as a replacement character."""
    page = page_template("evaluation/page.html.jinja").render(page=view_page(report))
    return page.encode("utf-8", "xmlcharrefreplace").decode("utf-8")


def view_page(report: EvaluationReport) -> PageView:
    """The page of a report; the detector of the best balanced accuracy comes first."""
    evaluations = sorted(report.evaluations, key=_accuracy, reverse=True)
    examples = choose_examples(evaluations)
    items = evaluations[0].items
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
        details=tuple(details(replace(report, evaluations=tuple(evaluations)))),
    )


def choose_examples(evaluations: Sequence[Evaluation]) -> Examples:
    """As many examples of every cell as the page can carry, spread over the corpus."""
    cells = [
        positions((gold_badge(each), predicted_badge(each)) for each in evaluation.judged)
        for evaluation in evaluations
    ]
    sizes = np.array([len(items) for each in cells for items in each.values()])
    most = next(n for n in range(MOST_LISTED, -1, -1) if np.minimum(sizes, n).sum() <= MOST_ROWS)
    chosen = [[at for items in each.values() for at in _spread(items, most)] for each in cells]
    whole = evaluations[0].items  # several runs have them one after the other
    places_used = sorted({at % len(whole) for c in chosen for at in c})
    used = {at: number for number, at in enumerate(places_used)}
    rows: list[ListedVerdict] = []
    places: list[Mapping[int, int]] = []
    for evaluation, picked in zip(evaluations, map(sorted, chosen), strict=True):
        places.append({at: row for row, at in enumerate(picked, start=len(rows))})
        rows += [_view_row(evaluation.judged[at], used[at % len(whole)]) for at in picked]
    items = tuple(_view_item(whole[at]) for at in used)
    return Examples(most, items, tuple(rows), tuple(places))


def any_row(examples: Examples) -> dict[int, int]:
    """A row of each item, whichever detector it is of."""
    return {at: row for rows in reversed(examples.places) for at, row in rows.items()}


def _spread(items: Sequence[int], most: int) -> list[int]:
    """At most so many of some items, evenly spaced."""
    size = min(most, len(items))
    return [items[at * len(items) // size] for at in range(size)]


def _view_item(item: Item) -> ListedItem:
    text = short_text(item.unit.text, LONGEST_TEXT)
    return ListedItem(item.example, item.model, label_badge(item.gold), text)


def _view_row(each: Judged, item: int) -> ListedVerdict:
    outcome, predicted = each.outcome, predicted_badge(each)
    note = note_of(outcome) if isinstance(outcome, Verdict) else outcome.detail or outcome.raw
    told = short_text(note, LONGEST_TEXT)
    return ListedVerdict(item, predicted, each.is_error, outcome.score, told)


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
def page_template(name: str) -> Template:
    """A page in the look of an evaluation, by the name of its template."""
    environment = make_environment("templates")
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    environment.filters["fixed"] = "{:.3f}".format
    environment.filters["percent"] = _percent
    environment.filters["top"] = _top
    environment.filters["duration"] = _duration
    environment.globals["version"] = __version__
    return environment.get_template(name)


def _percent(share: float) -> str:
    """A share as a percentage; all but one of many is not 100%, and one of many is not 0%."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _top(share: float) -> float:
    """The end of an axis that has to hold a share."""
    return next(top for top in (0.1, 0.2, 0.4, 0.6, 0.8, 1) if share <= top)


def _duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:,.3g} s" if seconds < 600 else f"{seconds / 60:,.0f} min"
