"""Why an error happened, as a model proposes it and as people decide it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from assay.core.labels import Label
from assay.core.verdicts import Failure
from assay.detectors.p_true import Belief
from assay.evaluate.errors.items import ErrorItem

GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A category from a model, or from the gold; `prompt` is the digest of what was asked."""

    category: Label
    by: str
    reason: str = ""
    prompt: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person says of an error."""

    category: Label
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """An error with all that was said about it; people come before the gold and the models."""

    item: ErrorItem
    answer: Answer | None = None
    proposal: Proposal | None = None
    failure: Failure | None = None
    claim: str = ""
    belief: Belief | None = None
    believer: str = ""
    unbelieved: Failure | None = None  # why there is no belief

    @property
    def category(self) -> Label | None:
        """The category that counts; None while nobody has named one."""
        if self.answer:
            return self.answer.category
        return self.proposal.category if self.proposal else None

    @property
    def decided_by(self) -> str:
        """`people`, `gold`, `model`, or empty."""
        if self.answer:
            return "people"
        if self.proposal:
            return GOLD if self.proposal.by == GOLD else "model"
        return ""


def today() -> str:
    """The date, as it is written down with what a model or the program does."""
    return datetime.now(UTC).date().isoformat()
