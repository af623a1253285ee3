"""Shares of units whose intervals resample sources: units of one source are not independent."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from assay.core.examples import Example
from assay.metrics import Estimate, estimate_from_tables, proportion, rates, share_tables
from assay.metrics.arrays import Floats


def source_of(example: Example) -> str:
    """The group of an example in resampling: its source, by its id if it has one."""
    return example.source.id or example.id


@dataclass(slots=True)
class SourceShare:
    """The number of units of each source, and of those that are counted."""

    counted: dict[str, list[int]] = field(default_factory=dict)  # those that count, and all

    def add(self, source: str, is_counted: bool) -> None:
        """One more unit of a source."""
        counts = self.counted.setdefault(source, [0, 0])
        counts[0] += is_counted
        counts[1] += 1

    @property
    def count(self) -> int:
        """The number of units that count."""
        return sum(part for part, _ in self.counted.values())

    @property
    def n(self) -> int:
        """The number of units."""
        return sum(whole for _, whole in self.counted.values())

    def estimate(self) -> Estimate:
        """The share with its interval over sources."""
        rows = np.array(list(self.counted.values()), dtype=np.float64).reshape(-1, 2)
        return estimate_share(rows[:, 0], rows[:, 1])


def estimate_share(counted: Floats, units: Floats) -> Estimate:
    """The share of units that count, from how many of each source do and how many there are.

    Where each source has one unit the interval is Wilson's; otherwise see `estimate_from_tables`.
    """
    if len(units) == units.sum():
        return proportion(int(counted.sum()), len(units))
    return estimate_from_tables(rates.share, share_tables(counted, units))


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
