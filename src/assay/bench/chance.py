"""The known sources that a choice of sources finds, compared with a random choice."""

from dataclasses import dataclass
from math import comb

from assay.metrics import Estimate, proportion


@dataclass(frozen=True, slots=True)
class ChanceComparison:
    """`found` of `known` sources are among the `chosen` of `sources`.

    `expected` is what as many sources drawn at random would have, with the interval that holds
    95 % of such draws; `at_least` is how often they would have as many or more. Of the other data's
    `others` sources, those that are not known here cannot be found.
    """

    others: int
    known: int
    sources: int
    chosen: int
    found: int
    share: Estimate
    expected: float
    low: int
    high: int
    at_least: float

    @property
    def expected_share(self) -> float | None:
        """The share of the known sources that chance would find."""
        return self.expected / self.known if self.known else None


def compare_with_chance(
    *, others: int, known: int, sources: int, chosen: int, found: int
) -> ChanceComparison:
    """The sources found, and those of a random draw without replacement (hypergeometric).

    >>> result = compare_with_chance(others=5, known=5, sources=10, chosen=5, found=5)
    >>> result.expected, result.low, result.high, round(result.at_least * 252, 6)
    (2.5, 1, 4, 1.0)
    """
    total = comb(sources, chosen)
    ways = [
        comb(known, some) * comb(sources - known, chosen - some)
        for some in range(min(known, chosen) + 1)
    ]
    return ChanceComparison(
        others=others,
        known=known,
        sources=sources,
        chosen=chosen,
        found=found,
        share=proportion(found, known),
        expected=chosen * known / sources if sources else 0.0,
        low=_quantile(ways, total, 25),
        high=_quantile(ways, total, 975),
        at_least=sum(ways[found:]) / total,
    )


def _quantile(ways: list[int], total: int, permille: int) -> int:
    """The smallest count that so many of 1,000 draws do not exceed."""
    summed = 0
    for some, count in enumerate(ways):
        summed += count
        if 1000 * summed >= permille * total:
            return some
    return len(ways) - 1
