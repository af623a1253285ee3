"""Shares of units whose intervals resample sources: units of one source are not independent."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from assay.core.examples import Example
from assay.metrics import Estimate, estimate_from_tables, proportion, rates, wilson_interval
from assay.metrics.arrays import Floats
from assay.metrics.tables import Tables


def source_of(example: Example) -> str:
    """What is resampled together: the source of an example, by its id if it has one."""
    return example.source.id or example.id


@dataclass(slots=True)
class SourceShare:
    """How many units of each source there are, and how many of them are counted."""

    counted: dict[str, list[int]] = field(default_factory=dict)  # those that count, and all

    def add(self, source: str, is_counted: bool) -> None:
        """One more unit of a source."""
        counts = self.counted.setdefault(source, [0, 0])
        counts[0] += is_counted
        counts[1] += 1

    @property
    def count(self) -> int:
        """How many units count."""
        return sum(part for part, _ in self.counted.values())

    @property
    def n(self) -> int:
        """How many units there are."""
        return sum(whole for _, whole in self.counted.values())

    def estimate(self) -> Estimate:
        """The share with a bootstrap interval over sources.

        Where each source has one unit, and where none or all of them count, it is Wilson's, over
        sources. With one source only there is no interval.
        """
        count, n, sources = self.count, self.n, len(self.counted)
        if sources == n:
            return proportion(count, n)
        if sources < 2:
            return Estimate(count / n, n)
        if count in (0, n):
            low, high = wilson_interval(sources if count else 0, sources) or (None, None)
            return Estimate(count / n, n, low, high)
        rows = np.array(list(self.counted.values()), dtype=np.float64)
        values, copies = np.unique(rows, axis=0, return_counts=True)
        return estimate_from_tables(_share, Tables(values, copies, n))


def share_of(units: Iterable[tuple[str, bool]]) -> Estimate:
    """The share of units that count, from the source of each and whether it does.

    >>> print(share_of([("a", True), ("b", False), ("c", False), ("d", False)]))
    0.250 [0.046, 0.699] n=4
    >>> print(share_of([("a", True), ("a", False)]))
    0.500 n=2
    """
    found = SourceShare()
    for source, is_counted in units:
        found.add(source, is_counted)
    return found.estimate()


def _share(counts: Floats) -> Floats:
    return rates.ratio(counts[..., 0], counts[..., 1])
