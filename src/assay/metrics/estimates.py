"""A number with what it rests on: the number of items and an interval."""

from dataclasses import dataclass
from math import cos, pi, sin, sqrt, tan
from statistics import NormalDist

_STEPS = 60  # of bisection: more than a double can tell apart


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
    """The interval of the true share when `successes` of `n` items were counted.

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


def student_quantile(confidence: float, freedom: int) -> float:
    """The number of deviations to either side that hold such a share of Student's distribution.

    Formula: the t with P(|T| ≤ t) = confidence, T of so many degrees of freedom, by bisection of
    the angle atan(t / √freedom). No degree of freedom: infinite.
    Reference: Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.

    >>> round(student_quantile(0.95, 9), 3), round(student_quantile(0.95, 10_000), 2)
    (2.262, 1.96)
    """
    require_confidence(confidence)
    if freedom < 1:
        return float("inf")
    low, high = 0.0, pi / 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, freedom) < confidence else (low, middle)
    return sqrt(freedom) * tan(low)


def _inside(angle: float, freedom: int) -> float:
    """The chance that Student's t lies within ± √freedom tan(angle)."""
    is_odd, squared = freedom % 2, cos(angle) ** 2
    term, total = (cos(angle), 0.0) if is_odd else (1.0, 0.0)
    for at in range(1 + is_odd, freedom, 2):
        total += term
        term *= squared * at / (at + 1)
    return 2 / pi * (angle + sin(angle) * total) if is_odd else sin(angle) * total


def require_confidence(confidence: float) -> None:
    """Raises unless a confidence level lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, such as 0.95, not {confidence!r}")
