"""Votes on proposed revisions: enough agree, too few, or the evidence is missing.

A revision is verified if enough votes agree with it and the passages that it cites are in the
source word for word. The latter is looked at first, by the program; where it fails, nobody is
asked. A vote is a judgement by a detector in the example's line: its verdict has the label that the
voter holds to be right, its decision says whether it agrees, and with what: it has a digest of both
labels, the reason and the evidence. A call that fails is a failure.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal

from assay.audit.adjudication import decided_record
from assay.audit.notes import Involved
from assay.core.examples import Annotated
from assay.core.judgements import VOTER, is_voter
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.decisions.proposals import Decided
from assay.detectors.judges.judging import one_line
from assay.metrics import Estimate, proportion

AGREE, DISAGREE = "agree", "disagree"
ENOUGH = 2  # votes that must agree

Standing = Literal["verified", "rejected", "refused", "unverified"]

STANDINGS: tuple[Standing, ...] = ("verified", "rejected", "refused", "unverified")


@dataclass(frozen=True, slots=True)
class Vote:
    """One voter's verdict on a revision; a failure is no vote."""

    by: str
    outcome: Outcome

    @property
    def agrees(self) -> bool | None:
        """True if it agrees; None where there is no vote."""
        said = self.outcome.attributes.decision if isinstance(self.outcome, Verdict) else ""
        return {AGREE: True, DISAGREE: False}.get(said)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A proposed revision with the votes on it, of which `enough` must agree."""

    decided: Decided
    votes: tuple[Vote, ...]
    enough: int = ENOUGH

    @property
    def key(self) -> tuple[str, str]:
        """The ids of example and unit."""
        return self.decided.proposal.key

    @property
    def agreeing(self) -> int:
        """The number of votes that agree."""
        return sum(each.agrees is True for each in self.votes)

    @property
    def standing(self) -> Standing:
        """The result: refused without evidence; unverified while votes are missing."""
        if self.refusal:
            return "refused"
        if self.agreeing >= self.enough:
            return "verified"
        missing = sum(each.agrees is None for each in self.votes)
        is_lost = self.agreeing + missing < self.enough
        return "rejected" if is_lost and len(self.votes) >= self.enough else "unverified"

    @property
    def refusal(self) -> str:
        """The reason not to ask anybody; empty where the evidence is in the source."""
        return self.decided.decision.refusal if self.decided.decision else ""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            **decided_record(self.decided),
            "standing": self.standing,
            "refusal": self.refusal,
            "votes": [
                {
                    "by": each.by,
                    "vote": {True: AGREE, False: DISAGREE, None: None}[each.agrees],
                    "failure": each.outcome.reason if isinstance(each.outcome, Failure) else None,
                    "note": each.outcome.note,
                }
                for each in self.votes
            ],
        }


@dataclass(frozen=True, slots=True)
class Verification:
    """All proposed revisions with their results, and the lines with the votes."""

    ruled: tuple[Ruled, ...]
    lines: tuple[Annotated, ...]
    involved: tuple[Involved, ...] = ()  # voters who flagged themselves

    @property
    def counts(self) -> dict[str, int]:
        """The number of revisions that are verified, rejected, refused, or wait for votes."""
        found = Counter(each.standing for each in self.ruled)
        return {standing: found[standing] for standing in STANDINGS}

    @property
    def failures(self) -> Counter[str]:
        """The votes that are missing, by reason."""
        return Counter(
            vote.outcome.reason
            for each in self.ruled
            for vote in each.votes
            if isinstance(vote.outcome, Failure)
        )

    @property
    def share(self) -> Estimate:
        """The verified ones as a share of all proposed revisions."""
        return proportion(self.counts["verified"], len(self.ruled))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the lines as plain JSON values."""
        return {
            "revisions": len(self.ruled),
            "standings": self.counts,
            "share": asdict(self.share),
            "failures": dict(self.failures),
            "voters_that_flagged": [asdict(each) for each in self.involved],
            "verified_only_by_them": rests_on(self.ruled, self.involved),
            "units": [each.to_dict() for each in self.ruled],
        }


def rule_on(decided: Iterable[Decided], enough: int = ENOUGH) -> tuple[Ruled, ...]:
    """Each proposed revision with the votes that its line has."""
    return tuple(Ruled(each, tuple(votes_on(each)), enough) for each in decided if each.is_revision)


def voters_of(ruled: Iterable[Ruled]) -> tuple[str, ...]:
    """The voters on some revisions, each once: models and detectors, by name."""
    return tuple(dict.fromkeys(_voter(vote) for each in ruled for vote in each.votes))


def rests_on(ruled: Iterable[Ruled], involved: Iterable[Involved]) -> int:
    """The number of revisions that are verified only with votes of those who flagged."""
    names = {each.voter for each in involved}
    return sum(
        each.standing == "verified"
        and sum(v.agrees is True and _voter(v) not in names for v in each.votes) < each.enough
        for each in ruled
    )


def _voter(vote: Vote) -> str:
    return vote.by.removeprefix(f"{VOTER} ")


def votes_on(decided: Decided) -> list[Vote]:
    """The votes on a revision in its line; one on another proposal says nothing of this one."""
    found = []
    unit, proposal = decided.proposal.unit.id, proposal_of(decided)
    for judgement in decided.proposal.line.recorded:
        said = judgement.finding(unit)
        if said is None or not is_voter(judgement.author):
            continue
        vote = Vote(judgement.author.name, said.outcome)
        about = said.verdict.attributes.proposal if said.verdict else proposal
        if vote.agrees is None or about == proposal:
            found.append(vote)
    return found


def proposal_of(decided: Decided) -> str:
    """A digest of what is voted on: both labels, the reason and what shows it."""
    verdict = decided.decision.verdict if decided.decision else None
    if verdict is None:
        return ""
    shown = [
        *(("source", one_line(span.text)) for span in verdict.evidence),
        *((each.address, one_line(each.quote)) for each in verdict.external),
        *((str(each.label), one_line(each.meaning)) for each in verdict.interpretations),
    ]
    said = [str(decided.proposal.label), str(verdict.label), one_line(verdict.note), shown]
    return sha256(json.dumps(said).encode()).hexdigest()[:16]
