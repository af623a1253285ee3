"""The command line itself: its name, version and commands."""

from typing import Annotated

import typer

from assay import __version__
from assay.cli.check import check
from assay.cli.data import data_app
from assay.cli.detectors import detectors_app
from assay.cli.enrich import enrich_app
from assay.cli.evaluate import compare, evaluate
from assay.cli.explain_errors import explain_errors
from assay.cli.knowledge import knowledge_app
from assay.cli.localize import localize_app
from assay.cli.reproduce import reproduce
from assay.cli.run import run
from assay.cli.runs import runs_app

app = typer.Typer(
    name="assay",
    help="Tells whether a text is faithful to its source, sentence by sentence.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(check)
app.command()(run)
app.command()(evaluate)
app.command()(compare)
app.command()(reproduce)
app.command("explain-errors")(explain_errors)
app.add_typer(runs_app, name="runs")
app.add_typer(localize_app, name="localize")
app.add_typer(enrich_app, name="enrich")
app.add_typer(knowledge_app, name="knowledge")
app.add_typer(data_app, name="data")
app.add_typer(detectors_app, name="detectors")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _assay(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Tells whether a text is faithful to its source, sentence by sentence."""
