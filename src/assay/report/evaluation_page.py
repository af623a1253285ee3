"""The page of an evaluation: one HTML file with figures, charts and the examples behind them."""

import math
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from assay.core.errors import InputError
from assay.core.verdicts import Failure, Verdict
from assay.evaluate.board import EvaluationReport
from assay.evaluate.comparison import SIGNIFICANT
from assay.evaluate.evaluation import Evaluation
from assay.evaluate.figures import truths_of
from assay.evaluate.items import Item
from assay.evaluate.judged import Judged
from assay.metrics import Estimate, first_errors
from assay.report.badges import Badge, label_badge
from assay.report.charts import (
    MOST_LISTED,
    Bar,
    Matrix,
    Pair,
    Part,
    Reliability,
    RiskCurve,
    Scope,
    confusion,
    error_bars,
    gold_badge,
    in_order,
    matrix,
    positions,
    quarters,
    reliability,
    risk_curve,
    said_badge,
    stack,
)

MOST_ROWS = 5_000
MOST_POSITIONS = 10
LONGEST_TEXT = 240


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as lists show it; `gold` is the number of a badge."""

    example: str
    model: str
    gold: int
    text: str


@dataclass(frozen=True, slots=True)
class RowView:
    """What a detector said of an item; `item` and `said` are numbers of items and badges."""

    item: int
    said: int
    wrong: bool
    score: float | None
    note: str


@dataclass(frozen=True, slots=True)
class Examples:
    """What the page carries, at most `most` for each cell, and each detector's rows by position."""

    most: int
    badges: tuple[Badge, ...]
    items: tuple[ItemView, ...]
    rows: tuple[RowView, ...]
    places: tuple[Mapping[int, int], ...]

    def document(self) -> dict[str, object]:
        """What the lists are made of; without names, since there may be thousands of rows."""
        return {
            "badges": [(badge.name, badge.symbol, badge.tone) for badge in self.badges],
            "items": [astuple(item) for item in self.items],
            "rows": [astuple(row) for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class GoldView:
    """What can be said of the gold labels without any detector."""

    parts: tuple[Part, ...]
    transitions: Matrix | None = None
    first_errors: tuple[Bar, ...] = ()
    clean: int = 0


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
    target = os.path.realpath(path)
    # os.replace would put a file in the place of a device or a pipe.
    if os.path.exists(target) and not os.path.isfile(target):
        raise InputError(f"cannot write {path}: it is not a file")
    part = os.path.join(os.path.dirname(target), f".assay-{secrets.token_hex(8)}.part")
    try:
        # What cannot be encoded is shown as a replacement character, and the rest is kept.
        with open(part, "x", encoding="utf-8", errors="xmlcharrefreplace", newline="") as file:
            file.write(_template().render(page=view_page(report)))
        os.replace(part, target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def view_page(report: EvaluationReport) -> PageView:
    """The page of a report; the detector of the best balanced accuracy comes first."""
    evaluations = sorted(report.evaluations, key=_accuracy, reverse=True)
    examples = _choose_examples(evaluations)
    items = tuple(each.item for each in evaluations[0].judged)
    return PageView(
        report=report,
        # A repair is "name 12 x (meaning)", and a meaning may have a semicolon of its own.
        repairs=tuple(filter(None, re.split(r"; (?=\S+ [\d,]+ x \()", report.repairs))),
        items=items,
        gold=_view_gold(items, Scope("Gold labels", _any_row(examples))),
        detectors=tuple(
            _view_detector(evaluation, report, Scope(evaluation.detector, rows))
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


def _choose_examples(evaluations: Sequence[Evaluation]) -> Examples:
    """As many examples of every cell as the page can carry, spread over the corpus."""
    cells = [
        positions((gold_badge(each), said_badge(each)) for each in evaluation.judged)
        for evaluation in evaluations
    ]
    sizes = np.array([len(items) for each in cells for items in each.values()])
    most = next(n for n in range(MOST_LISTED, -1, -1) if np.minimum(sizes, n).sum() <= MOST_ROWS)
    chosen = [[at for items in each.values() for at in _spread(items, most)] for each in cells]
    badges = in_order(badge for each in cells for pair in each for badge in pair)
    used = {at: number for number, at in enumerate(sorted({at for c in chosen for at in c}))}
    rows: list[RowView] = []
    places: list[Mapping[int, int]] = []
    for evaluation, picked in zip(evaluations, map(sorted, chosen), strict=True):
        places.append({at: row for row, at in enumerate(picked, start=len(rows))})
        rows += [_view_row(evaluation.judged[at], used[at], badges) for at in picked]
    items = tuple(_view_item(evaluations[0].judged[at].item, badges) for at in used)
    return Examples(most, badges, items, tuple(rows), tuple(places))


def _spread(items: Sequence[int], most: int) -> list[int]:
    """At most so many of some items, evenly spaced."""
    size = min(most, len(items))
    return [items[at * len(items) // size] for at in range(size)]


def _view_item(item: Item, badges: Sequence[Badge]) -> ItemView:
    gold = badges.index(label_badge(item.gold))
    return ItemView(item.example, item.model, gold, _shorten(item.unit.text))


def _view_row(each: Judged, item: int, badges: Sequence[Badge]) -> RowView:
    outcome, said = each.outcome, badges.index(said_badge(each))
    if isinstance(outcome, Failure):
        return RowView(item, said, False, None, _shorten(outcome.detail or outcome.raw))
    score = None if outcome.score is None else round(outcome.score, 4)
    return RowView(item, said, each.is_error, score, _shorten(outcome.note))


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1].rstrip() + "…"


def _any_row(examples: Examples) -> dict[int, int]:
    """A row of each item, whichever detector it is of."""
    return {at: row for rows in reversed(examples.places) for at, row in rows.items()}


def _view_gold(items: Sequence[Item], scope: Scope) -> GoldView:
    parts = stack([label_badge(item.gold) for item in items], scope, "gold")
    if any(item.unit.kind != "sentence" for item in items):
        return GoldView(parts)
    listed = positions(item.example for item in items).values()
    responses = [_in_reading_order(items, response) for response in listed]
    order = [at for response in responses for at in response]
    # What the reading leaves out is no error.
    fine = [items[at].faithful is not False for at in order]
    found = first_errors(fine, [items[at].example for at in order])
    return GoldView(
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


def _view_detector(evaluation: Evaluation, report: EvaluationReport, scope: Scope) -> DetectorView:
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


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("assay.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    environment.filters["grouped"] = "{:,}".format
    environment.filters["fixed"] = "{:.3f}".format
    environment.filters["percent"] = _percent
    environment.filters["top"] = _top
    environment.filters["duration"] = _duration
    return environment.get_template("evaluation/page.html.jinja")


def _percent(share: float) -> str:
    """A share as a percentage, rounded down: all but one of many is not 100%."""
    if 0 < share < 0.001:
        return "<0.1%"
    return f"{math.floor(round(share * 1000, 6)) / 10:g}%"


def _top(share: float) -> float:
    """Where an axis ends that has to hold a share."""
    return next(top for top in (0.1, 0.2, 0.4, 0.6, 0.8, 1) if share <= top)


def _duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:,.3g} s" if seconds < 600 else f"{seconds / 60:,.0f} min"
