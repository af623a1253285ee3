"""`assay mine`: the responses that detectors disagree about, grouped by source."""

from typing import Annotated

import typer

from assay import Columns, DataChoice
from assay.app import mine as use_case
from assay.app.judging import Asking
from assay.app.mine import AT_LEAST, HARD, MiningRule
from assay.cli import options as o
from assay.cli.errors import exit_code, say
from assay.cli.evaluate import Cut, cut_of
from assay.cli.output import busy, print_json, show, show_estimates
from assay.core.totals import count_of
from assay.report.mining_view import mining_view


@o.asks
@o.reads_labels
def mine(
    data_: Annotated[
        str, typer.Argument(metavar="DATA", help="A corpus ('assay data list') or a file.")
    ],
    detectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DETECTOR",
            help="Recorded detectors of the data, runs as run:NAME, files of judgements (.json), "
            "or detectors to run; by default all recorded ones.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option(metavar="FILE.jsonl", help="Write the chosen groups there as examples."),
    ] = "",
    hard: Annotated[
        float, typer.Option(metavar="BITS", help="A response is hard from this entropy on.")
    ] = HARD,
    at_least: Annotated[
        int, typer.Option(metavar="M", help="Choose groups with M hard responses or more.")
    ] = AT_LEAST,
    groups: Annotated[
        int | None, typer.Option(metavar="N", help="Keep only the first N of these groups.")
    ] = None,
    models: Annotated[
        str,
        typer.Option(
            metavar="NAME,...", help="Use only responses by these LLMs.", show_default=False
        ),
    ] = "",
    reading: Annotated[
        str,
        typer.Option(
            help="Which labels count as faithful: the name of a reading; others go by their "
            "coarse reading."
        ),
    ] = "",
    threshold: Cut = "",
    fold: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="How sentences and claims are folded into a response: worst, mean or any.",
        ),
    ] = "worst",
    compare: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="Say how many of this data's sources were chosen, and how many by chance.",
        ),
    ] = "",
    number: Annotated[int, typer.Option("--show", help="Number of groups to show.")] = 10,
    data: o.Data = None,
    split: o.Split = "",
    task: o.Task = "",
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    columns: Columns,
    asking: Asking,
) -> None:
    """Find the responses that detectors disagree about, and the sources with many of them.

    A response is scored by the entropy of the detectors' votes. A detector that asks a model is
    run as by 'assay run'; after a stop, the same command goes on.
    """
    request = use_case.MineRequest(
        DataChoice(data_, data, columns, split=split, task=task),
        asking,
        tuple(detectors or ()),
        tuple(filter(None, map(str.strip, models.split(",")))),
        reading,
        cut_of(threshold),
        fold,
        MiningRule(hard, at_least, groups),
        out,
        DataChoice(compare, data) if compare else None,
    )
    if dry_run:
        show_estimates(use_case.estimate(request), as_json=json)
        return
    with busy(f"reading {data_}"):
        found = use_case.mine(request)
    if json:
        print_json(found.to_dict())
    elif not quiet:
        show(mining_view(data_, found.mined, found.compared, found.finding, number))
    for each in found.mined.cautions():
        say(each)
    if found.out and not quiet:
        say(f"wrote {count_of(found.written, 'example')} to {found.out}")
    if found.nothing:
        say(f"{found.nothing}; nothing was written" if out else found.nothing)
    raise typer.Exit(exit_code(unusable=bool(found.nothing)))
