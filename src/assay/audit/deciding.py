"""Which decision about a flag counts where several people decided, and how far they agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.audit.faults import STATES
from assay.audit.forms import Decision, FlaggedUnit
from assay.core.errors import UnknownNameError
from assay.core.judgements import CONTROLLED
from assay.evaluation.errors.answers import OPEN
from assay.evaluation.errors.reconciling import AnnotatorAgreement, Settling, agreement_of

CONFLICT = "conflict"
_CODES = {state: float(code) for code, state in enumerate(STATES)}


@dataclass(frozen=True, slots=True)
class Decided:
    """A flagged unit with the decision that counts; None while it is open or in conflict."""

    flag: FlaggedUnit
    decision: Decision | None

    @property
    def state(self) -> str:
        """`open`, `conflict`, or what was decided."""
        if self.decision:
            return self.decision.state
        return CONFLICT if self.flag.decisions else OPEN

    @property
    def is_revision(self) -> bool:
        """Whether another label is proposed."""
        return self.decision is not None and self.decision.state == "incorrect"

    def to_dict(self) -> dict[str, Any]:
        """Who decided what, as plain JSON values."""
        example, unit = self.flag.key
        return {
            "example": example,
            "unit": unit,
            "text": self.flag.unit.text,
            "label": self.flag.label.name,
            "decision": self.state,
            "decisions": [
                {
                    "by": each.by,
                    "decision": each.state,
                    "label": each.verdict.label.name if each.verdict.label else None,
                    "note": each.verdict.note,
                    "evidence": [span.text for span in each.verdict.evidence],
                    "refusal": each.refusal,
                }
                for each in self.flag.decisions
            ],
        }


@dataclass(frozen=True, slots=True)
class Adjudication:
    """All flags of some files with what was decided about them."""

    decided: tuple[Decided, ...]
    agreement: AnnotatorAgreement | None

    @property
    def has_controls(self) -> bool:
        """Whether labels that nobody flagged are among them; which these are, only a key says."""
        lines = [each.flag.line for each in self.decided]
        return any(one.author.name == CONTROLLED for line in lines for one in line.judgements)

    @property
    def counts(self) -> dict[str, int]:
        """How many flags are open, in conflict, or were decided in each way."""
        found = Counter(each.state for each in self.decided)
        return {state: found[state] for state in (OPEN, CONFLICT, *STATES)}

    @property
    def by_person(self) -> dict[str, dict[str, int]]:
        """How often each person decided in each way."""
        found: dict[str, Counter[str]] = {}
        for each in self.decided:
            for decision in each.flag.decisions:
                found.setdefault(decision.by, Counter())[decision.state] += 1
        return {name: {state: found[name][state] for state in STATES} for name in sorted(found)}

    @property
    def conflicts(self) -> tuple[Decided, ...]:
        """The flags about which people decided differently, with nothing to say who counts."""
        return tuple(each for each in self.decided if each.state == CONFLICT)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "flags": len(self.decided),
            "has_controls": self.has_controls,
            "decisions": self.counts,
            "by_person": self.by_person,
            "agreement": self.agreement.to_dict() if self.agreement else None,
            "units": [each.to_dict() for each in self.decided],
        }


def adjudicate(flags: Sequence[FlaggedUnit], settling: Settling | None = None) -> Adjudication:
    """The decision that counts for each flag: what all decided, or whom the settling prefers."""
    settling = settling or Settling()
    names = list(dict.fromkeys(each.by for flag in flags for each in flag.decisions))
    if settling.prefer and settling.prefer not in names:
        raise UnknownNameError("person who decided", settling.prefer, names, field="prefer")
    rated = [
        (flag.line.id, {each.by: _CODES[each.state] for each in flag.decisions}) for flag in flags
    ]
    return Adjudication(
        tuple(Decided(flag, _chosen(flag.decisions, settling)) for flag in flags),
        agreement_of(rated, classes=len(STATES)),
    )


def _chosen(decisions: Sequence[Decision], settling: Settling) -> Decision | None:
    counts = Counter(each.content for each in decisions)
    if len(counts) == 1:
        return decisions[0]
    if settling.prefer:
        return next((each for each in decisions if each.by == settling.prefer), None)
    most = [each for each in decisions if counts[each.content] * 2 > len(decisions)]
    return most[0] if settling.majority and most else None
