"""`assay audit compare`: two versions of labels, and how detectors rank on each."""

from typing import Annotated

import typer

from assay import DataChoice
from assay.app.audit.compare import VersionsRequest, compare_versions
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.audit.options import (
    Csv,
    Markdown,
    ReadingName,
    Unit,
    asks_each,
)
from assay.cli.output import print_json, show, to_standard_output, write_text
from assay.core.files import refuse_as_output, require_writable
from assay.report.audit_tables import csv_versions, markdown_versions
from assay.report.audit_view import versions_view


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
    pool: o.OwnPool = "",
    reading: ReadingName = "",
    by_model: o.ByModel = False,
    csv: Csv = None,
    markdown: Markdown = None,
    data: o.Data = None,
    json: o.AsJson = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Compare two versions of labels: what changed, and how detectors rank on each."""
    request = VersionsRequest(
        DataChoice(old, data),
        DataChoice(new, data),
        asking,
        tuple(detectors or ()),
        unit,
        reading,
        by_model,
        pool,
    )
    printed = to_standard_output(csv, markdown, json=json)
    for path in filter(None, (csv, markdown)):
        if path != "-":
            refuse_as_output(path, old, new)
            require_writable(path)
    found = compare_versions(request)
    write_text(csv, csv_versions(found))
    write_text(markdown, markdown_versions(found))
    if json:
        print_json(found.to_dict())
    elif not quiet and not printed:
        show(versions_view(found))
