"""`assay runs`: what was run, how far it is, and what came out."""

import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from assay.app.runs import RunLine, export_run, list_runs, remove_run, run_contents, show_run
from assay.cli import options as o
from assay.cli.errors import Command, say
from assay.cli.help import command_group
from assay.cli.output import json_output, make_console, print_json
from assay.core.errors import InputError
from assay.core.taxonomies import taxonomy
from assay.report.run_view import run_facts
from assay.report.tables import facts_view, money, printable, table_view
from assay.report.terminal import closing_line

app = command_group("Runs: list them, show one, export its judgements, delete it.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A run; 'assay runs list' names them.")]

_HEADERS = ("run", "state", "detector", "model", "data", "done", "failures", "cost")


@app.command("list", cls=Command)
def list_(runs: o.Runs = None, json: o.AsJson = False) -> None:
    """List every run: how far it is, what it cost, which detector judged what."""
    place, lines = list_runs(runs)
    if json:
        print_json([_record(line) for line in lines])
        return
    title = f"{len(lines)} {'run' if len(lines) == 1 else 'runs'} at {place}"
    make_console().print(table_view(title, _HEADERS, map(_cells, lines), words=5))


@app.command(cls=Command)
def show(name: Name, runs: o.Runs = None, json: o.AsJson = False) -> None:
    """Show all that is needed to repeat a run, and what has come out so far."""
    summary = show_run(name, runs)
    if json:
        print_json(summary.to_dict())
        return
    console = make_console()
    console.print(facts_view(run_facts(summary)))
    if summary.manifest.taxonomy:
        menu = taxonomy(summary.manifest.taxonomy)
        console.print(closing_line(summary.totals, menu), soft_wrap=True)


@app.command(cls=Command)
def export(
    name: Name,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write there, not to standard output.")
    ] = None,
    runs: o.Runs = None,
) -> None:
    """Write the judgements as the JSON document that 'assay check --json' prints."""
    export_run(name, json_output() if out is None or out == "-" else out, runs)


@app.command(cls=Command)
def delete(
    name: Name,
    runs: o.Runs = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Delete a run with its judgements and replies.

    Exit code: 0 deleted, or not wanted any more when asked; 2 if there is no such run.
    """
    found = run_contents(name, runs)
    count = found.judgements
    spent = f"{found.calls:,} calls" + (f", {money(found.cost)}" if found.cost is not None else "")
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"'{name}' has {count:,} judgements; to delete them, say --yes")
        if found.calls:
            say(f"spent on '{name}': {spent}")
        sys.stderr.write(printable(f"delete '{name}' with {count:,} judgements?") + " [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            say("nothing was deleted")
            return
    remove_run(name, runs)
    if found.calls:
        say(f"deleted '{name}' ({spent}); a new run of that name has a new budget")


def _record(line: RunLine) -> dict[str, Any]:
    if line.manifest is None:
        return {"run": line.name, "state": line.problem}
    record = asdict(line)
    manifest = record.pop("manifest")
    del record["problem"]
    return {
        "run": record.pop("name"),
        **record,
        "detector": manifest["detector"],
        "model": manifest["model"],
        "data": manifest["dataset"],
        "total": line.manifest.chosen,
    }


def _cells(line: RunLine) -> tuple[str, ...]:
    manifest = line.manifest
    if manifest is None:
        return (line.name, printable(line.problem), "", "", "", "", "", "")
    done = f"{line.done:,} of {manifest.chosen:,}"
    known = "unknown" if line.cost is None else money(line.cost)
    cost = known if manifest.model else ""
    about = (line.name, line.state, manifest.detector, manifest.model, manifest.dataset)
    return (*about, done, f"{line.failures:,}", cost)
