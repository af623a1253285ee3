"""`assay runs`: what was run, how far it is, and what came out."""

from typing import Annotated

import typer

runs_app = typer.Typer(
    help="The runs: list them, show one, export its outcomes, delete it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Name = Annotated[str, typer.Argument(help="A run; 'assay runs list' names them.")]
Folder = Annotated[
    str | None,
    typer.Option("--runs", metavar="DIR", help="Where runs are kept (or ASSAY_RUNS)."),
]


@runs_app.command("list")
def list_(runs: Folder = None, json: AsJson = False) -> None:
    """List every run: how far it is, what it cost, who judged what."""
    from assay.cli.runs_run import run_list

    run_list(runs, as_json=json)


@runs_app.command()
def show(name: Name, runs: Folder = None, json: AsJson = False) -> None:
    """Show all that is needed to repeat a run, and what has come out so far."""
    from assay.cli.runs_run import run_show

    run_show(name, runs, as_json=json)


@runs_app.command()
def export(
    name: Name,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write there, not to standard output.")
    ] = None,
    runs: Folder = None,
) -> None:
    """Write the outcomes as the JSON document that 'assay check --json' prints."""
    from assay.cli.runs_run import run_export

    run_export(name, runs, out)


@runs_app.command()
def delete(
    name: Name,
    runs: Folder = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run with its outcomes and replies."""
    from assay.cli.runs_run import run_delete

    raise typer.Exit(run_delete(name, runs, sure=yes))
