"""Weighs how well a sentence names a figure of the source, and the items of a series."""

import math
from collections import Counter
from collections.abc import Sequence

from assay.text.calculations.claims import ComputedClaim
from assay.text.calculations.figures import (
    DAYS_AND_MONTHS,
    SUMMARY,
    PlacedFigure,
    Series,
    SourceFigures,
    Stems,
)

_AROUND = 0.25  # the weight of a word that stands in the same row or sentence
_OWN = 1.0  # the relevance of the sentence's own figures
_MOST_POOL = 40
_MOST_SERIES = 120


class WordRelevance:
    """Weighs figures by the words that a sentence shares with them, rare ones more."""

    def __init__(self, claim: ComputedClaim, source: SourceFigures) -> None:
        self._claim = claim
        counts = Counter(
            stem
            for figure in source.figures
            for stem in figure.labels | figure.head
            if stem in claim.stems or stem in claim.asked
        )
        self._weights = {stem: 1 / (1 + math.log(number)) for stem, number in counts.items()}
        self._known: dict[int, float] = {}
        self._passed_over = _passed_over(claim, source)

    def passes_over(self, figure: PlacedFigure) -> bool:
        """True if the sentence names others of the figure's row, column or series, and not it."""
        return id(figure) in self._passed_over

    def of(self, figure: PlacedFigure) -> float:
        """The weight of the words that a figure shares with the sentence."""
        if figure.is_own:
            return _OWN
        key = id(figure)
        if key not in self._known:
            near = self._claim.stems & (figure.labels | figure.head)
            around = (self._claim.stems & figure.around) - near
            asked = (self._claim.asked & (figure.labels | figure.head)) - near
            self._known[key] = (
                sum(self._weights.get(stem, 1.0) for stem in near)
                + _AROUND * sum(self._weights.get(stem, 0.5) for stem in around)
                + _AROUND * len(asked)
            )
        return self._known[key]

    def pool(self, figures: Sequence[PlacedFigure], most: int = _MOST_POOL) -> list[PlacedFigure]:
        """The figures that matter most, in their order."""
        if len(figures) <= most:
            return list(figures)
        chosen = sorted(range(len(figures)), key=lambda n: -self.of(figures[n]))[:most]
        return [figures[n] for n in sorted(chosen)]


def _passed_over(claim: ComputedClaim, source: SourceFigures) -> frozenset[int]:
    chosen: set[int] = set()
    others: set[int] = set()
    for series in source.series[:_MOST_SERIES]:
        named = set(named_items(series, claim.stems))
        if not named:
            continue
        for number, item in enumerate(series.items):
            if number not in named:
                others.add(id(item))
            elif series.form == "prose":
                chosen.add(id(item))
    return frozenset(others - chosen)


def named_items(series: Series, named: Stems) -> list[int]:
    """The items of a series that words of a sentence single out."""
    counts = Counter(stem for labels in series.labels for stem in labels)
    found = []
    for number, labels in enumerate(series.labels):
        own = {stem for stem in labels if counts[stem] == 1}
        if not own and labels and labels <= named:
            own = set(labels)
        if own & named:
            found.append(number)
    return found


def tagged_items(series: Series, named: Stems) -> list[tuple[str, list[int]]]:
    """Groups of items that share a word of the sentence, such as a continent."""
    by_stem: dict[str, list[int]] = {}
    for number, (labels, tags) in enumerate(zip(series.labels, series.tags, strict=True)):
        for stem in (labels | tags) & named:
            by_stem.setdefault(stem, []).append(number)
    return [(stem, group) for stem, group in by_stem.items() if 1 < len(group) < len(series.items)]


def parts_only(series: Series) -> list[int]:
    """The items that are not themselves totals or averages."""
    parts = [n for n, labels in enumerate(series.labels) if not labels & SUMMARY]
    total = sum(series.items[n].value for n in parts)
    # An item that is as much as all others together is their total, whatever it is called.
    wholes = [n for n in parts if 2 * series.items[n].value == total]
    return [n for n in parts if n not in wholes] if len(parts) > 3 and len(wholes) == 1 else parts


def is_even(series: Series) -> bool:
    """True if the columns of a row are of one sort: months, years, heads with a common word."""
    shared = frozenset.intersection(*series.labels)
    return bool(shared) or all(
        labels & DAYS_AND_MONTHS or _is_year(labels) for labels in series.labels
    )


def _is_year(labels: frozenset[str]) -> bool:
    return any(len(label) == 4 and label.isdecimal() for label in labels)
