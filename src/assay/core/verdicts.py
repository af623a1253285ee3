"""What a judge, person or machine, says of a unit; and what is said when there is no verdict."""

from dataclasses import dataclass
from typing import Literal

from assay.core.decision import Answers, Interpretation
from assay.core.errors import InputError
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.units import Unit

FailureReason = Literal[
    "parse",
    "off_menu",
    "refused",
    "truncated",
    "transport",
    "budget",
    "too_long",
    "language",
    "missing",
    "invalid",
]


@dataclass(frozen=True, slots=True)
class ExternalEvidence:
    """Something outside the source that a verdict rests on."""

    address: str
    quote: str = ""
    title: str = ""
    time: str = ""  # of the page, or of when it was read
    digest: str = ""  # of the kept snapshot


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judge's opinion of one unit; `score` is the probability that it is faithful.

    `error` says what kind of error an unfaithful unit is, as a label of another taxonomy. `judge`
    names the annotator or detector where that is not clear from where the verdict stands.
    """

    unit: Unit
    label: Label | None = None
    score: float | None = None
    confidence: float | None = None
    note: str = ""
    evidence: tuple[Span, ...] = ()
    external: tuple[ExternalEvidence, ...] = ()
    answers: Answers | None = None
    interpretations: tuple[Interpretation, ...] = ()
    judge: str = ""
    error: Label | None = None

    def __post_init__(self) -> None:
        if self.label is None and self.score is None:
            raise InputError("a verdict needs a label or a score; without either it is a Failure")
        for name in ("score", "confidence"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise InputError(f"a {name} lies between 0 and 1, not at {value!r}")


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit left without a verdict. It is counted, and never becomes a label or a score."""

    unit: Unit
    reason: FailureReason
    detail: str = ""
    raw: str = ""
    judge: str = ""


Outcome = Verdict | Failure
