"""`assay audit flag`: gold labels that detectors disagree with."""

from typing import Annotated

import typer

from assay import Columns, DataChoice
from assay.app.audit.files import write_lines
from assay.app.audit.flag import FlagRequest, estimate_flags
from assay.app.audit.flag import flag as find_flags
from assay.app.audit.keys import require_key, write_key
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.audit.options import (
    Out,
    ReadingName,
    Target,
    Unit,
    asks_each,
    require_lines,
)
from assay.cli.errors import code_of_figures
from assay.cli.output import print_json, show, show_estimates
from assay.report.flagging_view import flagging_view


@asks_each
@o.reads_labels
def flag(
    dataset: Target,
    detectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DETECTOR",
            help="Whose verdicts are held against the gold: runs as run:NAME, files of judgements "
            "(.json), recorded detectors of the data, or detectors to run. A preset brings its "
            "own.",
            show_default=False,
        ),
    ] = None,
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
    pool: o.OwnPool = "",
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
    rationale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DETECTOR",
            help="Ask this detector about flagged units only and show its reasons; it flags "
            "nothing. May be repeated.",
        ),
    ] = None,
    control: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Put N labels that nobody flagged among the others, as a blind control sample.",
        ),
    ] = 0,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Draws the control sample; default 0.")
    ] = None,
    key: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Where it is written which labels are controls (.json); not for those who decide.",
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
        tuple(detectors or ()),
        rule,
        unit,
        reading,
        tuple(leave_out or ()),
        preset,
        tuple(rationale or ()),
        control,
        seed,
        pool,
    )
    if dry_run:
        show_estimates(estimate_flags(request), as_json=json)
        return
    require_lines(out, "the flags", dataset)
    require_key(key, control, dataset, out)
    found = find_flags(request)
    if found.key:
        write_key(key, found.key)
    write_lines(out, found.lines)
    if json:
        print_json({**found.to_dict(), "file": out})
    elif not quiet:
        show(flagging_view(found, out, number))
    raise typer.Exit(code_of_figures(found.is_complete))
