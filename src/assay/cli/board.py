"""`assay board`: LLMs ranked by how often they hallucinate."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from assay import Columns, DataChoice
from assay.app import board as use_case
from assay.app.board import BoardRequest, BoardResult
from assay.app.judging import Asking
from assay.app.targets import require_targets
from assay.cli import options as o
from assay.cli.audit.options import asks_each
from assay.cli.errors import Command, say
from assay.cli.help import command_group
from assay.cli.output import (
    json_output,
    make_console,
    show_estimates,
    to_standard_output,
    write_text,
)
from assay.core.errors import InputError

app = command_group("Boards: rank LLMs by how often they hallucinate, and publish the ranking.")


@app.callback()
def _board() -> None:
    """Boards: rank LLMs by how often they hallucinate, and publish the ranking."""


@app.command(cls=Command)
@o.reads_labels
@asks_each
def build(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Responses of several LLMs: a corpus ('assay data list' names them) or a file.",
        ),
    ],
    judges: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="JUDGE",
            help="Who says what is hallucinated: gold (people), recorded detectors of the data, "
            "runs as run:NAME, files of judgements (.json), or detectors to run; by default gold "
            "where there is some, and all recorded detectors.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the board.")] = "",
    levels: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Only these levels, as in unwanted,benign; by default all that the labels allow.",
        ),
    ] = "",
    by_task: Annotated[
        bool, typer.Option("--by-task", help="Rank the LLMs in each task as well.")
    ] = False,
    common: Annotated[
        bool,
        typer.Option("--common", help="Use only sources that every LLM has a verdict on."),
    ] = False,
    invalid: Annotated[
        str,
        typer.Option(
            metavar="apart|unfaithful",
            help="What becomes of responses that a judge calls invalid: counted apart, or as "
            "hallucinated, which FaithJudge does.",
        ),
    ] = "apart",
    refusals: Annotated[
        str,
        typer.Option(
            metavar="apart|judged|unfaithful",
            help="What becomes of replies that decline or are empty: counted apart, as the judge "
            "says, or as hallucinated.",
        ),
    ] = "apart",
    duplicates: Annotated[
        str,
        typer.Option(
            metavar="refuse|first",
            help="What becomes of a second response of an LLM to a source: an error, or left out.",
        ),
    ] = "refuse",
    own: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JUDGE=LLM",
            help="The LLM that a judge asks, so that what it says of itself is marked; may be "
            "repeated.",
            show_default=False,
        ),
    ] = None,
    pool: o.Pool = "",
    peers: o.Peers = "",
    replicates: Annotated[
        int, typer.Option(metavar="N", help="How often sources are drawn for the intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of these draws.")] = 0,
    site: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Also write a site into this folder, to be published."),
    ] = None,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write CSV; - prints it instead.")
    ] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write Markdown; - prints it instead.")
    ] = None,
    json: o.AsJson = False,
    data: o.Data = None,
    split: o.Split = "",
    task: o.Task = "",
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    columns: Columns,
    asking: Asking,
) -> None:
    """Rank the LLMs that wrote the responses of a data set by how often they hallucinate.

    A judge that asks a model is run as by 'assay run'; after a stop, the same command goes on.
    """
    printed = to_standard_output(csv, markdown, json=json)
    require_targets({"csv": csv, "markdown": markdown}, dataset, *(judges or ()))
    if GOLD in (judges or ()) and not columns.label:
        columns = replace(columns, label="label")
    request = BoardRequest(
        DataChoice(dataset, data, columns, split=split, task=task),
        replace(asking, peers=peers),
        tuple(judges or ()),
        title=title,
        levels=tuple(filter(None, map(str.strip, levels.split(",")))),
        invalid=invalid,
        refusals=refusals,
        duplicates=duplicates,
        by_task=by_task,
        common=common,
        replicates=replicates,
        seed=seed,
        own=_own(own or ()),
        pool=pool,
    )
    if dry_run:
        show_estimates(use_case.estimate(request), as_json=json)
        return
    if site:
        use_case.require_site(site)
    result = use_case.build_board(request)
    _write(result, csv, markdown)
    if site:
        written = result.to_site(site)
        if not quiet:
            say(f"the site is in {site}: {written.rows:,} responses, {written.files:,} files")
    if json:
        json_output().write(result.to_json())
    elif not (printed or quiet):
        _show(result)


GOLD = "gold"


def _own(given: Sequence[str]) -> dict[str, str]:
    """The LLM of each judge, from words such as `run:a=openai/gpt-4o`."""
    found = {}
    for each in given:
        judge, sign, model = each.rpartition("=")
        if not (sign and judge.strip() and model.strip()):
            raise InputError(f"'{each}' is not of the form JUDGE=LLM", field="own")
        found[judge.strip()] = model.strip()
    return found


def _write(result: BoardResult, csv: str | None, markdown: str | None) -> None:
    if csv:
        write_text(csv, result.to_csv())
    if markdown:
        write_text(markdown, result.to_markdown())


def _show(result: BoardResult) -> None:
    from assay.report.board_views import board_view

    console = make_console()
    for part in board_view(result.board, console.width):
        console.print(part, soft_wrap=True)
