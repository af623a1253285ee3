"""`assay collect`: responses of several models to the same sources."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay import Columns, DataChoice, Options
from assay.app.collect import (
    Collected,
    CollectRequest,
    GivenReplies,
    collect_responses,
)
from assay.app.collect import estimate as estimate_responses
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.errors import ENDINGS, FAILURE_HINTS, exit_code, say
from assay.cli.output import make_console, print_json
from assay.cli.progress import watch
from assay.core.totals import count_of
from assay.report.collect_view import collected_view, lacking_lines
from assay.report.run_view import estimate_facts
from assay.report.tables import facts_view

if TYPE_CHECKING:
    from assay.app.run import RunEstimate


@o.reads_sources
@o.asks_model
def collect(
    sources: Annotated[
        str,
        typer.Argument(
            metavar="SOURCES",
            help="A file of rows with a source, a folder of .txt, .md and .json documents, or a "
            "corpus, whose sources are taken.",
        ),
    ],
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the responses there (.jsonl).")
    ] = "",
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Model to ask, as in openai/gpt-4o; give any number of them.",
            show_default=False,
            rich_help_panel=o.MODEL_PANEL,
        ),
    ] = None,
    models: Annotated[
        str,
        typer.Option(
            metavar="FILE.toml",
            help="Models with settings of their own, a [[model]] table for each.",
            rich_help_panel=o.MODEL_PANEL,
        ),
    ] = "",
    replies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Responses of a model that were made elsewhere: rows with the id of the source "
            "and a response.",
            show_default=False,
            rich_help_panel=o.MODEL_PANEL,
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            help="What is asked for: summarize, answer or overview; by default what a source says "
            "of itself, or what fits it."
        ),
    ] = "",
    prompt: Annotated[
        str, typer.Option(metavar="FILE", help="Another prompt for the task than ours.")
    ] = "",
    sample: Annotated[
        int | None, typer.Option(metavar="K", help="Use only K sources, chosen by --seed.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the sample.")] = 0,
    split: o.Split = "",
    part: Annotated[
        str, typer.Option(metavar="TASK", help="Use only this task of a corpus, as in qa.")
    ] = "",
    data: o.Data = None,
    name: Annotated[
        str, typer.Option(help="Name of the journal; by default made from the sources.")
    ] = "",
    runs: o.Runs = None,
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    options: Options,
    columns: Columns,
) -> None:
    """Ask any number of models for responses to the same sources.

    Every reply is kept in a journal: the same command goes on where it was stopped, asks again for
    what failed, and with more models asks only these. What a model thought is kept apart from its
    response; refusals, empty replies and replies that were cut off are recorded as such.
    """
    seeded = None if sample is None else seed
    request = CollectRequest(
        DataChoice(sources, data, columns, split=split, sample=sample, seed=seeded, task=part),
        out,
        Asking(watch(quiet=quiet, bill=True), tuple(model or ()), options, runs),
        models,
        tuple(map(GivenReplies.parse, replies or ())),
        task,
        prompt,
        name,
    )
    if dry_run:
        _show_estimate(estimate_responses(request), as_json=json)
        return
    found = collect_responses(request)
    if json:
        print_json(found.to_dict())
    elif not quiet:
        make_console().print(collected_view(found), soft_wrap=True)
    raise typer.Exit(_close(found))


def _show_estimate(found: "dict[str, RunEstimate]", *, as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        print_json({name: asdict(each) for name, each in found.items()})
        return
    console = make_console()
    for name, each in found.items():
        facts = [("responses of", name), *estimate_facts(each)]
        console.print(facts_view(facts))
    if not found:
        console.print("nothing here asks a model")


def _close(found: Collected) -> int:
    """Says all that applies on standard error; the exit code."""
    for line in found.adaptations:
        say(line)
    for line in lacking_lines(found):
        say(line)
    cut_off = sum(each.truncated for each in found.models)
    if cut_off:
        say(f"{cut_off:,} {FAILURE_HINTS['truncated']}")
    there = f"{count_of(sum(each.responses for each in found.models), 'response')} in {found.file}"
    kept = there if found.file else "no response is there yet, and nothing was written"
    if found.state in ("interrupted", "terminated"):
        say(f"{found.state}: {kept}; the same command goes on")
    elif found.state == "budget":
        say(f"{found.detail}; raise the budget, and the same command goes on ({kept})")
    elif any(each.lacking and each.is_asked for each in found.models):
        say("the same command asks again for the responses that are lacking")
    return ENDINGS[found.state] or exit_code(
        unusable=bool(found.stopped), no_verdict=bool(found.lacking)
    )
