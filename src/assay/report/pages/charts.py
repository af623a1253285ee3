"""Charts as data: parts, bars, matrices and curves, whose counts lead to their items."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core.taxonomies import BINARY, TAXONOMIES
from assay.core.verdicts import Failure
from assay.evaluation.items import Judged
from assay.evaluation.label_figures import class_of, folds_kinds
from assay.metrics import Estimate, ReliabilityBin, proportion, reliability_table, risk_coverage
from assay.report.pages.badges import NO_VERDICT, REASONS, Badge, label_badge

MOST_LISTED = 200
MOST_POINTS = 200

Key = TypeVar("Key", bound=Hashable)
Pair = tuple[Badge, Badge]

# From unfaithful to faithful; of what has no verdict nothing is known, so it comes last.
ORDER = {
    label_badge(label): (label.coarse == "faithful", label.rank)
    for menu in TAXONOMIES.values()
    for label in menu
}
_LAST = (2, 0)


@dataclass(frozen=True, slots=True)
class ItemLink:
    """A number of items, what they are in words, and the rows of the page that show them."""

    count: int
    words: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The name of what is counted, and the row of each item that the page carries."""

    name: str
    rows: Mapping[int, int]

    def link(self, items: Sequence[int], words: str) -> ItemLink:
        """The link of some items, given by their positions."""
        listed = [self.rows[at] for at in items if at in self.rows]
        return ItemLink(len(items), f"{self.name}: {words}", tuple(listed[:MOST_LISTED]))


@dataclass(frozen=True, slots=True)
class StackPart:
    """A class as a part of all items; `start` and `share` are shares of the whole."""

    badge: Badge
    start: float
    share: float
    link: ItemLink


@dataclass(frozen=True, slots=True)
class Bar:
    """A share with its interval, what it is the share of, and the items that it counts."""

    name: str
    estimate: Estimate
    link: ItemLink | None = None


def positions(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """The positions of each key."""
    found: dict[Key, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        found[key].append(at)
    return dict(found)


def in_order(badges: Iterable[Badge]) -> tuple[Badge, ...]:
    """Each badge once, from the least to the most faithful class."""
    return tuple(sorted(dict.fromkeys(badges), key=lambda badge: ORDER.get(badge, _LAST)))


def gold_badge(each: Judged) -> Badge:
    """The class that people chose."""
    return label_badge(each.item.gold)


def _class_badge(each: Judged) -> Badge:
    """The class that people chose, or the one that theirs is a kind of."""
    return label_badge(class_of(each.item.gold))


def predicted_badge(each: Judged) -> Badge:
    """The class that a detector chose: a lone score is read, and a failure has its reason."""
    if isinstance(each.outcome, Failure):
        reason = each.outcome.reason
        return replace(NO_VERDICT, name=f"no verdict: {reason}", meaning=REASONS[reason])
    return label_badge(each.outcome.label or BINARY["faithful" if each.faithful else "unfaithful"])


def stack(badges: Sequence[Badge], scope: Scope, what: str) -> tuple[StackPart, ...]:
    """The classes of items as parts of a bar; `what` says whose classes these are."""
    classes, start, parts = positions(badges), 0, []
    for badge in in_order(classes):
        link = scope.link(classes[badge], f"{what} {badge.name}")
        parts.append(StackPart(badge, start / len(badges), link.count / len(badges), link))
        start += link.count
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A cell of a matrix: its items, their share of the row, and how the reading sees them."""

    link: ItemLink
    share: Estimate
    kind: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The cells of a class, and all its items."""

    badge: Badge
    link: ItemLink
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Items of one class against another."""

    columns: tuple[Badge, ...]
    rows: tuple[MatrixRow, ...]


def matrix(
    cells: Mapping[Pair, Sequence[int]],
    *,
    square: bool,
    scope: Scope,
    names: tuple[str, str],
    kinds: Mapping[Pair, str],
) -> Matrix:
    """Items by two classes; `names` say what row and column are, `square` gives both the same."""
    rows, columns = (in_order(pair[side] for pair in cells) for side in (0, 1))
    if square:
        columns = in_order((*rows, *columns))
        rows = tuple(badge for badge in columns if badge in ORDER)
    return Matrix(columns, tuple(_row(row, columns, cells, scope, names, kinds) for row in rows))


def _row(
    row: Badge,
    columns: Sequence[Badge],
    cells: Mapping[Pair, Sequence[int]],
    scope: Scope,
    names: tuple[str, str],
    kinds: Mapping[Pair, str],
) -> MatrixRow:
    items = [cells.get((row, column), ()) for column in columns]
    total, own, found = sum(map(len, items)), f"{names[0]} {row.name}", []
    for column, inside in zip(columns, items, strict=True):
        link = scope.link(inside, f"{own}, {names[1]} {column.name}")
        kind = kinds.get((row, column), "plain")
        found.append(MatrixCell(link, proportion(len(inside), total), kind))
    whole = scope.link(sorted(at for inside in items for at in inside), own)
    return MatrixRow(row, whole, tuple(found))


def confusion(judged: Sequence[Judged], scope: Scope, *, square: bool) -> Matrix:
    """Gold classes against predicted ones."""
    gold = _class_badge if folds_kinds(judged) else gold_badge
    cells = positions((gold(each), predicted_badge(each)) for each in judged)
    kinds = {pair: _kind([judged[at] for at in inside]) for pair, inside in cells.items()}
    return matrix(cells, square=square, scope=scope, names=("gold", "predicted"), kinds=kinds)


def _kind(cell: Sequence[Judged]) -> str:
    """Tell whether the items of a cell are right, wrong, of both kinds, or not counted."""
    counted = sum(None not in (each.faithful, each.item.faithful) for each in cell)
    wrong = sum(each.is_error for each in cell)
    return {0: "right", counted: "wrong"}.get(wrong, "mixed") if counted else "uncounted"


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """The errors that remain at a threshold: a score, or the degree of a label, with its name."""

    threshold: float
    coverage: float
    risk: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class RiskCurve:
    """A curve of few enough points to be drawn, and some of them for a table."""

    n: int
    points: tuple[RiskPoint, ...]
    listed: tuple[RiskPoint, ...]


@dataclass(frozen=True, slots=True)
class Reliability:
    """A bin of scores: what was claimed and what was true; `height` is its size in the largest."""

    bin: ReliabilityBin
    faithful: Estimate
    height: float
    link: ItemLink


def risk_curve(
    gold: ArrayLike, confidence: ArrayLike, labels: Mapping[float, str] | None = None
) -> RiskCurve | None:
    """The risk-coverage curve; None without confidences. Its table has a line for each tenth.

    Where confidences are degrees of labels, `labels` names these.
    """
    curve = risk_coverage(gold, confidence)
    values = (curve.thresholds.tolist(), curve.coverages.tolist(), curve.risks.tolist())
    names = [(labels or {}).get(threshold, "") for threshold in values[0]]
    points = [RiskPoint(*each) for each in zip(*values, names, strict=True)]
    if not points:
        return None
    drawn = np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).round().astype(int)
    # A hair of slack: three tenths are 0.30000000000000004.
    tenths = np.unique(np.searchsorted(curve.coverages, np.arange(1, 11) / 10 - 1e-12))
    return RiskCurve(
        n=np.asarray(gold).size,
        points=tuple(points[at] for at in drawn),
        listed=tuple(points[at] for at in tenths),
    )


def reliability(
    items: Sequence[int], gold: ArrayLike, score: ArrayLike, scope: Scope
) -> tuple[Reliability, ...]:
    """The bins of a reliability diagram, with Wilson's intervals; `items` are positions."""
    bins = reliability_table(gold, score)
    lows = [each.low for each in bins]
    inside = positions(np.searchsorted(lows, np.asarray(score), side="right").tolist())
    most = max((each.n for each in bins), default=1)
    return tuple(
        Reliability(
            bin=each,
            faithful=proportion(round(each.faithful_share * each.n), each.n),
            height=each.n / most,
            link=scope.link(
                [items[at] for at in inside[number]], f"score {each.low:.2f} to {each.high:.2f}"
            ),
        )
        for number, each in enumerate(bins, start=1)
    )
