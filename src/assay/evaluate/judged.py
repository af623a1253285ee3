"""An item with what a detector said of it, read as faithful or not."""

from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.labels import Label
from assay.core.taxonomies import TAXONOMIES
from assay.core.verdicts import Failure, Outcome
from assay.evaluate.items import Item

Threshold = float | str | None


@dataclass(frozen=True, slots=True)
class Judged:
    """An item with the outcome for it, and whether that counts as "faithful"."""

    item: Item
    outcome: Outcome
    faithful: bool | None

    @property
    def is_error(self) -> bool:
        """Whether the detector has a verdict and it is wrong under the reading."""
        known = self.faithful is not None and self.item.faithful is not None
        return known and self.faithful != self.item.faithful


def says_faithful(outcome: Outcome, threshold: Threshold = None) -> bool | None:
    """Whether an outcome counts as "faithful": by score, by the order of labels, or as it says.

    Without a threshold a sentence that states no fact has nothing unfaithful in it; with a label
    as threshold the order of labels decides, as in VeriGray's protocol.
    """
    if isinstance(outcome, Failure):
        return None
    if isinstance(threshold, str):
        return _at_least(outcome.label, threshold)
    if threshold is not None and outcome.score is not None:
        return outcome.score >= threshold
    if outcome.label is not None:
        return outcome.label.coarse in ("faithful", "no-fact")
    return outcome.score is not None and outcome.score >= 0.5


def _at_least(label: Label | None, name: str) -> bool:
    if label is None:
        raise InputError(f"the threshold '{name}' is a label, but the predictions are scores only")
    return label.rank >= TAXONOMIES[label.taxonomy][name].rank
