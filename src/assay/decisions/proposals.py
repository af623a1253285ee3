"""Proposals, what people decided about them, and which decision counts where several decided.

A proposal is about a unit of an example: a label that was flagged, an error that a detector
describes, or an explanation to take apart. Files of flags, files of tasks and the studio's audit
all read into these nouns.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated as With
from typing import Literal, get_args

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.options import Option
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict

OPEN = "open"  # nobody has decided
CONFLICT = "conflict"  # people decided differently, and nothing says who counts
REVISED = "incorrect"  # the label in question is wrong, and another one is given

# The decisions about a label; `ambiguous` and `system-error` let it stand.
LabelDecision = Literal["incorrect", "ambiguous", "system-error"]
LABEL_DECISIONS: tuple[LabelDecision, ...] = get_args(LabelDecision)


@dataclass(frozen=True, slots=True)
class DescribedError:
    """An error as a person left it; the verdict has its category, evidence and note."""

    unit: Unit
    verdict: Verdict

    @property
    def words(self) -> tuple[str, tuple[Span, ...]]:
        """The words and places that tell it from other errors of the example."""
        return self.unit.text, self.unit.spans


@dataclass(frozen=True, slots=True)
class PersonDecision:
    """One person's decision about a proposal, and what they wrote for it.

    The verdict has their label, reason and evidence. `errors` are those that they described. A
    revised label without the evidence that it needs has a `refusal`.
    """

    by: str
    state: str
    verdict: Verdict
    errors: tuple[DescribedError, ...] = ()
    at: str = ""
    refusal: str = ""

    @property
    def content(self) -> tuple[object, ...]:
        """The part that is the same where two people decide alike."""
        label = self.verdict.label if self.state == REVISED else None
        return self.state, label, *((each.words, each.verdict.error) for each in self.errors)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A unit that people decide about, the label in question, and their decisions.

    `where` is the line that it stands on, `origin` tells who proposes it.
    """

    line: Annotated
    unit: Unit
    label: Label
    decisions: tuple[PersonDecision, ...] = ()
    where: str = ""
    origin: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The ids of example and unit."""
        return self.line.id, self.unit.id

    def joined(self, decisions: Iterable[PersonDecision]) -> tuple["Proposal", list[str]]:
        """The proposal with more decisions, and the names of those who decided in two ways.

        The first decision of a person stays.
        """
        found = {each.by: each for each in self.decisions}
        twice = []
        for each in decisions:
            if found.setdefault(each.by, each).content != each.content:
                twice.append(each.by)
        return replace(self, decisions=tuple(found.values())), twice


@dataclass(frozen=True, slots=True)
class Settling:
    """The decision that counts where people differ: one person's, that of most, or none."""

    prefer: With[
        str,
        Option("Where people decide differently, the decision of this person counts.", "NAME"),
    ] = ""
    majority: With[
        bool, Option("Where people decide differently, the decision of more than half counts.")
    ] = False

    def __post_init__(self) -> None:
        if self.prefer and self.majority:
            raise InputError(
                "either one annotator is preferred, or the majority decides", field="prefer"
            )

    def chosen(self, decisions: Sequence[PersonDecision]) -> PersonDecision | None:
        """The decision of all, else that of the preferred one, or of more than half."""
        counts = Counter(each.content for each in decisions)
        if len(counts) == 1:
            return decisions[0]
        if self.prefer:
            return next((each for each in decisions if each.by == self.prefer), None)
        most = [each for each in decisions if counts[each.content] * 2 > len(decisions)]
        return most[0] if self.majority and most else None


@dataclass(frozen=True, slots=True)
class Decided:
    """A proposal with the decision that counts; None while it is open or in conflict."""

    proposal: Proposal
    decision: PersonDecision | None

    @property
    def state(self) -> str:
        """`open`, `conflict`, or what was decided."""
        if self.decision:
            return self.decision.state
        return CONFLICT if self.proposal.decisions else OPEN

    @property
    def is_revision(self) -> bool:
        """True if another label is proposed."""
        return self.state == REVISED


def settle(proposals: Sequence[Proposal], settling: Settling | None = None) -> tuple[Decided, ...]:
    """Each proposal with the decision that counts; a preferred person must have decided some."""
    settling = settling or Settling()
    names = list(dict.fromkeys(each.by for one in proposals for each in one.decisions))
    if settling.prefer and settling.prefer not in names:
        raise UnknownNameError("annotator", settling.prefer, names, field="prefer")
    return tuple(Decided(each, settling.chosen(each.decisions)) for each in proposals)
