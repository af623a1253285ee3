"""Agreement of annotators: alpha, kappas and raw agreement in named readings, with intervals.

One module for corpora, for files of a user's own and for projects of the studio. Somebody who was
not asked about a unit has no rating there. A label outside a reading is a missing rating. Intervals
are bootstraps over sources.

Every taxonomy has a reading of all its classes, one in their order where they have one, a coarse
one where that differs, and faithful against unfaithful. FaithBench's has the three of its paper
as well. The kinds of a class count as the class.
"""

from array import array
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal

import numpy as np

from assay import __version__
from assay.core.errors import InputError
from assay.core.labels import COARSE, Label
from assay.core.readings import usual_reading
from assay.core.taxonomies import BINARY, FAITHBENCH, taxonomy
from assay.evaluation.policy import GoldUnit
from assay.metrics import Estimate, Resampling, confusion_tables, estimate_from_tables, rates
from assay.metrics.arrays import Floats, Ints
from assay.metrics.coincidences import (
    alpha,
    batch_alpha,
    coincidence_tables,
    count_batches,
    fleiss_kappa,
    raw_tables,
)

Level = Literal["nominal", "ordinal"]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_UNFAITHFUL_FAITHFUL = "faithful / unfaithful"


@dataclass(frozen=True, slots=True)
class AgreementReading:
    """A way to read labels: the class of each, and what is left out; `level` is alpha's.

    Where `is_ordered`, the classes are steps from one end to the other.
    """

    name: str
    level: Level
    classes: tuple[str, ...]
    table: dict[str, int]
    is_ordered: bool = False


@lru_cache(maxsize=64)
def agreement_readings(menu: str, kind: str = "response") -> tuple[AgreementReading, ...]:
    """The readings of a taxonomy for units of a kind, that of all its classes first.

    >>> [each.name for each in agreement_readings("nli")]
    ['three classes', 'three classes in order', 'faithful / unfaithful']
    """
    labels = [label for label in taxonomy(menu) if not label.parent]
    if menu == BINARY.name:
        return (_of_groups(_UNFAITHFUL_FAITHFUL, *BINARY.names),)
    return tuple(_readings(menu, kind, labels))


def _readings(menu: str, kind: str, labels: list[Label]) -> Iterator[AgreementReading]:
    name = f"{_number(len(labels))} classes"
    yield _of_groups(name, *(label.name for label in labels))
    ranks = sorted({label.rank for label in labels})
    if len(ranks) > 2:
        same = (" + ".join(each.name for each in labels if each.rank == rank) for rank in ranks)
        yield _of_groups(f"{name} in order", *same, level="ordinal")
    if menu == FAITHBENCH.name:
        yield _of_groups("consistent / unwanted", "consistent", "unwanted")
        for steps in (
            ("consistent", "benign", "unwanted"),
            ("consistent + benign", "questionable", "unwanted"),
        ):
            yield replace(_of_groups(" / ".join(steps), *steps), is_ordered=True)
        return
    coarse = {label.coarse for label in labels}
    if 2 < len(coarse) < len(labels):
        table = {label.name: COARSE.index(label.coarse) for label in labels}
        yield AgreementReading("coarse", "nominal", COARSE, table)
    yield from _binary(menu, kind, labels)


def _binary(menu: str, kind: str, labels: list[Label]) -> Iterator[AgreementReading]:
    """Faithful against unfaithful, as the taxonomy is usually read, if both can be said."""
    try:
        usual = usual_reading(menu, kind)
    except InputError:
        return
    read = {label.name: found for label in labels if (found := usual.table[label.name])}
    if set(read.values()) == set(BINARY.names) and len(labels) > 2:
        table = {name: BINARY.names.index(found) for name, found in read.items()}
        yield AgreementReading(
            _UNFAITHFUL_FAITHFUL, "nominal", BINARY.names, table, is_ordered=True
        )


def _of_groups(name: str, *groups: str, level: Level = "nominal") -> AgreementReading:
    """A reading of classes: those that are joined stand together."""
    table = {label: number for number, some in enumerate(groups) for label in some.split(" + ")}
    is_ordered = level == "ordinal" or len(groups) == len(BINARY.names)
    return AgreementReading(name, level, groups, table, is_ordered)


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


Kind = GoldUnit
# What people said blind, after a discussion in the studio, in revised judgements of a file, or in
# data that does not tell one from the other.
Round = Literal["first", "discussed", "revised", "unknown"]
# Alpha over all units, or FaithBench's: of classes as numbers, batch by batch, averaged.
Convention = Literal["standard", "faithbench"]
MANY = 20_000  # units, from which fewer replicates do
MOST_PAIRS = 100
_PAIR_SAMPLING = Resampling(replicates=300)
_BY_BATCH = "interval by batch"
_FEWEST_SHARED = 5  # units that two people need for a kappa of their own


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure with its interval; `n` units count of `of` that could, which is its coverage.

    >>> print(Measured(0.734, 0.69, 0.777, 148, 150))
    0.734 [0.690, 0.777] n=148 of 150
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    of: int

    def __str__(self) -> str:
        said = str(Estimate(self.value, self.n, self.low, self.high))
        return said if self.n == self.of else f"{said} of {self.of:,}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Cohen's kappa of two annotators over the units that both rated."""

    first: str
    second: str
    kappa: Measured


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """Agreement in one reading and one round.

    Fleiss' kappa wants the same number of ratings for each unit: it is of the units that `raters`
    people rated, the number that most units have.
    """

    round: Round
    kind: Kind
    taxonomy: str
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
    batches: int = 0  # that alpha is the mean of; none where it is over all units


@dataclass(frozen=True, slots=True)
class PublishedAlpha:
    """A published alpha beside ours of the same reading.

    `authors_way` is ours as the authors compute it, from the annotations behind the paper's tables,
    where these are here.
    """

    reading: str
    published: float
    published_in: str
    ours: float | None
    n: int
    authors_way: float | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """Agreement in every round, kind of unit, taxonomy and reading, and how it is to be read."""

    target: str
    annotators: tuple[str, ...]
    figures: tuple[AgreementFigures, ...]
    handling: tuple[str, ...]
    published: tuple[PublishedAlpha, ...] = ()
    convention: Convention = "standard"
    rows: int = 0  # of a table of labels
    blank: int = 0  # of these, without a label

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay agree` prints as JSON."""
        return {"assay": __version__, **asdict(self)}


class Ratings:
    """The ratings of one kind of unit in one taxonomy, unit after unit; only numbers are kept."""

    def __init__(self, kind: Kind, menu: str) -> None:
        self.kind, self.menu = kind, menu
        self.annotators: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        self._who, self._said = array("l"), array("l")
        self._sizes, self._groups, self._places = array("l"), array("l"), array("l")
        self._sources: dict[Hashable, int] = {}
        self._batches: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def shared(self) -> int:
        """The number of units that two annotators or more rated."""
        return sum(size > 1 for size in self._sizes)

    def add(self, votes: Mapping[str, Label], source: Hashable, batch: Hashable = "") -> None:
        """One more unit; a kind of a class counts as the class."""
        for who, label in votes.items():
            name = label.parent or label.name
            self._who.append(self.annotators.setdefault(who, len(self.annotators)))
            self._said.append(self._classes.setdefault(name, len(self._classes)))
        self._sizes.append(len(votes))
        self._groups.append(self._sources.setdefault(source, len(self._sources)))
        self._places.append(self._batches.setdefault(batch, len(self._batches)))

    def readings(self) -> tuple[AgreementReading, ...]:
        """Those of the taxonomy."""
        return agreement_readings(self.menu, self.kind)

    def figures(
        self,
        reading: AgreementReading,
        round_: Round = "first",
        *,
        pairs: bool = False,
        convention: Convention = "standard",
    ) -> AgreementFigures:
        """All figures in one reading; those of pairs take the longest."""
        codes, units = self._codes(reading), self._units()
        table = self._packed(codes, units)
        sources = np.array(self._groups, dtype=np.int64)
        raters = (~np.isnan(table)).sum(0)
        several = Counter(int(each) for each in raters if each > 1)
        usual = max(several, key=lambda each: (several[each], each)) if several else 0
        size, of = len(reading.classes), len(self)
        same = raters == usual if usual else np.zeros(of, dtype=bool)
        even = coincidence_tables(table[:, same], groups=sources[same], classes=size)
        raw = raw_tables(table, groups=sources, classes=size)
        sampling = Resampling(replicates=200 if of > MANY else 1000)
        rated = ~np.isnan(codes)
        by_batch = convention == "faithbench"
        return AgreementFigures(
            round=round_,
            kind=self.kind,
            taxonomy=self.menu,
            reading=reading.name,
            level=_BY_BATCH if by_batch else reading.level,
            classes=reading.classes,
            annotators=len(set(np.array(self._who, dtype=np.int64)[rated].tolist())),
            ratings=int(rated.sum()),
            alpha=_measured(self._alpha(reading, table, sampling, convention), of),
            raw=_measured(estimate_from_tables(rates.share, raw, resampling=sampling), of),
            fleiss=_measured(estimate_from_tables(fleiss_kappa, even, resampling=sampling), of),
            raters=usual,
            pairs=tuple(self._pairs(codes, size)) if pairs else (),
            batches=count_batches(table, batches=self._places) if by_batch else 0,
        )

    def _alpha(
        self,
        reading: AgreementReading,
        table: Floats,
        resampling: Resampling,
        convention: Convention,
    ) -> Estimate:
        sources, size = np.array(self._groups, dtype=np.int64), len(reading.classes)
        if convention == "faithbench":
            return batch_alpha(
                table, batches=self._places, groups=sources, classes=size, resampling=resampling
            )
        tables = coincidence_tables(table, groups=sources, classes=size)
        return estimate_from_tables(alpha(reading.level), tables, resampling=resampling)

    def _codes(self, reading: AgreementReading) -> Floats:
        """The class of each rating in a reading; NaN where it is left out."""
        known = np.array([reading.table.get(name, np.nan) for name in self._classes], dtype=float)
        said = np.array(self._said, dtype=np.int64)
        return known[said] if known.size else np.zeros(0)

    def _units(self) -> Ints:
        sizes = np.array(self._sizes, dtype=np.int64)
        return np.repeat(np.arange(sizes.size), sizes)

    def _packed(self, codes: Floats, units: Ints) -> Floats:
        """Ratings x units; who gave which does not matter here, so rows are no annotators."""
        sizes = np.array(self._sizes, dtype=np.int64)
        table = np.full((int(sizes.max(initial=1)), sizes.size), np.nan)
        rows = np.arange(units.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        table[rows, units] = codes
        return table

    def _pairs(self, codes: Floats, size: int) -> Iterator[Pair]:
        """The kappas of those who share most units."""
        shared: dict[tuple[int, int], list[tuple[int, float, float]]] = {}
        begin = 0
        for unit, count in enumerate(self._sizes):
            places = range(begin, begin + count)
            given = sorted((self._who[at], codes[at]) for at in places if codes[at] == codes[at])
            for (first, one), (second, other) in combinations(given, 2):
                shared.setdefault((first, second), []).append((unit, one, other))
            begin += count
        names = list(self.annotators)
        many = [pair for pair, units in shared.items() if len(units) >= _FEWEST_SHARED]
        ordered = sorted(
            (_by_name(names, pair) for pair in many),
            key=lambda each: (-len(shared[min(each), max(each)]), names[each[0]], names[each[1]]),
        )
        groups = np.array(self._groups, dtype=np.int64)
        for first, second in ordered[:MOST_PAIRS]:
            rated = np.array(shared[min(first, second), max(first, second)]).astype(np.int64)
            units, one, other = rated.T if first < second else rated.T[[0, 2, 1]]
            tables = confusion_tables(one, other, groups=groups[units], classes=size)
            kappa = estimate_from_tables(rates.cohen_kappa, tables, resampling=_PAIR_SAMPLING)
            yield Pair(names[first], names[second], _measured(kappa, len(self)))


def _by_name(names: list[str], pair: tuple[int, int]) -> tuple[int, int]:
    """Two annotators in the order of their names."""
    first, second = sorted(pair, key=names.__getitem__)
    return first, second


def all_figures(
    ratings: Ratings,
    round_: Round = "first",
    *,
    pairs_everywhere: bool = False,
    convention: Convention = "standard",
) -> list[AgreementFigures]:
    """The figures in every reading of the taxonomy, with pairs in that of all classes or in each.

    The classes in order are the same classes, of which two people have one kappa. FaithBench's
    alpha wants classes in an order, and is taken in no other reading.
    """
    found: list[AgreementFigures] = []
    pairs: dict[tuple[str, ...], tuple[Pair, ...]] = {}
    readings = ratings.readings()
    if convention == "faithbench":
        readings = tuple(reading for reading in readings if reading.is_ordered)
    for place, reading in enumerate(readings):
        wanted = (pairs_everywhere or place == 0) and reading.classes not in pairs
        each = ratings.figures(reading, round_, pairs=wanted, convention=convention)
        if wanted:
            pairs[reading.classes] = each.pairs
        elif pairs_everywhere:
            each = replace(each, pairs=pairs[reading.classes])
        found.append(each)
    return found


def _measured(estimate: Estimate, of: int) -> Measured:
    return Measured(estimate.value, estimate.low, estimate.high, estimate.n, of)
