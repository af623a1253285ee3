"""`assay audit adjudicate`: what people decided about flags, in files or in the studio."""

from dataclasses import asdict
from typing import Annotated

import typer

from assay.app.audit.adjudicate import Settling, adjudicate_files
from assay.app.audit.files import read_flags, refuse_problems, write_lines
from assay.cli import options as o
from assay.cli.audit.options import (
    Majority,
    Out,
    Prefer,
    require_name,
)
from assay.cli.errors import exit_code, say
from assay.cli.output import print_json, show
from assay.cli.studio import Database, opened_studio
from assay.core.totals import count_of
from assay.report.audit_view import (
    adjudication_view,
)

STUDIO = "studio:"


def adjudicate(
    flags: Annotated[
        list[str],
        typer.Argument(
            metavar="FLAGS",
            help="Files of flags, filled in by people (.jsonl), or studio:PROJECT.",
        ),
    ],
    studio: Annotated[
        str,
        typer.Option(
            metavar="PROJECT",
            help="Hand the flags over to this project of the studio, which is made if need be.",
        ),
    ] = "",
    out: Out = "",
    prefer: Prefer = "",
    majority: Majority = False,
    database: Database = None,
    json: o.AsJson = False,
    quiet: o.Quiet = False,
) -> None:
    """Check what people decided about flags, or have it decided in the studio.

    Everything that is wrong in a file is told with its line; nothing is changed there.

    Exit code: 0 all is in order, 2 for bad usage or anything wrong in a file, 3 conflicts.
    """
    if studio:
        _hand_over(flags, studio, database, json=json, quiet=quiet)
        return
    if out:
        require_name(out, "the decisions")
    projects = [each for each in flags if each.startswith(STUDIO)]
    files = [each for each in flags if not each.startswith(STUDIO)]
    if projects:
        with opened_studio(database, must_exist=True) as (opened, who):
            from assay.app.annotation.audit.handing import decided_lines

            lines = [
                line
                for each in projects
                for line in decided_lines(opened, who, each.removeprefix(STUDIO))
            ]
    else:
        lines = []
    found = adjudicate_files(files, Settling(prefer, majority), lines, out)
    if out:
        write_lines(out, found.lines)
    decided = found.adjudication
    if json:
        print_json({**decided.to_dict(), "file": out or None})
    elif not quiet:
        show(adjudication_view(decided))
    if decided.conflicts:
        say(
            f"{count_of(len(decided.conflicts), 'conflict')} between people; settle them in the "
            f"files, or with --prefer NAME{'' if majority else ' or --majority'}"
        )
    raise typer.Exit(exit_code(no_verdict=bool(decided.conflicts)))


def _hand_over(
    flags: list[str], project: str, database: str | None, *, json: bool, quiet: bool
) -> None:
    """Puts the flags of some files up for audit in the studio."""
    found = read_flags(flags)
    refuse_problems(found.problems)
    with opened_studio(database) as (opened, who):
        from assay.app.annotation.audit.handing import hand_over

        done = hand_over(opened, who, project, found.lines, found.flags)
    if json:
        print_json(asdict(done))
    elif not quiet:
        show(
            [
                f"{done.project}: {count_of(done.added, 'flag')} put up for audit, "
                f"{done.known:,} were there before; {count_of(done.items.added, 'item')} new"
            ]
        )
    for each in done.items.problems:
        say(f"{each.where}: {each.message}")
    raise typer.Exit(exit_code(unusable=done.refused > 0))
