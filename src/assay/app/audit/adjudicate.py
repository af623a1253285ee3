"""What people decided about flags, and whether it is in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.app.audit.files import FlagFiles, read_flags, refuse_problems
from assay.audit.deciding import Adjudication, adjudicate
from assay.audit.forms import with_evidence
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.evaluation.errors.reconciling import Settling

__all__ = ["Adjudicated", "Settling", "adjudicate_files", "settled"]


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """What people decided, and the lines of all files, copies of the same ones joined."""

    adjudication: Adjudication
    lines: tuple[Annotated, ...]


def adjudicate_files(
    paths: Sequence[str], settling: Settling | None = None, more: Sequence[Annotated] = ()
) -> Adjudicated:
    """What people decided in some files; all that is wrong with these is raised together.

    `more` are lines that are open already, such as those of a studio.
    """
    found = read_flags(paths, more)
    refuse_problems(found.problems)
    lines = tuple(with_evidence(line, found.flags) for line in found.lines)
    return Adjudicated(adjudicate(found.flags, settling), lines)


def settled(flags: Sequence[str], settling: Settling) -> tuple[FlagFiles, Adjudication]:
    """What the files hold; a revision without evidence is refused later, all else raises."""
    found = read_flags(flags)
    refuse_problems([each for each in found.problems if not each.code])
    decided = adjudicate(found.flags, settling)
    if decided.conflicts:
        raise _conflict(decided)
    return found, decided


def _conflict(decided: Adjudication) -> InputError:
    first = decided.conflicts[0]
    said = ", ".join(
        f"{each.by} {each.state}"
        + (f" ({each.verdict.label})" if each.state == "incorrect" else "")
        for each in first.flag.decisions
    )
    example, unit = first.flag.key
    count = len(decided.conflicts)
    return InputError(
        f"people decided differently about {count:,} flag{'s' if count > 1 else ''}, the first is "
        f"unit {unit} of '{example}': {said}",
        code="conflicts",
    )
