"""How far the annotators of a project agree, in the readings of its taxonomies.

Everything is separate for what people said blind and for what they say after a discussion. Only
items whose annotation is over count, and of people only annotators: reviewers and adjudicators have
seen what others said. Somebody who was not asked about an item has no rating there; whoever marked
no span in a response called it consistent. A label outside a reading is a missing rating.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from assay.app.annotation.figures.ratings import RatedItem, Said, stretches
from assay.core.labels import COARSE, Label
from assay.core.readings import READINGS
from assay.core.taxonomies import BINARY, GRAY7
from assay.metrics import Estimate, Resampling, confusion_tables, estimate_from_tables, rates
from assay.metrics.arrays import Floats
from assay.metrics.coincidences import (
    alpha,
    coincidence_tables,
    fleiss_kappa,
    raw_agreement,
    raw_tables,
)

Kind = Literal["sentence", "response"]
Round = Literal["first", "discussed"]
MANY = 20_000  # units, from which fewer replicates do
MOST_PAIRS = 100
_PAIR_SAMPLING = Resampling(replicates=300)
_FEWEST_SHARED = 5  # units that two people need for a kappa of their own


@dataclass(frozen=True, slots=True)
class AgreementReading:
    """A way to read labels: the class of each, and what is left out; `level` is alpha's."""

    name: str
    kind: Kind
    level: Literal["nominal", "ordinal"]
    classes: tuple[str, ...]
    table: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure with its interval; `n` units count of `of` that could, which is its coverage."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    of: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Cohen's kappa of two annotators over the units that both rated."""

    first: str
    second: str
    kappa: Measured


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """Agreement in one reading, before or after discussion.

    Fleiss' kappa wants the same number of ratings for each unit: it is of the units that `raters`
    people rated, the number that most units have.
    """

    round: Round
    kind: Kind
    reading: str
    level: str
    classes: tuple[str, ...]
    annotators: int
    ratings: int
    alpha: Measured
    raw: Measured
    fleiss: Measured
    raters: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    source: str
    votes: dict[str, Label]


def _classes(name: str, *groups: str) -> AgreementReading:
    """A reading of FaithBench's classes: those that are joined stand together."""
    table = {label: number for number, some in enumerate(groups) for label in some.split(" + ")}
    return AgreementReading(name, "response", "nominal", groups, table)


_BY_COARSE = {label.name: COARSE.index(label.coarse) for label in GRAY7}
_BINARY = {
    name: BINARY.names.index(read)
    for name, read in READINGS["verigray"].table.items()
    if read is not None
}
_SEVEN = {label.name: label.rank for label in GRAY7}
AGREEMENT_READINGS = (
    AgreementReading("seven classes", "sentence", "nominal", GRAY7.names, _SEVEN),
    AgreementReading("seven classes in order", "sentence", "ordinal", GRAY7.names, _SEVEN),
    AgreementReading("coarse", "sentence", "nominal", COARSE, _BY_COARSE),
    AgreementReading("faithful / unfaithful", "sentence", "nominal", BINARY.names, _BINARY),
    _classes("four classes", "consistent", "benign", "questionable", "unwanted"),
    _classes("consistent / unwanted", "consistent", "unwanted"),
    _classes("consistent / benign / unwanted", "consistent", "benign", "unwanted"),
    _classes(
        "consistent + benign / questionable / unwanted",
        "consistent + benign",
        "questionable",
        "unwanted",
    ),
)
_WITH_PAIRS = ("seven classes", "four classes")


def agreements(rated: Sequence[RatedItem], kinds: Sequence[Kind]) -> tuple[AgreementFigures, ...]:
    """The agreement of annotators in every reading of some kinds of units, in both rounds."""
    blind = _round("first", rated, kinds)
    if not any(each.stage == "discuss" for item in rated for each in item.opinions):
        return (*blind, *(replace(each, round="discussed") for each in blind))
    return (*blind, *_round("discussed", rated, kinds))


def _round(
    round_: Round, rated: Sequence[RatedItem], kinds: Sequence[Kind]
) -> list[AgreementFigures]:
    choose = RatedItem.first if round_ == "first" else RatedItem.last
    said = [(item.source, choose(item)) for item in rated]
    found = []
    for kind in kinds:
        units = [unit for source, each in said for unit in _units(kind, source, each)]
        readings = (reading for reading in AGREEMENT_READINGS if reading.kind == kind)
        found += [_figures(round_, reading, units) for reading in readings]
    return found


def _units(kind: Kind, source: str, said: dict[str, Said]) -> list[_Unit]:
    if kind == "response":
        votes = {name: each.response for name, each in said.items() if each.response}
        return [_Unit(source, votes)] if votes else []
    names = list(said)
    return [
        _Unit(source, {name: label for name, label in zip(names, labels, strict=True) if label})
        for _, labels in stretches(said.values())
    ]


def _figures(round_: Round, reading: AgreementReading, units: Sequence[_Unit]) -> AgreementFigures:
    names = sorted({name for unit in units for name in unit.votes})
    table = _ratings(reading, names, units)
    seen = ~np.isnan(table)
    sources = np.array([unit.source for unit in units])
    raters = seen.sum(0)
    several = Counter(int(each) for each in raters if each > 1)
    usual = max(several, key=lambda each: (several[each], each)) if several else 0
    size, of = len(reading.classes), len(units)
    every = coincidence_tables(table, groups=sources, classes=size)
    same = raters == usual if usual else np.zeros(of, dtype=bool)
    even = coincidence_tables(table[:, same], groups=sources[same], classes=size)
    raw = raw_tables(table, groups=sources, classes=size)
    sampling = Resampling(replicates=200 if of > MANY else 1000)
    return AgreementFigures(
        round=round_,
        kind=reading.kind,
        reading=reading.name,
        level=reading.level,
        classes=reading.classes,
        annotators=int(seen.any(1).sum()),
        ratings=int(seen.sum()),
        alpha=_measured(estimate_from_tables(alpha(reading.level), every, resampling=sampling), of),
        raw=_measured(estimate_from_tables(raw_agreement, raw, resampling=sampling), of),
        fleiss=_measured(estimate_from_tables(fleiss_kappa, even, resampling=sampling), of),
        raters=usual,
        pairs=_pairs(names, table, sources, size) if reading.name in _WITH_PAIRS else (),
    )


def _ratings(reading: AgreementReading, names: Sequence[str], units: Sequence[_Unit]) -> Floats:
    """Annotators x units; a gap where somebody did not rate, or the reading leaves it out."""
    rows = {name: number for number, name in enumerate(names)}
    table = np.full((len(names), len(units)), np.nan)
    for column, unit in enumerate(units):
        for name, label in unit.votes.items():
            table[rows[name], column] = reading.table.get(label.name, np.nan)
    return table


def _pairs(names: Sequence[str], table: Floats, sources: object, size: int) -> tuple[Pair, ...]:
    """The kappas of those who share most units."""
    groups = np.asarray(sources)
    found = []
    for first, second in combinations(range(len(names)), 2):
        both = ~np.isnan(table[first]) & ~np.isnan(table[second])
        if (count := int(both.sum())) >= _FEWEST_SHARED:
            found.append((count, first, second, both))
    found.sort(key=lambda each: (-each[0], names[each[1]], names[each[2]]))
    pairs = []
    for _, first, second, both in found[:MOST_PAIRS]:
        given = (table[each, both].astype(np.int64) for each in (first, second))
        tables = confusion_tables(*given, groups=groups[both], classes=size)
        kappa = estimate_from_tables(rates.cohen_kappa, tables, resampling=_PAIR_SAMPLING)
        pairs.append(Pair(names[first], names[second], _measured(kappa, table.shape[1])))
    return tuple(pairs)


def _measured(estimate: Estimate, of: int) -> Measured:
    return Measured(estimate.value, estimate.low, estimate.high, estimate.n, of)
