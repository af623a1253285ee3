"""`assay board`: LLMs ranked by how often they hallucinate."""

from typing import Annotated

from assay.app import board as use_case
from assay.app.board import BoardRequest
from assay.app.targets import require_targets
from assay.cli.commands import CommandGroup
from assay.cli.options import Priced, TableFiles
from assay.core.options import Option, Takes


def build(
    request: BoardRequest,
    tables: Annotated[TableFiles, Takes("html")],
    shown: Priced,
    site: Annotated[
        str | None, Option("Also write a site into this folder, to be published.", "DIR")
    ] = None,
) -> int:
    """Rank the LLMs that wrote the responses of a data set by how often they hallucinate.

    A judge that asks a model is run as by 'assay run'; after a stop, the same command goes on.
    """
    from assay.cli.output import console_width, json_output, show
    from assay.report.board.views import board_view

    tables.require(json=shown.json)
    files = {"csv": tables.csv, "markdown": tables.markdown}
    require_targets(files, request.data.target, *request.judges)
    if shown.dry_run:
        return shown.estimated(use_case.estimate(request))
    if site:
        use_case.require_site(site)
    result = use_case.build_board(request)
    tables.write(csv=result.to_csv, markdown=result.to_markdown)
    if site:
        written = result.to_site(site)
        shown.say(f"the site is in {site}: {written.rows:,} responses, {written.files:,} files")
    if shown.json:
        json_output().write(result.to_json())
    elif not (tables.is_printed or shown.quiet):
        show(board_view(result.board, console_width(120)))
    return 0


app = CommandGroup(
    "Boards: rank LLMs by how often they hallucinate, and publish the ranking.", build
)
