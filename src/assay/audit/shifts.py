"""How detectors rank on two versions of the labels of the same data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.evaluation.evaluate import Evaluation, Predictions, Settings, evaluate_each
from assay.metrics import Estimate

ACCURACY = "balanced accuracy"


@dataclass(frozen=True, slots=True)
class Shift:
    """A detector's balanced accuracy and rank before and after the labels changed."""

    detector: str
    before: Estimate
    after: Estimate
    rank_before: int | None
    rank_after: int | None
    coverage: float | None

    @property
    def direction(self) -> str:
        """`up` or `down` where the rank changed."""
        if self.rank_before is None or self.rank_after is None:
            return ""
        return {-1: "down", 0: "", 1: "up"}[
            (self.rank_before > self.rank_after) - (self.rank_before < self.rank_after)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {**asdict(self), "direction": self.direction}


def rank_shifts(
    dataset: str,
    before: Sequence[Annotated],
    after: Sequence[Annotated],
    predictions: Sequence[Predictions],
    settings: Settings,
) -> tuple[Shift, ...]:
    """How detectors rank on two versions of the labels, by their rank on the new one."""
    old = evaluate_each(dataset, before, predictions, settings)
    new = evaluate_each(dataset, after, predictions, settings)
    return order_shifts(old, new)


def order_shifts(old: Sequence[Evaluation], new: Sequence[Evaluation]) -> tuple[Shift, ...]:
    """The same from what came out on each version, detector by detector."""
    ranks = zip(_ranks(old), _ranks(new), strict=True)
    found = [
        Shift(
            one.detector,
            one.figures[ACCURACY],
            other.figures[ACCURACY],
            first,
            second,
            other.coverage,
        )
        for one, other, (first, second) in zip(old, new, ranks, strict=True)
    ]
    return tuple(sorted(found, key=lambda each: (each.rank_after is None, each.rank_after or 0)))


def _ranks(evaluations: Sequence[Evaluation]) -> list[int | None]:
    """The place of each by balanced accuracy; equal ones share a place."""
    values = [each.figures[ACCURACY].value for each in evaluations]
    known = [value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other > value for other in known) for value in values
    ]
