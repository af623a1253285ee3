"""Verdicts of an author on a unit, and failures where there is no verdict."""

from dataclasses import dataclass, field, fields
from typing import ClassVar, Literal

from assay.core.decision import Answers, Interpretation
from assay.core.errors import InputError
from assay.core.labels import Coarse, Label
from assay.core.texts import Span

# First in the note of an unsure verdict.
NOT_SURE = "Not sure: its score lies in the band around the threshold."
FAITHFUL_FROM = 0.5  # the score from which something without a label counts as faithful

FailureReason = Literal[
    "parse",
    "off_menu",
    "refused",
    "truncated",
    "transport",
    "too_long",
    "language",
    "missing",
    "invalid",
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class ExternalEvidence:
    """Something outside the source that a verdict rests on."""

    address: str
    quote: str = ""
    title: str = ""
    time: str = ""  # of the page, or of when it was read
    digest: str = ""  # of the kept snapshot


_BY_PEOPLE = {"by": "people"}  # of a field that an annotator gives; the others are of programs


@dataclass(frozen=True, slots=True)
class Attributes:
    """The parts of a verdict that programs read beyond its label; the note is for people only."""

    explanation: str = ""  # what is wrong, in the annotator's words
    correction: str = ""  # the text as it should be
    instruction: str = ""  # how to get from the text to the correction
    category: str = ""  # the author's own word for the kind of error
    cited: str = ""  # evidence that the author quotes and the source does not contain
    implicit_true: bool | None = None  # true in the world, though the source does not say it
    due_to_null: bool | None = None  # states what the source leaves empty
    backend: str = ""  # what answered the questions, where a detector has a choice
    consulted: str = ""  # the outside source that was searched
    decision: str = ""  # what a person decided about a proposal
    peers: int | None = None  # how many annotated peers the judge was shown, where it wants some
    # The author looked, and the source has nothing on it.
    nothing_found: bool | None = field(default=None, metadata=_BY_PEOPLE)
    proposal: str = ""  # a digest of the proposal that a vote is about
    unsure: bool | None = None  # the score lies too near the threshold for the label to be sure
    from_marks: bool | None = None  # the label follows from the words that the author marked
    original: str = ""  # fields of a file in another form that have no place here, as JSON


NO_ATTRIBUTES = Attributes()
GIVEN_ATTRIBUTES = tuple(each.name for each in fields(Attributes) if each.metadata == _BY_PEOPLE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One author's opinion of one unit, by its id; `score` is the probability that it is faithful.

    `error` says what kind of error a unit has that is not plainly faithful, as a label of another
    taxonomy. `marks` are the words of the response that the source does not bear out.
    """

    unit: str
    label: Label | None = None
    score: float | None = None
    confidence: float | None = None
    note: str = ""
    evidence: tuple[Span, ...] = ()
    external: tuple[ExternalEvidence, ...] = ()
    answers: Answers | None = None
    interpretations: tuple[Interpretation, ...] = ()
    error: Label | None = None
    attributes: Attributes = field(default=NO_ATTRIBUTES)
    marks: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if self.label is None and self.score is None:
            raise InputError("a verdict needs a label or a score; without either it is a Failure")
        for name in ("score", "confidence"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise InputError(f"a {name} lies between 0 and 1, not at {value!r}")

    @property
    def coarse(self) -> Coarse:
        """The verdict in a word: not sure where the author is not."""
        return "not-sure" if self.attributes.unsure else self.leaning

    @property
    def leaning(self) -> Coarse:
        """The coarse class by the label, or else by the score, however unsure that is."""
        if self.label is not None:
            return self.label.coarse
        return "faithful" if (self.score or 0.0) >= FAITHFUL_FROM else "unfaithful"


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit left without a verdict. It is counted, and never becomes a label or a score."""

    unit: str
    reason: FailureReason
    detail: str = ""
    raw: str = ""

    # What a verdict has and a failure has not, so that a loop over outcomes needs no test.
    label: ClassVar[None] = None
    score: ClassVar[None] = None
    confidence: ClassVar[None] = None
    coarse: ClassVar[None] = None
    leaning: ClassVar[None] = None
    evidence: ClassVar[tuple[Span, ...]] = ()
    marks: ClassVar[tuple[Span, ...]] = ()

    @property
    def note(self) -> str:
        """The reason, in words."""
        return self.detail


Outcome = Verdict | Failure
