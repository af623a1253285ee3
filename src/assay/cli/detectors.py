"""`assay detectors`: what can judge, and what is known about each."""

from typing import Annotated

import typer

detectors_app = typer.Typer(
    help="The detectors: list them, and show what is known about one.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@detectors_app.command("list")
def list_(json: AsJson = False) -> None:
    """List every detector: what it judges, its labels, and what it is."""
    from assay.cli.detectors_run import run_list

    run_list(as_json=json)


@detectors_app.command()
def show(
    name: Annotated[str, typer.Argument(help="A detector; 'assay detectors list' names them.")],
    json: AsJson = False,
) -> None:
    """Show what is known about a detector."""
    from assay.cli.detectors_run import run_show

    run_show(name, as_json=json)
