"""Votes on the revisions that people propose: of models, and of detectors that have spoken."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Annotated as With

from assay.app.audit.adjudicate import settled
from assay.app.audit.detectors import AGREE, FLAGS, READING
from assay.app.judging import EACH_MODEL, Asking, Detectors, asks_model
from assay.app.questions import Asked, open_questions
from assay.app.targets import require_targets
from assay.audit.adjudication import Adjudication, adjudicate
from assay.audit.disagreement import Comparing
from assay.audit.forms import with_evidence
from assay.audit.notes import notes_on
from assay.audit.verification import ENOUGH, Verification, rule_on, voters_of
from assay.audit.votes import ask_votes, recorded_vote, with_votes
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import VOTER, Judgements, is_voter
from assay.core.options import Option, Takes
from assay.core.readings import reading as find_reading
from assay.core.system import bridge
from assay.datasets.selection import DataChoice
from assay.decisions.proposals import Proposal, Settling
from assay.engine.estimate import RunEstimate
from assay.engine.session import Tick
from assay.evaluation.references import recorded_detectors
from assay.llm.connection import connect_dry

__all__ = ["ENOUGH", "VerifyRequest", "estimate_votes", "verify"]


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Files with decisions, the models that vote, and recorded detectors whose word is a vote."""

    flags: With[tuple[str, ...], FLAGS]
    asking: With[Asking, Takes("peers", model=EACH_MODEL)] = field(default_factory=Asking)
    votes: With[
        tuple[str, ...],
        Option(
            "A voter that has spoken already: run:NAME, a FILE.json, or a detector that asks no "
            "model; may be repeated.",
            "REFERENCE",
            name="vote",
        ),
    ] = ()
    enough: With[int, AGREE] = ENOUGH
    settling: Settling = field(default_factory=Settling)
    reading: With[str, READING] = ""
    folder: str | None = None
    # Nothing that people decided may be lost there.
    out: With[str, Option("Write the lines there (.jsonl).", "FILE")] = ""

    def __post_init__(self) -> None:
        if self.enough < 1:
            raise InputError(f"agree must be 1 or more, not {self.enough}", field="agree")
        if self.reading:
            find_reading(self.reading)


def verify(
    request: VerifyRequest, counting: Callable[[], AbstractContextManager[Tick]]
) -> tuple[Verification, str]:
    """Votes on all proposed revisions, and what was asked for that, in words."""
    found, decided = settled(request.flags, request.settling)
    asking = request.asking
    models = asking.models
    lines = with_evidence(found.lines, found.flags)
    require_targets({"out": request.out}, *request.flags, carried=lines)
    recorded = _recorded(request, found.lines)
    voters = {
        each.author.name for line in found.lines for each in line.recorded if is_voter(each.author)
    }
    most = len(voters | {f"{VOTER} {name}" for name in (*models, *recorded)})
    if decided.decided and most < request.enough:
        raise InputError(
            f"{request.enough} votes have to agree, but there "
            + ("is 1 voter" if most == 1 else f"are {most} voters"),
            field="agree",
        )
    asked = [Asked("voter", models, asking.options)] if models else []
    comparing = Comparing(request.reading)
    votes = []
    for name, judgements in recorded.items():
        said = judgements.by_example()
        for each in decided.decided:
            if each.is_revision and each.decision and not each.decision.refusal:
                given = said.get(each.proposal.line.id, ())
                last = max(given, key=lambda one: one.round, default=None)
                votes.append(recorded_vote(each, last, name, comparing))
    name = "--".join(request.flags)
    with open_questions("verifying", name, asked, asking) as questions, counting() as tick:
        work = ask_votes(questions.clients("voter"), decided.decided, tick)
        votes += questions.answer(work)
        usage = questions.usage
    told = with_votes(lines, votes)
    again = _decided_on(found.flags, told, request.settling)
    ruled = rule_on(again.decided, request.enough)
    authors = {name: each.manifest.author.name for name, each in recorded.items()}
    involved = notes_on(found.lines).involved(voters_of(ruled), authors)
    return Verification(ruled, told, involved), usage


def estimate_votes(request: VerifyRequest) -> dict[str, RunEstimate]:
    """The cost of the votes of models; nothing is sent."""
    _, decided = settled(request.flags, request.settling)
    waiting = [each for each in decided.decided if each.is_revision]
    found = {}
    for model in request.asking.models:
        dry = connect_dry(model, request.asking.options)
        bridge.run(ask_votes([dry], decided.decided))
        found[f"votes of {model}"] = RunEstimate(len(waiting), {dry.model: dry.estimate})
    return found


def _recorded(request: VerifyRequest, lines: Sequence[Annotated]) -> dict[str, Judgements]:
    """The judgements of recorded voters on the flagged examples, by the names of the voters.

    A file votes under the name of its author: where it lies is nobody's business.
    """
    if not request.votes:
        return {}
    data = DataChoice(request.flags[0], request.folder)
    quiet = replace(request.asking, models=())
    judging = Detectors(data, lines, quiet)
    for name in request.votes:
        if asks_model(name) and name not in recorded_detectors(lines):
            raise InputError(f"{name} asks a model; run it first, and give the run", field="vote")
    found: dict[str, Judgements] = {}
    for reference in dict.fromkeys(request.votes):
        said = judging.judgements(reference)
        name = said.manifest.author.name if reference.endswith(".json") else reference
        if name in found:
            raise InputError(f"{reference} is by {name}, who has voted already", field="vote")
        found[name] = said
    return found


def _decided_on(
    flags: Sequence[Proposal], lines: Sequence[Annotated], settling: Settling
) -> Adjudication:
    """The same flags on lines that have more votes."""
    by_id = {line.id: line for line in lines}
    return adjudicate([replace(each, line=by_id[each.line.id]) for each in flags], settling)
