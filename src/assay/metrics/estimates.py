"""A number with what it rests on: the number of items and an interval."""

from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, the number of items behind it, and its interval; an undefined value is None.

    >>> print(Estimate(0.734, 1484, 0.69, 0.777))
    0.734 [0.690, 0.777] n=1,484
    >>> print(Estimate(None, 0))
    undefined n=0
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        value = "undefined" if self.value is None else f"{self.value:.3f}"
        if self.low is None or self.high is None:
            return f"{value} n={self.n:,}"
        return f"{value} [{self.low:.3f}, {self.high:.3f}] n={self.n:,}"


def wilson_interval(
    successes: int, n: int, *, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Where the true share lies when `successes` of `n` items were counted.

    Formula: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), with p = successes / n and z the
    normal quantile of (1 + confidence) / 2. No continuity correction.
    Empty (n = 0): None. Constant (none or all): the interval still has a width.
    Reference: Wilson 1927, Probable inference, the law of succession, and statistical inference.

    >>> low, high = wilson_interval(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n, not {successes} of {n}")
    require_confidence(confidence)
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = successes / n
    centre = p + z * z / (2 * n)
    reach = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    low = 0.0 if successes == 0 else (centre - reach) / scale
    high = 1.0 if successes == n else (centre + reach) / scale
    return low, high


def proportion(successes: int, n: int, *, confidence: float = 0.95) -> Estimate:
    """A share of items with its Wilson interval.

    Formula: successes / n. Empty (n = 0): the value is None. Constant: 0 or 1 with an interval.

    >>> print(proportion(8, 10))
    0.800 [0.490, 0.943] n=10
    """
    interval = wilson_interval(successes, n, confidence=confidence)
    if interval is None:
        return Estimate(None, 0)
    return Estimate(successes / n, n, *interval)


def require_confidence(confidence: float) -> None:
    """Raises unless a confidence level lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, such as 0.95, not {confidence!r}")
