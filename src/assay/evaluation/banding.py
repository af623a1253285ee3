"""The band of scores around a threshold in which a verdict is not sure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MOST_UNSURE = 1 / 3  # of all units that may fall into the band
_LEAST_BESIDE = 5  # units on one side that stay outside


def band(chances: Floats, faithful: Bools, threshold: float, sure: float) -> tuple[float, float]:
    """The edges outside of which verdicts are right as often as wanted, if the units allow it.

    Each side holds the fewest units that leave a share of right ones outside that is high enough,
    or as many as it can where none is. Where both together would hold too many, they are divided
    so that the side on which verdicts are right less often is as good as it can be.
    """
    below, above = chances < threshold, chances >= threshold
    low = _Side.of(threshold - chances[below], ~faithful[below])
    high = _Side.of(chances[above] - threshold, faithful[above])
    inside, over = low.needed(sure), high.needed(sure)
    most = int(MOST_UNSURE * len(chances))
    if inside + over > most:
        inside = _division(low, high, (inside, over), most)
        over = most - inside
    return (
        round(max(0.0, threshold - low.reach(inside)), 4),
        round(min(1.0, threshold + high.reach(over)), 4),
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """The units on one side of a threshold, from the nearest on."""

    distances: Floats
    shares: Floats  # by how many are inside: of the others, how many are right

    @classmethod
    def of(cls, distances: Floats, right: Bools) -> "_Side":
        """The share of a few units is drawn towards one half; units of one score go together."""
        order = np.argsort(distances, kind="stable")
        distances, right = distances[order], right[order]
        inside = np.arange(max(0, len(order) - _LEAST_BESIDE) + 1)
        # where a unit has the score of the one before it, the band ends before them
        is_new = np.append(True, np.diff(distances) > 0)[: len(inside)]
        ends = np.maximum.accumulate(np.where(is_new, inside, 0))
        hits = np.append(0, np.cumsum(right))
        shares = (hits[-1] - hits[ends] + 1) / (len(order) - ends + 2)
        return cls(distances, shares)

    def needed(self, sure: float) -> int:
        """The fewest units inside for a share of right ones outside, or all that it may hold."""
        enough = np.flatnonzero(self.shares >= sure)
        return int(enough[0]) if len(enough) else len(self.shares) - 1

    def reach(self, inside: int) -> float:
        """How far from the threshold so many units reach, up to half of the way to the next."""
        if not inside:
            return 0.0
        return float((self.distances[inside - 1] + self.distances[inside]) / 2)


def _division(low: _Side, high: _Side, needed: tuple[int, int], most: int) -> int:
    """How many of the units inside lie below; as near as can be to what the sides need."""
    below = np.arange(max(0, most - needed[1]), min(needed[0], most) + 1)
    worse = np.minimum(low.shares[below], high.shares[most - below])
    best = below[worse == worse.max()]
    return int(best[np.argmin(np.abs(best - most * needed[0] / sum(needed)))])
