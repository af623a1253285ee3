"""Charts of scores as data: the risk-coverage curve and the reliability diagram."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics import Estimate, ReliabilityBin, proportion, reliability_table, risk_coverage
from assay.report.charts import Link, Scope, positions

MOST_POINTS = 200


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """What remains wrong at one threshold."""

    threshold: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class RiskCurve:
    """A curve of few enough points to be drawn, and some of them for a table."""

    n: int
    points: tuple[RiskPoint, ...]
    listed: tuple[RiskPoint, ...]


@dataclass(frozen=True, slots=True)
class Reliability:
    """A bin of scores: what was claimed and what was true; `height` is its size in the largest."""

    bin: ReliabilityBin
    faithful: Estimate
    height: float
    link: Link


def risk_curve(gold: ArrayLike, score: ArrayLike) -> RiskCurve | None:
    """The risk-coverage curve; None without scores. Its table has a line for each tenth."""
    curve = risk_coverage(gold, score)
    values = (curve.thresholds.tolist(), curve.coverages.tolist(), curve.risks.tolist())
    points = [RiskPoint(*each) for each in zip(*values, strict=True)]
    if not points:
        return None
    drawn = np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).round().astype(int)
    # A hair of slack: three tenths are 0.30000000000000004.
    tenths = np.unique(np.searchsorted(curve.coverages, np.arange(1, 11) / 10 - 1e-12))
    return RiskCurve(
        n=np.asarray(gold).size,
        points=tuple(points[at] for at in drawn),
        listed=tuple(points[at] for at in tenths),
    )


def reliability(
    items: Sequence[int], gold: ArrayLike, score: ArrayLike, scope: Scope
) -> tuple[Reliability, ...]:
    """The bins of a reliability diagram, with Wilson's intervals; `items` are positions."""
    bins = reliability_table(gold, score)
    lows = [each.low for each in bins]
    inside = positions(np.searchsorted(lows, np.asarray(score), side="right").tolist())
    most = max((each.n for each in bins), default=1)
    return tuple(
        Reliability(
            bin=each,
            faithful=proportion(round(each.faithful_share * each.n), each.n),
            height=each.n / most,
            link=scope.link(
                [items[at] for at in inside[number]], f"score {each.low:.2f} to {each.high:.2f}"
            ),
        )
        for number, each in enumerate(bins, start=1)
    )
