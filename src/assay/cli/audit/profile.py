"""`assay audit profile`: the kinds of error in the revised labels of several data sets."""

from typing import Annotated

import typer

from assay.app.audit.adjudicate import Settling
from assay.app.audit.profile import ProfileRequest, profile_files
from assay.app.audit.verify import ENOUGH
from assay.cli import options as o
from assay.cli.audit.options import Agree, Csv, Html, Majority, Markdown, Prefer, Unverified
from assay.cli.output import print_json, show, to_standard_output, write_text
from assay.core.files import refuse_as_output, require_writable
from assay.report.profile_views import (
    csv_profiles,
    markdown_profiles,
    profile_view,
)


def profile(
    flags: Annotated[
        list[str],
        typer.Argument(
            metavar="FLAGS", help="A file of verified flags for each data set (.jsonl)."
        ),
    ],
    unverified: Unverified = False,
    agree: Agree = ENOUGH,
    prefer: Prefer = "",
    majority: Majority = False,
    csv: Csv = None,
    markdown: Markdown = None,
    html: Html = None,
    json: o.AsJson = False,
    quiet: o.Quiet = False,
) -> None:
    """Compare the kinds of error that the labels of several data sets had overlooked."""
    printed = to_standard_output(csv, markdown, html, json=json)
    for path in filter(None, (csv, markdown, html)):
        if path != "-":
            refuse_as_output(path, *flags)
            require_writable(path)
    request = ProfileRequest(tuple(flags), agree, unverified, Settling(prefer, majority))
    found = profile_files(request)
    write_text(csv, csv_profiles(found))
    write_text(markdown, markdown_profiles(found))
    if html:
        from assay.report.profile_page import profile_html

        write_text(html, profile_html(found))
    if json:
        print_json({"profiles": [each.to_dict() for each in found]})
    elif not (printed or quiet):
        show(profile_view(found))
