"""Decisions of people about flags, read from files and checked."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.app.targets import require_targets
from assay.audit.adjudication import Adjudication, adjudicate
from assay.audit.flag_files import FlagFiles, read_flags
from assay.audit.forms import with_evidence
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.results import count_of
from assay.decisions.forms import refuse_problems
from assay.decisions.proposals import REVISED, Settling

__all__ = ["Adjudicated", "Settling", "adjudicate_files", "open_flags", "settled"]


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
