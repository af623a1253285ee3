"""One detector held against gold labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.core.verdicts import Failure
from assay.evaluate.figures import measure, measure_classes
from assay.evaluate.items import Item
from assay.evaluate.judged import Judged, Threshold, says_faithful
from assay.evaluate.predictions import Predictions
from assay.metrics import Estimate, Resampling


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came out for one detector."""

    detector: str
    judged: tuple[Judged, ...]
    failures: Counter[str]
    figures: dict[str, Estimate]
    class_f1: dict[str, Estimate] = field(default_factory=dict)
    seconds: float | None = None
    cost: float | None = None

    @property
    def n(self) -> int:
        """The items that the reading counts."""
        return sum(each.item.faithful is not None for each in self.judged)

    @property
    def coverage(self) -> float | None:
        """The share of all items with a verdict."""
        return 1 - self.failures.total() / len(self.judged) if self.judged else None


def evaluate(
    items: Sequence[Item],
    predictions: Predictions,
    *,
    threshold: Threshold = None,
    resampling: Resampling | None = None,
) -> Evaluation:
    """Measures one detector on some items."""
    judged = tuple(
        Judged(item, outcome := predictions.on(item), says_faithful(outcome, threshold))
        for item in items
    )
    resampling = resampling or Resampling()
    return Evaluation(
        detector=predictions.detector,
        judged=judged,
        failures=Counter(e.outcome.reason for e in judged if isinstance(e.outcome, Failure)),
        figures=measure(judged, resampling),
        class_f1=measure_classes(judged, resampling),
        seconds=predictions.seconds,
        cost=predictions.cost,
    )
