"""The options of every command that may look things up, in the same words."""

from typing import Annotated

import typer

_PANEL = "Outside knowledge"

Knowledge = Annotated[
    str,
    typer.Option(
        metavar="SOURCE",
        help="Look up what the source does not support: a FILE.sqlite of 'assay knowledge index', "
        "wikipedia, wikipedia:LANGUAGE, mediawiki:ADDRESS, brave or tavily.",
        rich_help_panel=_PANEL,
    ),
]
Pages = Annotated[
    bool,
    typer.Option(
        "--pages", help="Read the pages that brave or tavily found.", rich_help_panel=_PANEL
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="FILE.sqlite", help="Keep what was found as snapshots.", rich_help_panel=_PANEL
    ),
]
Offline = Annotated[
    bool,
    typer.Option("--offline", help="Only play back what --keep has kept.", rich_help_panel=_PANEL),
]
AllowPrivate = Annotated[
    bool,
    typer.Option(
        "--allow-private", help="Ask servers on private networks too.", rich_help_panel=_PANEL
    ),
]
