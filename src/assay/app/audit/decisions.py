"""Decisions of people about flags, and votes on the revisions that they propose."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Annotated as With

from assay.app.audit.detectors import AGREE, FLAGS, READING
from assay.app.judging import EACH_MODEL, Asking, Detectors, asks_model
from assay.app.questions import Asked, open_questions
from assay.app.targets import require_targets
from assay.audit.adjudication import Adjudication, adjudicate
from assay.audit.disagreement import Comparing
from assay.audit.flag_files import FlagFiles, read_flags
from assay.audit.forms import with_evidence
from assay.audit.notes import notes_on
from assay.audit.verification import ENOUGH, Verification, rule_on, voters_of
from assay.audit.votes import ask_votes, recorded_vote, with_votes
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import VOTER, Judgements, is_voter
from assay.core.options import Option, Takes
from assay.core.readings import reading as find_reading
from assay.core.results import count_of
from assay.core.system import bridge
from assay.datasets.selection import DataChoice
from assay.decisions.forms import refuse_problems
from assay.decisions.proposals import REVISED, Proposal, Settling
from assay.engine.estimate import RunEstimate
from assay.engine.session import Tick
from assay.evaluation.references import is_in_files, recorded_detectors
from assay.llm.connection import connect_dry

__all__ = ["Settling"]


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """The decisions, and the lines of all files, copies of the same ones joined."""

    adjudication: Adjudication
    lines: tuple[Annotated, ...]


def adjudicate_files(
    paths: Sequence[str],
    settling: Settling | None = None,
    more: Sequence[Annotated] = (),
    out: str = "",
) -> Adjudicated:
    """The decisions of people in some files; all that is wrong with these is raised together.

    `more` are lines that are open already, such as those of a studio. `out` is where the lines will
    go: it may not hold work of people that they do not have.
    """
    found = open_flags(paths, more)
    lines = with_evidence(found.lines, found.flags)
    require_targets({"out": out}, *paths, carried=lines)
    return Adjudicated(adjudicate(found.flags, settling), lines)


def open_flags(paths: Sequence[str], more: Sequence[Annotated] = ()) -> FlagFiles:
    """The flags of some files; all that is wrong with these is raised together."""
    found = read_flags(paths, more)
    refuse_problems(found.problems, code="bad-flags")
    return found


def settled(flags: Sequence[str], settling: Settling) -> tuple[FlagFiles, Adjudication]:
    """The flags and decisions of files; only a revision without evidence is refused later."""
    found = read_flags(flags)
    refuse_problems([each for each in found.problems if not each.code], code="bad-flags")
    decided = adjudicate(found.flags, settling)
    if decided.conflicts:
        raise _conflict(decided, settling)
    return found, decided


def _conflict(decided: Adjudication, settling: Settling) -> InputError:
    first = decided.conflicts[0]
    said = ", ".join(
        f"{each.by} {each.state}" + (f" ({each.verdict.label})" if each.state == REVISED else "")
        for each in first.proposal.decisions
    )
    example, unit = first.proposal.key
    unsettled = ""
    if settling.prefer:
        unsettled = f"; {settling.prefer} says nothing of it"
    elif settling.majority:
        unsettled = "; no decision has more than half of them"
    return InputError(
        f"people decided differently about {count_of(len(decided.conflicts), 'flag')}, the first "
        f"is unit {unit} of '{example}': {said}{unsettled}",
        code="tied-decisions" if settling.majority else "conflicts",
    )


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
        name = said.manifest.author.name if is_in_files(reference) else reference
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
