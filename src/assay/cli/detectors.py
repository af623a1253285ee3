"""`assay detectors`: what can judge, and what is known about each."""

from typing import Annotated

import typer

from assay.app.detectors import detector_facts, list_detectors
from assay.cli import options as o
from assay.cli.errors import Command
from assay.cli.help import command_group
from assay.cli.output import make_console, print_json
from assay.report.tables import facts_view, table_view

app = command_group("Detectors: list them, and show what there is to know about one.")


@app.command("list", cls=Command)
def list_(json: o.AsJson = False) -> None:
    """List every detector: what it judges, its labels, and what it is."""
    headers = ("detector", "judges", "labels", "what it is")
    rows = [(each.name, each.judges, each.labels, each.summary) for each in list_detectors()]
    if json:
        print_json([dict(zip(headers, row, strict=True)) for row in rows])
        return
    title = f"{len(rows)} detectors; choose one with --detector"
    make_console().print(table_view(title, headers, rows, words=4))


@app.command(cls=Command)
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A detector; 'assay detectors list' names them.")
    ],
    json: o.AsJson = False,
) -> None:
    """Show what there is to know about a detector."""
    facts = detector_facts(name)
    if json:
        print_json(dict(facts))
    else:
        make_console().print(facts_view(facts.items()))
