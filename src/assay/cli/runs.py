"""`assay run` and `assay runs`: a detector over a data set, journaled so that nothing is lost."""

import shlex
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from assay.app.judging import RUNS
from assay.app.runs import (
    RunLine,
    RunOutcome,
    RunRequest,
    RunSummary,
    estimate_run,
    export_run,
    has_gold,
    list_runs,
    remove_run,
    run_contents,
    show_run,
)
from assay.app.runs import run as run_detector
from assay.cli.commands import CommandGroup, watching
from assay.cli.errors import ENDINGS, advise, exit_code, say
from assay.cli.options import AsJson, Priced, RowsPerPart, Runs, Shown
from assay.cli.output import json_output, make_console, print_json
from assay.cli.problems import tell_unread
from assay.core.errors import InputError
from assay.core.options import Argument, Option
from assay.core.taxonomies import taxonomy
from assay.report.tables import COUNT, WORDS, Column, Table, facts_view, table_view
from assay.report.terminal import closing_line, run_facts
from assay.report.words import money, printable

if TYPE_CHECKING:
    from rich.console import RenderableType


def run(
    request: RunRequest,
    shown: Priced,
    resume: Annotated[bool, Option("Go on with a run that was not finished.")] = False,
    retry_failures: Annotated[bool, Option("Go on, and ask again for what failed.")] = False,
    runs: Annotated[str | None, RUNS] = None,
) -> int:
    """Judge a data set, keeping each judgement on disk as soon as it is made.

    Exit code: 0 all judged, 2 bad usage, rows that cannot be read (the others are judged), a
    service that cannot be used or a budget used up, 3 verdicts missing, 130 interrupted, 143 asked
    to end by SIGTERM. What was judged is kept.
    """
    if shown.dry_run:
        if resume or retry_failures:
            raise InputError("--dry-run is for a run from its beginning: leave out --resume")
        return shown.estimated({request.detector.name: estimate_run(request)})
    outcome = run_detector(
        request, watching(quiet=shown.quiet), runs=runs, resume=resume, retry=retry_failures
    )
    summary = outcome.summary
    shown.show(summary.to_dict, lambda: _view(summary, runs, request.data.folder))
    tell_unread(summary.unread)
    advise(summary.totals)
    return _close(outcome)


def _view(summary: RunSummary, runs: str | None, corpora: str | None) -> "Iterator[RenderableType]":
    from rich.text import Text

    from assay.core.taxonomies import taxonomy
    from assay.report.terminal import closing_line, rows_not_read, state_in_words, usage_facts
    from assay.report.words import counts

    yield closing_line(summary.totals, taxonomy(summary.manifest.taxonomy))
    unread = summary.unread.count
    facts = [
        ("not read", rows_not_read(unread) if unread else ""),
        ("failures", counts(summary.totals.failures)),
        *usage_facts(summary.usage),
        ("note", "\n".join(summary.adaptations)),
        ("run", f"{summary.name} {state_in_words(summary.state)}"),
        ("next", "\n".join(_next_commands(summary, runs, corpora))),
    ]
    for name, fact in facts:
        if fact:
            told = f"\n{'':9}".join(fact.split("\n"))
            yield Text(f"{name:9}", style="bold").append(told, "not bold")


def _next_commands(summary: RunSummary, runs: str | None, corpora: str | None) -> list[str]:
    # An address may hold a password, and is not shown.
    place = "URL" if runs and "://" in runs else shlex.quote(runs or "")
    folder = f" --runs {place}" if runs else ""
    name, data = summary.name, summary.manifest.dataset
    commands = [f"assay runs export {name}{folder} --out {name}.json"]
    if has_gold(data):
        where = f" --data {shlex.quote(corpora)}" if corpora else ""
        commands.append(f"assay evaluate run:{name}{folder} --dataset {shlex.quote(data)}{where}")
    if summary.state != "complete":
        commands.append("the same command with --resume goes on")
    if summary.totals.failures:
        commands.append("the same command with --retry-failures asks again for what failed")
    return commands


def _close(outcome: RunOutcome) -> int:
    summary, ending = outcome.summary, outcome.ending
    done = f"{summary.totals.examples:,} of {summary.manifest.chosen:,} examples are judged"
    if ending.interruption:
        say(f"{ending.state}: {done} and kept; go on with --resume")
    elif ending.state == "budget":
        say(f"{ending.detail}; raise the budget and go on with --resume ({done} and kept)")
    return ENDINGS[ending.state] or exit_code(
        unusable=bool(summary.unread.count), no_verdict=bool(summary.totals.failures)
    )


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
    out: Annotated[
        str | None,
        Option(
            "Write there, not to standard output; .parquet and .arrow are columns, DIR/ is a "
            "folder of parts.",
            "FILE|DIR/",
        ),
    ] = None,
    rows_per_part: RowsPerPart = None,
    runs: Runs = None,
) -> None:
    """Write the judgements as the JSON document that 'assay check --json' prints."""
    target = json_output() if out is None or out == "-" else out
    export_run(name, target, runs, rows_per_part=rows_per_part)


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
