"""Two versions of the labels of the same data, side by side."""

from dataclasses import dataclass
from typing import Any

from assay.audit.shifts import Shift
from assay.core.pooling import GoldBasis
from assay.evaluation.label_changes import LabelChanges


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
        """How the labels are read, and what those of the new version rest on if on others."""
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
