"""Votes on proposed revisions: models are asked, or what detectors said before is read as a vote.

A revision is verified if enough votes agree with it and the passages that it cites are in the
source word for word. The latter is looked at first, by the program; where it fails, nobody is
asked. A vote is a judgement by a detector in the example's line: its verdict has the label that the
voter holds to be right, and its decision says whether it agrees. A call that fails is a failure.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from assay import __version__
from assay.audit.comparing import Comparing
from assay.audit.deciding import Decided
from assay.audit.flagging import outcome_on
from assay.core.examples import Annotated
from assay.core.judgements import VOTER, Author, Judgement, is_voter, utc_now
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed, one_line
from assay.detectors.judges.options import load_prompt
from assay.evaluation.asking import Progress, ask_each, no_progress
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import object_of, one_of, read_json, text
from assay.metrics import Estimate, proportion

PROMPTS = Path(__file__).parent / "prompts"
AGREE, DISAGREE = "agree", "disagree"
ENOUGH = 2  # votes that must agree
Standing = Literal["verified", "rejected", "refused", "unverified"]
STANDINGS: tuple[Standing, ...] = ("verified", "rejected", "refused", "unverified")
_SCHEMA = object_of(reason=text(), vote=one_of((AGREE, DISAGREE)))
_EXAMPLE = json.dumps({"reason": "The source gives another order of the two.", "vote": AGREE})


@dataclass(frozen=True, slots=True)
class Vote:
    """What one voter says of a revision; a failure is no vote."""

    by: str
    outcome: Outcome

    @property
    def agrees(self) -> bool | None:
        """Whether it agrees; None where there is no vote."""
        said = self.outcome.attributes.decision if isinstance(self.outcome, Verdict) else ""
        return {AGREE: True, DISAGREE: False}.get(said)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A proposed revision with the votes on it, of which `enough` must agree."""

    decided: Decided
    votes: tuple[Vote, ...]
    enough: int = ENOUGH

    @property
    def agreeing(self) -> int:
        """How many votes agree."""
        return sum(each.agrees is True for each in self.votes)

    @property
    def standing(self) -> Standing:
        """What became of it: refused without evidence; unverified while votes are missing."""
        if self.refusal:
            return "refused"
        if self.agreeing >= self.enough:
            return "verified"
        missing = sum(each.agrees is None for each in self.votes)
        is_lost = self.agreeing + missing < self.enough
        return "rejected" if is_lost and len(self.votes) >= self.enough else "unverified"

    @property
    def refusal(self) -> str:
        """Why nobody was asked; empty where the evidence is in the source."""
        return self.decided.decision.refusal if self.decided.decision else ""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            **self.decided.to_dict(),
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
    """What became of all proposed revisions, and the lines with their votes."""

    ruled: tuple[Ruled, ...]
    lines: tuple[Annotated, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many revisions are verified, rejected, refused, or wait for votes."""
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
            "units": [each.to_dict() for each in self.ruled],
        }


def rule_on(decided: Iterable[Decided], enough: int = ENOUGH) -> tuple[Ruled, ...]:
    """Each proposed revision with the votes that its line has."""
    return tuple(Ruled(each, tuple(votes_on(each)), enough) for each in decided if each.is_revision)


def votes_on(decided: Decided) -> list[Vote]:
    """The votes on a revision in its line; one about another label says nothing of this one."""
    found = []
    unit = decided.flag.unit.id
    for judgement in decided.flag.line.recorded:
        said = judgement.finding(unit)
        if said is None or not is_voter(judgement.author):
            continue
        vote = Vote(judgement.author.name, said.outcome)
        expected = _label(decided) if vote.agrees else decided.flag.label
        if vote.agrees is None or said.label == expected:
            found.append(vote)
    return found


async def ask_votes(
    clients: Sequence[Client], decided: Sequence[Decided], progress: Progress = no_progress
) -> list[tuple[Decided, Author, Outcome]]:
    """What each model says of each revision; one that has voted, or is refused, is not asked."""
    waiting = [
        (each, client)
        for each in decided
        if each.is_revision and each.decision and not each.decision.refusal
        for client in clients
        if not _has_voted(each, voter(client))
    ]

    async def ask(pair: tuple[Decided, Client]) -> tuple[Decided, Author, Outcome]:
        each, client = pair
        return each, voter(client), await ask_one(client, each)

    workers = sum(client.concurrency for client in clients)
    return await ask_each(waiting, ask, max(1, workers), progress)


async def ask_one(client: Client, decided: Decided) -> Outcome:
    """The vote of one model on one revision, or why there is none."""
    flag, decision = decided.flag, decided.decision
    if decision is None or decision.verdict.label is None:
        raise TypeError("only a proposed revision is voted on")
    old, new = flag.label, decision.verdict.label
    passages = [f"- {one_line(span.text)}" for span in decision.verdict.evidence]
    nothing = "(none: the reviewer holds that the source has nothing on it)"
    texts = PromptTexts(
        flag.line.example,
        unit=flag.unit.text,
        reason=decision.verdict.note,
        evidence="\n".join(passages) or nothing,
    )
    reply = ReplyFormat(_read, _EXAMPLE, _SCHEMA)
    try:
        answer = await texts.ask(
            client, prompt(old.taxonomy), reply, label=old.name, revised=new.name
        )
    except CallError as error:
        return failed(flag.unit, error)
    reason, vote = answer.value
    return _vote(flag.unit.id, new if vote == AGREE else old, vote, reason)


def recorded_votes(
    decided: Sequence[Decided], said: Judgement | None, name: str, comparing: Comparing
) -> list[tuple[Decided, Author, Outcome]]:
    """What a detector said of some units of one example, read as votes on their revisions.

    It agrees if it says so, or if it disagrees with the gold label and not with the revised one;
    what cannot be compared, and a failure of the detector, is a failure.
    """
    author = Author(f"{VOTER} {name}", version=__version__)
    return [(each, author, _recorded_vote(each, said, comparing)) for each in decided]


def with_votes(
    lines: Iterable[Annotated], votes: Iterable[tuple[Decided, Author, Outcome]]
) -> tuple[Annotated, ...]:
    """The lines with some votes more; a voter's later judgement supersedes the one before."""
    by_line: dict[str, dict[Author, list[tuple[Decided, Outcome]]]] = {}
    for decided, author, outcome in votes:
        by_author = by_line.setdefault(decided.flag.line.id, {})
        by_author.setdefault(author, []).append((decided, outcome))
    return tuple(_with_votes(line, by_line.get(line.id, {})) for line in lines)


def voter(client: Client) -> Author:
    """A model that votes, with a digest of its prompt."""
    return Author(f"{VOTER} {client.model}", version=prompt_digest())


@cache
def prompt(menu: str) -> Prompt:
    """The prompt that asks for a vote, with the labels of a taxonomy."""
    needs = ("unit", "revised")
    return load_prompt(VOTER, needs=needs, labels=taxonomy(menu), folder=PROMPTS)


@cache
def prompt_digest() -> str:
    """A digest of the prompt, whatever labels it is about."""
    return load_prompt(VOTER, needs=(), folder=PROMPTS).digest


def _read(reply: str, fences: Fences) -> tuple[str, str]:
    value = read_json(reply, _SCHEMA, fences)
    reason = one_line(value["reason"])
    if not reason:
        raise UnreadableError("the reason is empty")
    return reason, value["vote"]


def _vote(unit: str, label: Label, vote: str, reason: str) -> Verdict:
    return Verdict(unit, label, note=reason, attributes=Attributes(decision=vote))


def _recorded_vote(decided: Decided, said: Judgement | None, comparing: Comparing) -> Outcome:
    flag, new = decided.flag, _label(decided)
    if said is None:
        return Failure(flag.unit.id, "missing", "it says nothing of the example")
    outcome = outcome_on(flag.unit, said)
    if isinstance(outcome, Failure):
        return replace(outcome, unit=flag.unit.id)
    if outcome.attributes.decision in (AGREE, DISAGREE):  # somebody recorded the vote itself
        agrees = outcome.attributes.decision == AGREE
        return replace(outcome, unit=flag.unit.id, label=new if agrees else flag.label)
    against = comparing.strength(flag.label, outcome), comparing.strength(new, outcome)
    if None in against or against == (0, 0):
        detail = "its verdict does not tell the gold label from the revised one"
        return Failure(flag.unit.id, "off_menu", detail)
    agrees = bool(against[0]) and not against[1]
    note = f"It says {outcome.label or outcome.coarse}. {outcome.note}".strip()
    return _vote(flag.unit.id, new if agrees else flag.label, AGREE if agrees else DISAGREE, note)


def _label(decided: Decided) -> Label:
    """The label that a revision proposes."""
    label = decided.decision.verdict.label if decided.decision else None
    return label or decided.flag.label


def _has_voted(decided: Decided, author: Author) -> bool:
    return any(e.by == author.name and e.agrees is not None for e in votes_on(decided))


def _with_votes(line: Annotated, votes: dict[Author, list[tuple[Decided, Outcome]]]) -> Annotated:
    for author, given in votes.items():
        earlier = [each for each in line.recorded if each.author.name == author.name]
        last = max(earlier, key=lambda each: each.round, default=None)
        new = {decided.flag.unit.id: (decided.flag.unit, outcome) for decided, outcome in given}
        old = {f.id: (f.unit, f.outcome) for f in last.findings if f.id not in new} if last else {}
        said = {**old, **new}
        vote = Judgement(
            line.id,
            author,
            tuple(unit for unit, _ in said.values()),
            tuple(outcome for _, outcome in said.values()),
            at=utc_now(),
            round=last.round + 1 if last else 1,
            supersedes=last.key if last else "",
        )
        line = line.with_judgements(vote)
    return line
