"""Two versions of the labels of the same data, side by side."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.core.pooling import GoldBasis
from assay.evaluation.comparison import group_by_model, places
from assay.evaluation.corpora.label_changes import LabelChanges
from assay.evaluation.evaluate import Evaluation, Predictions, Settings, evaluate_each
from assay.metrics import Estimate

ACCURACY = "balanced accuracy"


@dataclass(frozen=True, slots=True)
class Shift:
    """A detector's balanced accuracy and rank before and after the labels changed.

    The rank is that among all detectors, or among those that ask the same model.
    """

    detector: str
    before: Estimate
    after: Estimate
    rank_before: int | None
    rank_after: int | None
    coverage: float | None
    model: str = ""  # that it asks, as far as its manifest says so
    flagged: bool = False  # it took part in flagging the labels that were looked at

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
    flaggers: Collection[str] = (),
) -> tuple[Shift, ...]:
    """The ranks of detectors on two versions of the labels, in the order of the new one.

    The settings say whether they are ranked among those that ask the same model. `flaggers` are the
    names of those that flagged the labels.
    """
    old = evaluate_each(dataset, before, predictions, settings)
    new = evaluate_each(dataset, after, predictions, settings)
    return _order(old, new, flaggers, by_model=settings.by_model)


def _order(
    old: Sequence[Evaluation],
    new: Sequence[Evaluation],
    flaggers: Collection[str],
    *,
    by_model: bool,
) -> tuple[Shift, ...]:
    models = list(group_by_model(new)) if by_model else []
    groups = [each.model for each in new] if by_model else []
    ranks = zip(_ranks(old, groups), _ranks(new, groups), strict=True)
    found = [
        Shift(
            one.detector,
            one.figures[ACCURACY],
            other.figures[ACCURACY],
            first,
            second,
            other.coverage,
            other.model,
            not _authors(other).isdisjoint(flaggers),
        )
        for one, other, (first, second) in zip(old, new, ranks, strict=True)
    ]

    def place(each: Shift) -> tuple[int, bool, int]:
        group = models.index(each.model) if models else 0
        return group, each.rank_after is None, each.rank_after or 0

    return tuple(sorted(found, key=place))


def _authors(evaluation: Evaluation) -> set[str]:
    manifests = (run.manifest for run in evaluation.runs or (evaluation,))
    return {each.author.name for each in manifests if each}


def _ranks(evaluations: Sequence[Evaluation], groups: Sequence[str]) -> tuple[int | None, ...]:
    return places([each.figures[ACCURACY].value for each in evaluations], groups)


@dataclass(frozen=True, slots=True)
class Versions:
    """The labels that changed between two versions, and the ranking of detectors on both.

    Only `examples` that both have, by their ids and responses, are compared.
    """

    old: str
    new: str
    reading: str
    gold: tuple[GoldBasis, GoldBasis]  # what the labels of each version rest on
    examples: int
    only_old: int
    only_new: int
    changes: LabelChanges
    shifts: tuple[Shift, ...]
    by_model: bool = False  # detectors are ranked among those that ask the same model

    def describe(self) -> str:
        """The reading of the labels, and the basis of the new version if it is another one."""
        old, new = (each.describe() for each in self.gold)
        return self.reading if old == new else f"{self.reading}; in {self.new}, {new}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "old": self.old,
            "new": self.new,
            "reading": self.reading,
            "gold": {"old": self.gold[0].to_dict(), "new": self.gold[1].to_dict()},
            "examples": self.examples,
            "only_old": self.only_old,
            "only_new": self.only_new,
            "changes": self.changes.to_dict(),
            "ranked_within": "model" if self.by_model else None,
            "ranking": [each.to_dict() for each in self.shifts],
        }
