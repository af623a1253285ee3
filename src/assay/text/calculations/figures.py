"""A figure of a source or a sentence, the series it stands in, and the stems that name both."""

from dataclasses import dataclass
from fractions import Fraction

from assay.text.calculations.grids import Grid
from assay.text.calculations.rates import Rate
from assay.text.quantities import Quantity
from assay.text.views import View
from assay.text.words import terms

TIMES = ("year", "date", "clock")
SUMMARY = frozenset("total sum overall altogeth combin averag mean subtot grand all".split())
_SHORT = {
    name[:size]: stem
    for name in (
        "monday tuesday wednesday thursday friday saturday sunday january february march april june"
        " july august september october november december"
    ).split()
    for stem in terms(name)
    for size in (3, 4)
}

DAYS_AND_MONTHS = frozenset(_SHORT.values())

Stems = frozenset[str]
Place = tuple[int, int, int]  # grid, row, column


def stems(text: str, language: str = "en") -> Stems:
    """The stems of a text; days and months also where they are shortened."""
    found = terms(text, language)
    return frozenset(_SHORT.get(each, each) for each in found)


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A quantity of the source or the sentence, and the stems that say what it is."""

    quantity: Quantity
    text: str
    labels: Stems = frozenset()  # its row, or its clause
    head: Stems = frozenset()  # its column, or its noun
    around: Stems = frozenset()  # the rest of its row or sentence
    sentence: int = -1
    place: Place | None = None
    is_own: bool = False  # of the sentence that is checked
    per: Rate | None = None  # what one of it is for
    parts: tuple["PlacedFigure", ...] = ()  # what it was computed from

    @property
    def value(self) -> Fraction:
        return self.quantity.value

    @property
    def kind(self) -> str:
        return self.quantity.kind


@dataclass(frozen=True, slots=True)
class Series:
    """Figures of one kind; `form` is column, row, record or prose."""

    form: str
    head: Stems
    items: tuple[PlacedFigure, ...]
    labels: tuple[Stems, ...]
    tags: tuple[Stems, ...]
    grid: int = -1
    scales: tuple[Quantity, ...] = ()  # units in a head or title that cells leave out
    is_whole: bool = False  # every cell of the column or row is among the items

    @property
    def kind(self) -> str:
        return self.items[0].kind


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """All that a source has to calculate with."""

    view: View
    grids: tuple[Grid, ...]
    figures: tuple[PlacedFigure, ...]
    series: tuple[Series, ...] = ()
    kinds: frozenset[str] = frozenset()
    grid_kinds: frozenset[tuple[int, str]] = frozenset()  # of the figures of each table

    def place_of(self, figure: PlacedFigure) -> tuple[int, int]:
        """The range of the source that a figure stands for."""
        return self.view.to_original(figure.quantity.start, figure.quantity.end)
