"""Matrices as data: the items of one class against another, such as gold against said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.evaluate.judged import Judged
from assay.metrics import Estimate, proportion
from assay.report.badges import Badge
from assay.report.charts import ORDER, Link, Scope, gold_badge, in_order, positions, said_badge

Pair = tuple[Badge, Badge]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix: its items, their share of the row, and how the reading sees them."""

    link: Link
    share: Estimate
    kind: str


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a class, and all its items."""

    badge: Badge
    link: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Items of one class against another."""

    columns: tuple[Badge, ...]
    rows: tuple[Row, ...]


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
) -> Row:
    items = [cells.get((row, column), ()) for column in columns]
    total, own, found = sum(map(len, items)), f"{names[0]} {row.name}", []
    for column, inside in zip(columns, items, strict=True):
        link = scope.link(inside, f"{own}, {names[1]} {column.name}")
        kind = kinds.get((row, column), "plain")
        found.append(Cell(link, proportion(len(inside), total), kind))
    whole = scope.link(sorted(at for inside in items for at in inside), own)
    return Row(row, whole, tuple(found))


def confusion(judged: Sequence[Judged], scope: Scope, *, square: bool) -> Matrix:
    """Gold classes against what was said."""
    cells = positions((gold_badge(each), said_badge(each)) for each in judged)
    kinds = {pair: _kind([judged[at] for at in inside]) for pair, inside in cells.items()}
    return matrix(cells, square=square, scope=scope, names=("gold", "said"), kinds=kinds)


def _kind(cell: Sequence[Judged]) -> str:
    """Whether the items of a cell are right, wrong, of both kinds, or not counted."""
    counted = sum(None not in (each.faithful, each.item.faithful) for each in cell)
    wrong = sum(each.is_error for each in cell)
    return {0: "right", counted: "wrong"}.get(wrong, "mixed") if counted else "uncounted"
