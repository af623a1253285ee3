"""`assay audit`: gold labels that detectors disagree with, decided, verified and revised."""

from dataclasses import asdict
from typing import Annotated

import typer

from assay import Columns, DataChoice
from assay.app.audit import (
    ENOUGH,
    ApplyRequest,
    FlagRequest,
    Settling,
    VerifyRequest,
    adjudicate_files,
    estimate_flags,
    estimate_votes,
)
from assay.app.audit import apply as apply_revisions
from assay.app.audit import flag as find_flags
from assay.app.audit import verify as verify_revisions
from assay.app.audit_files import read_flags, refuse_problems, write_lines
from assay.app.audit_versions import VersionsRequest, compare_versions
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.audit_options import (
    Agree,
    FlagFiles,
    Majority,
    Out,
    Prefer,
    ReadingName,
    Target,
    Unit,
    asks_each,
    require_lines,
)
from assay.cli.errors import NO_VERDICT, Command, code_of_figures, exit_code, say
from assay.cli.help import command_group
from assay.cli.output import print_json, show, show_estimates, to_standard_output, write_text
from assay.cli.progress import counting
from assay.cli.studio import Database, opened_studio
from assay.core.files import refuse_as_output, require_writable
from assay.core.totals import count_of
from assay.report.audit_view import (
    adjudication_view,
    csv_report,
    flagging_view,
    markdown_report,
    report_view,
    verification_view,
    versions_view,
)

app = command_group(
    "Gold labels looked at again: detectors flag them, people decide, models verify, and a new "
    "version of the data has the revised ones."
)

STUDIO = "studio:"


@app.command(cls=Command)
@asks_each
@o.reads_labels
def flag(
    dataset: Target,
    detectors: Annotated[
        list[str],
        typer.Argument(
            metavar="DETECTOR",
            help="Whose verdicts are held against the gold: runs as run:NAME, files of judgements "
            "(.json), recorded detectors of the data, or detectors to run.",
        ),
    ],
    out: Out = "",
    rule: Annotated[
        str,
        typer.Option(
            metavar="any|majority|unanimous",
            help="How many of the detectors must disagree; default any.",
            show_default=False,
        ),
    ] = "",
    unit: Unit = "",
    reading: ReadingName = "",
    leave_out: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="A gold label that is not looked at; may be repeated."),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A named configuration: annotation-errors is VeriGray's detector of them.",
            show_default=False,
        ),
    ] = "",
    number: Annotated[
        int, typer.Option("--show", metavar="N", min=0, help="How many flags to print.")
    ] = 10,
    split: o.Split = "",
    task: o.Task = "",
    data: o.Data = None,
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    columns: Columns,
    asking: Asking,
) -> None:
    """Flag gold labels that detectors disagree with, the most severe first.

    Exit code: 0 all compared, 2 bad usage or input, 3 some units have no verdict of a detector.
    """
    request = FlagRequest(
        DataChoice(dataset, data, columns, split=split, task=task),
        asking,
        tuple(detectors),
        rule,
        unit,
        reading,
        tuple(leave_out or ()),
        preset,
    )
    if dry_run:
        show_estimates(estimate_flags(request), as_json=json)
        return
    require_lines(out, "the flags", dataset)
    found = find_flags(request)
    write_lines(out, found.lines)
    if json:
        print_json({**found.to_dict(), "file": out})
    elif not quiet:
        show(flagging_view(found, out, number))
    raise typer.Exit(code_of_figures(found.is_complete))


@app.command(cls=Command)
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
        require_lines(out, "the decisions", *flags)
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
    found = adjudicate_files(files, Settling(prefer, majority), lines)
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
            "files, or with --prefer NAME or --majority"
        )
    raise typer.Exit(exit_code(no_verdict=bool(decided.conflicts)))


@app.command(cls=Command)
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

    Exit code: 0 all voted, 2 bad usage or input, 3 votes are missing.
    """
    request = VerifyRequest(
        tuple(flags), asking, tuple(vote or ()), agree, Settling(prefer, majority), reading
    )
    if dry_run:
        show_estimates(estimate_votes(request), as_json=json)
        return
    require_lines(out, "the votes", *flags)
    found, usage = verify_revisions(request, lambda: counting("verifying", shown=not quiet))
    write_lines(out, found.lines)
    if usage and not quiet:
        say(usage)
    if json:
        print_json({**found.to_dict(), "file": out})
    elif not quiet:
        show(verification_view(found, out))
    if found.failures:
        say(f"{count_of(found.failures.total(), 'vote')} missing; the same command asks again")
    raise typer.Exit(NO_VERDICT if found.failures else 0)


@app.command(cls=Command)
@asks_each
@o.reads_labels
def apply(
    dataset: Target,
    flags: FlagFiles,
    out: Out = "",
    unverified: Annotated[
        bool,
        typer.Option(
            "--unverified", help="Also apply revisions that too few votes, or none, agree with."
        ),
    ] = False,
    agree: Agree = ENOUGH,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Rank this detector before and after; may be repeated. Default: all that the "
            "data carries.",
        ),
    ] = None,
    reading: ReadingName = "",
    prefer: Prefer = "",
    majority: Majority = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write CSV; - prints it instead.")
    ] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write Markdown; - prints it instead.")
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write a page; - prints it instead.")
    ] = None,
    split: o.Split = "",
    task: o.Task = "",
    data: o.Data = None,
    json: o.AsJson = False,
    quiet: o.Quiet = False,
    *,
    columns: Columns,
    asking: Asking,
) -> None:
    """Write a new version of the data with the verified revisions, and say what came of it.

    Exit code: 0 written, 2 bad usage or input, 3 written, but flags are open or votes missing.
    """
    require_lines(out, "the data", dataset, *flags)
    printed = to_standard_output(csv, markdown, html, json=json)
    for path in filter(None, (csv, markdown, html)):
        if path != "-":
            refuse_as_output(path, dataset, *flags, out)
            require_writable(path)
    request = ApplyRequest(
        DataChoice(dataset, data, columns, split=split, task=task),
        tuple(flags),
        asking,
        tuple(detector or ()),
        reading,
        agree,
        unverified,
        Settling(prefer, majority),
    )
    report, after = apply_revisions(request)
    write_lines(out, after)
    if csv:
        write_text(csv, csv_report(report))
    if markdown:
        write_text(markdown, markdown_report(report))
    if html:
        from assay.report.audit_page import audit_html

        write_text(html, audit_html(report))
    if json:
        print_json({**report.to_dict(), "file": out})
    elif not quiet and not printed:
        show(report_view(report, out))
    if not report.is_complete:
        say("some flags are open or wait for votes; their labels are as they were")
    raise typer.Exit(exit_code(no_verdict=not report.is_complete))


@app.command(cls=Command)
@asks_each
def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A corpus or file with gold.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The same with other labels, matched by ids.")
    ],
    detectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DETECTOR",
            help="Who is ranked on both; by default all that OLD carries.",
            show_default=False,
        ),
    ] = None,
    unit: Unit = "",
    reading: ReadingName = "",
    data: o.Data = None,
    json: o.AsJson = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Compare two versions of labels: what changed, and how detectors rank on each."""
    request = VersionsRequest(
        DataChoice(old, data), DataChoice(new, data), asking, tuple(detectors or ()), unit, reading
    )
    found = compare_versions(request)
    if json:
        print_json(found.to_dict())
    elif not quiet:
        show(versions_view(found))


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
