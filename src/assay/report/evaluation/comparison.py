"""Two detectors, or a detector before and after calibration, side by side in the terminal."""

from collections.abc import Iterator, Mapping, Sequence

from rich.box import HEAVY_HEAD
from rich.console import RenderableType
from rich.text import Text

from assay.evaluation.comparison import ASKS_ACCURACY, ASKS_RIGHT, PairComparison
from assay.metrics import Estimate
from assay.report.tables import (
    COUNT,
    FIGURE,
    WORDS,
    Column,
    Table,
    named_columns,
    table_grid,
    table_view,
)
from assay.report.words import printable, spelled_out

_KINDS = ("both right", "first wrong", "second wrong", "both wrong")
LONGEST_TEXT = 160


def comparison_view(
    pair: PairComparison, about: str, items: int, number: int
) -> Iterator[RenderableType]:
    """Two detectors side by side: the tests, errors by gold label, and items that differ."""
    accuracy, right = pair.balanced_accuracy, pair.right
    yield Text(about, style="dim")
    counted = f"{pair.n:,} of {items:,} items, which the reading counts and both judged"
    yield Text(f"{pair.first} against {pair.second} on {counted}")
    if max(pair.runs) > 1:
        yield Text(
            "balanced accuracies are averages over runs; for single items a detector says what "
            "most of its runs say, and unfaithful where they are split"
        )
    yield Text(
        f"balanced accuracy {_number(accuracy.first)} and {_number(accuracy.second)}; "
        f"difference {accuracy.difference}; p = {_number(accuracy.p_value)}"
    )
    yield Text(f"  asks {ASKS_ACCURACY}", style="dim")
    yield Text(
        f"only the first right {right.only_first:,}, only the second {right.only_second:,}; "
        f"p = {_number(right.p_value)} ({right.test})"
    )
    yield Text(f"  asks {ASKS_RIGHT}", style="dim")
    yield table_grid(_errors_by_gold(pair), box=HEAVY_HEAD)
    yield Text(f"{len(pair.differences):,} items differ")
    for each in pair.differences[:number]:
        item = each.first.item
        said = " / ".join(
            "faithful" if one.faithful else "unfaithful" for one in (each.first, each.second)
        )
        yield Text(f"  {item.example}  gold {item.gold}, {said}: {_short(item.unit.text)}")


def _errors_by_gold(pair: PairComparison) -> Table[tuple[str, Mapping[str, int]]]:
    columns: list[Column[tuple[str, Mapping[str, int]]]] = [
        Column("gold label", lambda row: row[0], WORDS),
        *named_columns(_KINDS, lambda row, kind: row[1].get(kind, 0), COUNT),
    ]
    return Table("", "", columns, list(pair.errors_by_gold.items()))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _short(text: str) -> str:
    return printable(" ".join(text.split())[:LONGEST_TEXT])


_SETTINGS: tuple[Column[tuple[str, str, str]], ...] = (
    Column("", lambda row: row[0], WORDS),
    Column("before", lambda row: row[1]),
    Column("after", lambda row: row[2]),
)
_FIGURES: tuple[Column[tuple[str, str, Estimate]], ...] = (
    Column("figure", lambda row: row[0], WORDS),
    Column("when", lambda row: row[1], WORDS),
    Column("value", lambda row: row[2], FIGURE),
)


def calibration_view(
    about: str,
    settings: Sequence[tuple[str, str, str]],
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
) -> Iterator[RenderableType]:
    """The settings and the figures before and after; those after are cross-validated."""
    yield Text(spelled_out(about))
    yield table_view(Table("how scores are read", "", _SETTINGS, settings))
    figures = [
        row
        for name, each in after.items()
        for row in ((name, "before", before[name]), ("", "after", each))
    ]
    title = "figures; those after are of sources that it was fitted without"
    yield table_view(Table(title, "", _FIGURES, figures))
