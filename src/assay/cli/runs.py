"""`assay runs`: what was run, how far it is, and what came out."""

import sys
from dataclasses import asdict
from typing import Annotated, Any

from assay.app.runs import RunLine, export_run, list_runs, remove_run, run_contents, show_run
from assay.cli.commands import CommandGroup
from assay.cli.errors import say
from assay.cli.options import AsJson, Runs, Shown
from assay.cli.output import json_output, make_console, print_json
from assay.core.errors import InputError
from assay.core.options import Argument, Option
from assay.core.taxonomies import taxonomy
from assay.report.run_view import run_facts
from assay.report.tables import COUNT, WORDS, Column, Table, facts_view, table_view
from assay.report.terminal import closing_line
from assay.report.words import money, printable

Name = Annotated[str, Argument("A run; 'assay runs list' names them.", "NAME")]


def list_(runs: Runs = None, json: AsJson = False) -> None:
    """List every run: how far it is, what it cost, which detector judged what."""
    place, lines = list_runs(runs)
    title = f"{len(lines)} {'run' if len(lines) == 1 else 'runs'} at {place}"
    Shown(json).show(
        lambda: [_record(line) for line in lines],
        lambda: [table_view(Table(title, "", _COLUMNS, lines))],
    )


def show(name: Name, runs: Runs = None, json: AsJson = False) -> None:
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


def export(
    name: Name,
    out: Annotated[str | None, Option("Write there, not to standard output.", "FILE")] = None,
    runs: Runs = None,
) -> None:
    """Write the judgements as the JSON document that 'assay check --json' prints."""
    export_run(name, json_output() if out is None or out == "-" else out, runs)


def delete(
    name: Name,
    runs: Runs = None,
    yes: Annotated[bool, Option("Delete without asking.")] = False,
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


def _done(line: RunLine) -> str:
    return "" if line.manifest is None else f"{line.done:,} of {line.manifest.chosen:,}"


def _cost(line: RunLine) -> str:
    if line.manifest is None or not line.manifest.model:
        return ""
    return "unknown" if line.cost is None else money(line.cost)


_COLUMNS: tuple[Column[RunLine], ...] = (
    Column("run", lambda line: line.name, WORDS),
    Column("state", lambda line: line.state if line.manifest else printable(line.problem), WORDS),
    Column("detector", lambda line: line.manifest.detector if line.manifest else "", WORDS),
    Column("model", lambda line: line.manifest.model if line.manifest else "", WORDS),
    Column("data", lambda line: line.manifest.dataset if line.manifest else "", WORDS),
    Column("done", _done),
    Column("failures", lambda line: line.failures if line.manifest else "", COUNT),
    Column("cost", _cost),
)


app = CommandGroup(
    "Runs: list them, show one, export its judgements, delete it.", list_, show, export, delete
)
