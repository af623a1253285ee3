"""`assay audit apply`: a new version of the data with the verified revisions."""

from typing import Annotated

import typer

from assay import Columns, DataChoice
from assay.app.audit.adjudicate import Settling
from assay.app.audit.apply import ApplyRequest
from assay.app.audit.apply import apply as apply_revisions
from assay.app.audit.files import write_lines
from assay.app.audit.verify import ENOUGH
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.audit.options import (
    Agree,
    Csv,
    FlagFiles,
    Html,
    Majority,
    Markdown,
    Out,
    Prefer,
    ReadingName,
    Target,
    Unverified,
    asks_each,
    require_lines,
)
from assay.cli.errors import exit_code, say
from assay.cli.output import print_json, show, to_standard_output, write_text
from assay.core.files import refuse_as_output, require_writable
from assay.core.totals import count_of
from assay.report.audit_tables import csv_report, markdown_report
from assay.report.audit_view import report_view


@asks_each
@o.reads_labels
def apply(
    dataset: Target,
    flags: FlagFiles,
    out: Out = "",
    unverified: Unverified = False,
    agree: Agree = ENOUGH,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Rank this detector before and after; may be repeated. Default: all that the "
            "data carries.",
        ),
    ] = None,
    key: Annotated[
        str, typer.Option(metavar="FILE", help="The key of the control sample (.json), if any.")
    ] = "",
    by_model: o.ByModel = False,
    reading: ReadingName = "",
    prefer: Prefer = "",
    majority: Majority = False,
    csv: Csv = None,
    markdown: Markdown = None,
    html: Html = None,
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
        by_model,
        key,
    )
    report, after = apply_revisions(request)
    texts: list[tuple[str, str]] = []
    if csv:
        texts.append((csv, csv_report(report)))
    if markdown:
        texts.append((markdown, markdown_report(report)))
    if html:
        from assay.report.audit_page import audit_html

        texts.append((html, audit_html(report)))
    write_lines(out, after)
    for path, text in texts:
        write_text(path, text)
    if json:
        print_json({**report.to_dict(), "file": out})
    elif not quiet and not printed:
        show(report_view(report, out))
    if report.unverified:
        say(f"{count_of(report.unverified, 'revision')} applied although too few votes agree")
    if report.open:
        say(f"{count_of(report.open, 'flag')} still open: labels stay as they were")
    if report.waiting:
        say(f"{count_of(report.waiting, 'revision')} waiting for votes: labels stay as they were")
    raise typer.Exit(exit_code(no_verdict=not report.is_complete))
