"""`assay run`: a detector over a whole data set, journaled so that nothing is lost."""

import shlex
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from assay import Columns, DataChoice, DetectorSpec, KnowledgeChoice, LocalOptions, Options
from assay.app.run import RunOutcome, RunRequest, RunSummary, estimate_run, has_gold
from assay.app.run import run as run_detector
from assay.cli import options as o
from assay.cli.errors import ENDINGS, advise, exit_code, say
from assay.cli.output import make_console, print_json, show_estimates
from assay.cli.problems import tell_unread
from assay.cli.progress import watch
from assay.core.errors import InputError
from assay.core.taxonomies import taxonomy
from assay.report.run_view import rows_not_read, state_in_words, usage_facts
from assay.report.tables import counts
from assay.report.terminal import closing_line


def _data(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=o.DATA_PANEL, **more)


@o.asks_model
@o.runs_here
@o.consults
@o.reads_fields
def run(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A corpus ('assay data list' names them) or a file of examples."
        ),
    ],
    detector: o.Detector = "embedded",
    model: o.Model = None,
    dry_run: o.DryRun = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was not finished.")
    ] = False,
    retry_failures: Annotated[
        bool, typer.Option("--retry-failures", help="Go on, and ask again for what failed.")
    ] = False,
    name: Annotated[
        str, typer.Option(help="Name of the run; by default made from data, detector and model.")
    ] = "",
    runs: o.Runs = None,
    quiet: o.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print the totals as JSON.")] = False,
    sample: Annotated[
        int | None, _data(metavar="K", help="Judge only K examples, chosen by --seed.")
    ] = None,
    seed: Annotated[int | None, _data(metavar="S", help="Seed of the sample; default 0.")] = None,
    split: Annotated[str, _data(help="Use only this split of the corpus.")] = "",
    task: Annotated[
        str, _data(help="Use only examples of this task; 'assay data stats' lists the tasks.")
    ] = "",
    data: Annotated[
        str | None, _data(metavar="DIR", help="Folder of the corpora (or ASSAY_DATA).")
    ] = None,
    language: Annotated[
        str | None, _data(help="Language of the texts, as in 'de'; told from the text if left out.")
    ] = None,
    peers: o.Peers = "",
    votes: o.Votes = 1,
    *,
    options: Options,
    local: LocalOptions,
    outside: KnowledgeChoice,
    columns: Columns,
) -> None:
    """Judge a data set, keeping each judgement on disk as soon as it is made.

    Exit code: 0 all judged, 2 bad usage, rows that cannot be read (the others are judged), a
    service that cannot be used or a budget used up, 3 verdicts missing, 130 interrupted, 143 asked
    to end by SIGTERM. What was judged is kept.
    """
    request = RunRequest(
        DataChoice(dataset, data, columns, language, split, sample, seed, task=task),
        DetectorSpec(detector, tuple(model or ()), votes, options, local),
        peers,
        outside,
        name,
    )
    if dry_run:
        if resume or retry_failures:
            raise InputError("--dry-run is for a run from its beginning: leave out --resume")
        show_estimates({detector: estimate_run(request)}, as_json=json)
        return
    outcome = run_detector(
        request, watch(quiet=quiet), runs=runs, resume=resume, retry=retry_failures
    )
    if json:
        print_json(outcome.summary.to_dict())
    elif not quiet:
        _show(make_console(), outcome.summary, runs, data)
    tell_unread(outcome.summary.unread)
    advise(outcome.summary.totals)
    raise typer.Exit(_close(outcome))


def _show(console: Console, summary: RunSummary, runs: str | None, corpora: str | None) -> None:
    console.print(closing_line(summary.totals, taxonomy(summary.manifest.taxonomy)), soft_wrap=True)
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
            line = Text(f"{name:9}", style="bold").append(
                f"\n{'':9}".join(fact.split("\n")), "not bold"
            )
            console.print(line, soft_wrap=True)


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
