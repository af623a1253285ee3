"""Decisions of people about flags: which count, and how far people agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.judgements import CONTROLLED
from assay.decisions.agreement import AnnotatorAgreement, agreement_on
from assay.decisions.proposals import (
    CONFLICT,
    LABEL_DECISIONS,
    OPEN,
    Decided,
    Proposal,
    Settling,
    settle,
)

_CODES: dict[str, float] = dict(zip(LABEL_DECISIONS, (0.0, 1.0, 2.0), strict=True))


def decided_record(decided: Decided) -> dict[str, Any]:
    """A flag with the decisions about it, as plain JSON values."""
    flag = decided.proposal
    example, unit = flag.key
    return {
        "example": example,
        "unit": unit,
        "text": flag.unit.text,
        "label": flag.label.name,
        "decision": decided.state,
        "decisions": [
            {
                "by": each.by,
                "decision": each.state,
                "label": each.verdict.label.name if each.verdict.label else None,
                "note": each.verdict.note,
                "evidence": [span.text for span in each.verdict.evidence],
                "refusal": each.refusal,
            }
            for each in flag.decisions
        ],
    }


@dataclass(frozen=True, slots=True)
class Adjudication:
    """All flags of some files with what was decided about them."""

    decided: tuple[Decided, ...]
    agreement: AnnotatorAgreement | None

    @property
    def has_controls(self) -> bool:
        """True if labels that nobody flagged are among them; only a key says which these are."""
        lines = [each.proposal.line for each in self.decided]
        return any(one.author.name == CONTROLLED for line in lines for one in line.judgements)

    @property
    def counts(self) -> dict[str, int]:
        """The number of flags that are open, in conflict, or were decided in each way."""
        found = Counter(each.state for each in self.decided)
        return {state: found[state] for state in (OPEN, CONFLICT, *LABEL_DECISIONS)}

    @property
    def by_person(self) -> dict[str, dict[str, int]]:
        """The number of decisions of each person in each way."""
        found: dict[str, Counter[str]] = {}
        for each in self.decided:
            for decision in each.proposal.decisions:
                found.setdefault(decision.by, Counter())[decision.state] += 1
        return {
            name: {state: found[name][state] for state in LABEL_DECISIONS} for name in sorted(found)
        }

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
            "units": [decided_record(each) for each in self.decided],
        }


def adjudicate(flags: Sequence[Proposal], settling: Settling | None = None) -> Adjudication:
    """Each flag with the decision that counts: what all decided, or whom the settling prefers."""
    return Adjudication(settle(flags, settling), agreement_on(flags, _CODES))
