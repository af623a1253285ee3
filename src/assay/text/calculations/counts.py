"""Counts the rows of a table that have what a sentence names."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text.calculations.claims import ComputedClaim
from assay.text.calculations.figures import PlacedFigure, SourceFigures, Stems, stems
from assay.text.calculations.grids import Grid, GridCell

_MOST_ROWS = 1_000
_LONGEST_CELL = 60
_TURNED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|except|without|only|if|other|different|more|less|fewer|above"
    r"|below|over|under|than|average|total|after|before|between|since|until|first|last)\b|n['’]t\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_GENERIC = frozenset(
    "row time game match team player person peopl item entri event season year record case".split()
)


@dataclass(frozen=True, slots=True)
class RowCount:
    """The rows that meet the conditions of a sentence, and the figure that counts them."""

    number: int
    said: str
    figure: PlacedFigure
    rows: tuple[tuple[int, int], ...]  # their places
    is_firm: bool


def count_rows(claim: ComputedClaim, source: SourceFigures) -> RowCount | None:
    """The number of rows that a sentence counts, if it is plain which."""
    if _TURNED.search(claim.text):
        return None
    counts = [
        each
        for each in claim.figures
        if each.kind == "number" and each.value.denominator == 1 and not each.quantity.bound
    ]
    if len(counts) != 1:
        return None
    for grid in source.grids:
        if not grid.is_record and 2 < len(grid.rows) <= _MOST_ROWS:
            found = _in_grid(claim, grid, counts[0])
            if found:
                return found
    return None


def _in_grid(claim: ComputedClaim, grid: Grid, figure: PlacedFigure) -> RowCount | None:
    heads = frozenset().union(*(stems(head, claim.language) for head in grid.heads))
    chosen: dict[int, tuple[str, Stems]] = {}
    repeats: dict[int, Counter[str]] = {}
    for column in range(len(grid.heads)):
        values = Counter(row[column].text.casefold() for row in grid.rows)
        repeats[column] = values
        best: tuple[str, Stems] | None = None
        for value in values:
            words = stems(value, claim.language) if len(value) <= _LONGEST_CELL else frozenset()
            if words and words <= claim.stems and (best is None or len(words) > len(best[1])):
                best = value, words
        if best:
            chosen[column] = best
    # A word may be that of a cell in one column only.
    if len(chosen) != 1:
        return None
    ((column, (value, words)),) = chosen.items()
    rows = [row for row in grid.rows if row[column].text.casefold() == value]
    partly = [row for row in grid.rows if words <= stems(row[column].text, claim.language)]
    if figure.value > len(grid.rows) or any(_has(row, figure) for row in partly):
        return None
    noun = figure.quantity.noun
    named = (
        (noun in heads or noun in _GENERIC) and max(repeats[column].values()) > 1 and len(rows) > 1
    )
    rest = claim.stems - words - heads - {noun} - _GENERIC
    said = f"{len(rows)} of {len(grid.rows)} rows have “{value}”"
    return RowCount(
        len(rows),
        said,
        figure,
        tuple((row[0].start, row[-1].end) for row in rows[:6]),
        named and not rest and len(partly) == len(rows),
    )


def _has(row: Sequence[GridCell], figure: PlacedFigure) -> bool:
    """True if a cell of a row is the figure: it is a value then, and counts nothing."""
    wanted = str(int(figure.value))
    return any(wanted in _DIGITS.findall(cell.text) for cell in row)
