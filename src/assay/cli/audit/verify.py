"""`assay audit verify`: votes on the revisions that people propose."""

from typing import Annotated

import typer

from assay.app.audit.adjudicate import Settling
from assay.app.audit.files import write_lines
from assay.app.audit.verify import ENOUGH, VerifyRequest, estimate_votes
from assay.app.audit.verify import verify as verify_revisions
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.audit.options import (
    Agree,
    FlagFiles,
    Majority,
    Out,
    Prefer,
    ReadingName,
    asks_each,
    require_name,
)
from assay.cli.errors import exit_code, say
from assay.cli.output import print_json, show, show_estimates
from assay.cli.progress import counting
from assay.core.totals import count_of
from assay.report.audit_view import independence_note, verification_view

SHOWN = 10  # refusals that are told


@asks_each
def verify(
    flags: FlagFiles,
    out: Out = "",
    agree: Agree = ENOUGH,
    vote: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REFERENCE",
            help="A voter that has spoken already: run:NAME, a FILE.json, or a detector that asks "
            "no model; may be repeated.",
        ),
    ] = None,
    reading: ReadingName = "",
    prefer: Prefer = "",
    majority: Majority = False,
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Have models vote on each proposed revision whose evidence is in the source.

    What they answer is kept among the runs: after a stop, the same command goes on.

    Exit code: 0 all voted, 2 bad usage or input, 3 votes are missing, or a revision was refused.
    """
    request = VerifyRequest(
        tuple(flags), asking, tuple(vote or ()), agree, Settling(prefer, majority), reading, out=out
    )
    if dry_run:
        show_estimates(estimate_votes(request), as_json=json)
        return
    require_name(out, "the votes")
    found, usage = verify_revisions(request, lambda: counting("verifying", shown=not quiet))
    write_lines(out, found.lines)
    if usage and not quiet:
        say(usage)
    if json:
        print_json({**found.to_dict(), "file": out})
    elif not quiet:
        show(verification_view(found, out))
    refused = [each for each in found.ruled if each.refusal]
    if refused:
        say(f"{count_of(len(refused), 'revision')} refused before anybody was asked:")
        for each in refused[:SHOWN]:
            example, unit = each.decided.flag.key
            say(f"example '{example}', unit {unit}: {each.refusal}")
        if len(refused) > SHOWN:
            say(f"and {len(refused) - SHOWN:,} more; assay audit adjudicate names them all")
    if found.involved:
        say(independence_note(found))
    if found.failures:
        say(f"{count_of(found.failures.total(), 'vote')} missing; the same command asks again")
    raise typer.Exit(exit_code(no_verdict=bool(found.failures or refused)))
