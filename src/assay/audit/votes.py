"""Votes on proposed revisions: models are asked, and what detectors said is read as a vote."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from assay import __version__
from assay.audit.disagreement import Comparing, outcome_on
from assay.audit.verification import AGREE, DISAGREE, proposal_of, votes_on
from assay.core.examples import Annotated
from assay.core.judgements import VOTER, Author, Judgement, utc_now
from assay.core.taxonomies import taxonomy
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.decisions.forms import judgement_of
from assay.decisions.proposals import Decided
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed, one_line
from assay.detectors.judges.options import load_prompt
from assay.detectors.judges.quoting import as_models_read
from assay.detectors.protocol import Progress, ask_each, no_progress
from assay.llm.client import CallError, ModelClient, Numbered, Reply, Request, Wrapper
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.schemas import object_of, one_of, read_json, text
from assay.llm.replies.texts import UnreadableError

CastVote = tuple[Decided, Author, Outcome]
PROMPTS = Path(__file__).parent / "prompts"
_SCHEMA = object_of(reason=text(), vote=one_of((AGREE, DISAGREE)))
_MOST_SESSIONS = 50  # whose unreadable replies are passed over
_EXAMPLE = json.dumps({"reason": "The source gives another order of the two.", "vote": AGREE})


async def ask_votes(
    clients: Sequence[ModelClient], decided: Sequence[Decided], progress: Progress = no_progress
) -> list[CastVote]:
    """The vote of each model on each revision, unless it has voted or the revision is refused."""
    waiting = [
        (each, client)
        for each in decided
        if each.is_revision and each.decision and not each.decision.refusal
        for client in clients
        if not _has_voted(each, voter(client))
    ]

    async def ask(pair: tuple[Decided, ModelClient]) -> CastVote:
        each, client = pair
        return each, voter(client), await _ask_anew(client, each)

    workers = sum(client.concurrency for client in clients)
    return await ask_each(waiting, ask, max(1, workers), progress)


async def _ask_anew(client: ModelClient, decided: Decided) -> Outcome:
    """A vote; where what was kept of an earlier session is none, the model is asked again."""
    for attempt in range(_MOST_SESSIONS):
        watched = _Watched(client)
        outcome = await ask_one(Numbered(watched, attempt=attempt), decided)
        if isinstance(outcome, Verdict) or watched.was_asked:
            break
    return outcome


class _Watched(Wrapper):
    """Notes whether the model was asked at all, or all replies had been kept."""

    was_asked = False

    async def ask(self, request: Request) -> Reply:
        """Asks the client inside."""
        try:
            reply = await self.client.ask(request)
        except CallError:
            self.was_asked = True
            raise
        self.was_asked = self.was_asked or not reply.cached
        return reply


async def ask_one(client: ModelClient, decided: Decided) -> Outcome:
    """The vote of one model on one revision, or why there is none."""
    flag, decision = decided.proposal, decided.decision
    if decision is None or decision.verdict.label is None:
        raise TypeError("only a proposed revision is voted on")
    old, new = flag.label, decision.verdict.label
    source = flag.line.example.source
    cited = (as_models_read(span, source) for span in decision.verdict.evidence)
    passages = [f"- {one_line(words)}" for words in cited]
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
    return _vote(decided, vote, reason)


def recorded_vote(
    decided: Decided, said: Judgement | None, name: str, comparing: Comparing
) -> CastVote:
    """A detector's verdict on a unit, read as a vote on its revision.

    It agrees if it says so, or if it disagrees with the gold label and not with the revised one;
    what cannot be compared, and a failure of the detector, is a failure.
    """
    author = Author(f"{VOTER} {name}", version=__version__)
    return decided, author, _recorded_outcome(decided, said, comparing)


def with_votes(lines: Iterable[Annotated], votes: Iterable[CastVote]) -> tuple[Annotated, ...]:
    """The lines with some votes more; what says nothing new is left out.

    A voter's later judgement supersedes the one before.
    """
    by_line: dict[str, dict[Author, list[tuple[Decided, Outcome]]]] = {}
    for decided, author, outcome in votes:
        by_author = by_line.setdefault(decided.proposal.line.id, {})
        by_author.setdefault(author, []).append((decided, outcome))
    return tuple(_with_votes(line, by_line.get(line.id, {})) for line in lines)


def voter(client: ModelClient) -> Author:
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


def _vote(decided: Decided, vote: str, reason: str) -> Verdict:
    """A vote, with the label that the voter holds to be right."""
    new = decided.decision.verdict.label if decided.decision else None
    label = new if vote == AGREE and new else decided.proposal.label
    attributes = Attributes(decision=vote, proposal=proposal_of(decided))
    return Verdict(decided.proposal.unit.id, label, note=reason, attributes=attributes)


def _recorded_outcome(decided: Decided, said: Judgement | None, comparing: Comparing) -> Outcome:
    flag = decided.proposal
    if said is None:
        return Failure(flag.unit.id, "missing", "it says nothing of the example")
    outcome = outcome_on(flag.unit, said)
    if isinstance(outcome, Failure):
        return replace(outcome, unit=flag.unit.id)
    vote = outcome.attributes.decision
    if vote in (AGREE, DISAGREE):  # somebody recorded the vote itself
        if outcome.attributes.proposal not in ("", proposal_of(decided)):
            return Failure(flag.unit.id, "missing", "it voted on another proposal")
        return replace(_vote(decided, vote, outcome.note), evidence=outcome.evidence)
    new = decided.decision.verdict.label if decided.decision else None
    against = (
        comparing.strength(flag.label, outcome),
        comparing.strength(new, outcome) if new else None,
    )
    if None in against or against == (0, 0):
        detail = "its verdict does not tell the gold label from the revised one"
        return Failure(flag.unit.id, "off_menu", detail)
    agrees = bool(against[0]) and not against[1]
    note = f"It says {outcome.label or outcome.coarse}. {outcome.note}".strip()
    return _vote(decided, AGREE if agrees else DISAGREE, note)


def _has_voted(decided: Decided, author: Author) -> bool:
    return any(e.by == author.name and e.agrees is not None for e in votes_on(decided))


def _with_votes(line: Annotated, votes: dict[Author, list[tuple[Decided, Outcome]]]) -> Annotated:
    for author, given in votes.items():
        earlier = [each for each in line.recorded if each.author.name == author.name]
        last = max(earlier, key=lambda each: each.round, default=None)
        known = {f.id: (f.unit, f.outcome) for f in last.findings} if last else {}
        units = [(decided.proposal.unit, outcome) for decided, outcome in given]
        new = {unit.id: (unit, outcome) for unit, outcome in units}
        new = {id: said for id, said in new.items() if known.get(id) != said}
        if not new:
            continue
        old = {id: said for id, said in known.items() if id not in new}
        vote = judgement_of(
            line.id,
            author,
            (*old.values(), *new.values()),
            at=utc_now(),
            round=last.round + 1 if last else 1,
            supersedes=last.key if last else "",
        )
        line = line.with_judgements(vote)
    return line
