"""Two versions of the labels of the same data, side by side."""

from dataclasses import dataclass
from typing import Any

from assay.audit.shifts import Shift
from assay.evaluation.label_changes import LabelChanges


@dataclass(frozen=True, slots=True)
class Versions:
    """The labels that changed between two versions, and the ranking of detectors on both.

    Only `examples` that both have, by their ids and responses, are compared.
    """

    old: str
    new: str
    reading: str
    examples: int
    only_old: int
    only_new: int
    changes: LabelChanges
    shifts: tuple[Shift, ...]
    by_model: bool = False  # detectors are ranked among those that ask the same model

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "old": self.old,
            "new": self.new,
            "reading": self.reading,
            "examples": self.examples,
            "only_old": self.only_old,
            "only_new": self.only_new,
            "changes": self.changes.to_dict(),
            "ranked_within": "model" if self.by_model else None,
            "ranking": [each.to_dict() for each in self.shifts],
        }
