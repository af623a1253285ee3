"""The examples that the page of an evaluation carries: which, and what lists show of them."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from assay.core.verdicts import Failure
from assay.evaluate.evaluation import Evaluation
from assay.evaluate.items import Item
from assay.evaluate.judged import Judged
from assay.report.badges import Badge, label_badge
from assay.report.charts import MOST_LISTED, gold_badge, in_order, positions, said_badge

MOST_ROWS = 5_000
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


def choose_examples(evaluations: Sequence[Evaluation]) -> Examples:
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


def any_row(examples: Examples) -> dict[int, int]:
    """A row of each item, whichever detector it is of."""
    return {at: row for rows in reversed(examples.places) for at, row in rows.items()}


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
