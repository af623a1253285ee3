"""`assay batch`: who annotates what, in the studio or in a plain file."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from assay import Columns, DataChoice
from assay.app import batch as use_case
from assay.app.batch import SIZE, BatchRequest
from assay.cli import options as o
from assay.cli.errors import exit_code, say
from assay.cli.output import busy, print_json, show
from assay.cli.studio import AnnotationMode, Database, opened_studio
from assay.core.errors import InputError
from assay.core.totals import count_of
from assay.report.batch_view import given_view, plan_view


@o.reads_fields
def batch(
    data_: Annotated[
        str, typer.Argument(metavar="DATA", help="A corpus ('assay data list') or a file.")
    ],
    annotators: Annotated[
        str, typer.Option(metavar="NAME,...", help="The people who annotate.", show_default=False)
    ] = "",
    k: Annotated[int, typer.Option("--k", metavar="K", help="Annotators of each item.")] = 2,
    size: Annotated[
        int,
        typer.Option(metavar="N", help="Items of a batch; a source is never split between two."),
    ] = SIZE,
    seed: Annotated[
        int, typer.Option(metavar="S", help="Seed; the same one gives the same plan.")
    ] = 0,
    per_batch: Annotated[
        bool,
        typer.Option(
            "--per-batch", help="The same K annotators for all of a batch, not for each source."
        ),
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="Write the plan there, as .csv or .jsonl, for other tools."
        ),
    ] = "",
    key: Annotated[
        str,
        typer.Option(
            metavar="FILE.csv",
            help="Write which id of the plan is which example.",
        ),
    ] = "",
    show_models: Annotated[
        bool, typer.Option("--show-models", help="Name the LLM of each response in the plan.")
    ] = False,
    studio: Annotated[
        str,
        typer.Option(
            metavar="PROJECT",
            help="Give the items out in this project of the studio, which is made if there is "
            "none; the annotators need accounts ('assay studio account').",
        ),
    ] = "",
    mode: AnnotationMode = "sentences",
    database: Database = None,
    data: o.Data = None,
    split: o.Split = "",
    task: o.Task = "",
    json: o.AsJson = False,
    quiet: o.Quiet = False,
    *,
    columns: Columns,
) -> None:
    """Give responses to annotators in batches, each to several who do not see each other's work.

    All responses to a source are in the same batch and have the same annotators, and everybody
    gets about the same number. With --per-batch all of a batch has the same annotators.

    Exit code: 0 all given out, 2 for bad usage or items that the studio cannot take.
    """
    if not (out or key or studio):
        raise InputError("give --out FILE, --studio PROJECT, or both")
    names = tuple(filter(None, map(str.strip, annotators.split(","))))
    if not names:
        raise InputError("nobody annotates; name the people, as in ann,bo,cy", field="annotators")
    choice = DataChoice(data_, data, columns, split=split, task=task)
    request = BatchRequest(choice, names, k, size, seed, per_batch)
    document: dict[str, Any] = {}
    refused: tuple[str, ...] = ()
    if out or key:
        use_case.require_targets(request, out, key)
        with busy(f"reading {data_}"):
            made = use_case.plan(request)
            rows = use_case.write(made, out, key, models=show_models)
        document |= use_case.plan_document(made, rows, out)
        if not (json or quiet):
            show(plan_view(made))
        if not quiet:
            if out:
                say(f"wrote {count_of(rows, 'row')} to {out}")
            if not (show_models or key):
                say("ids are hidden; the same command with --key FILE.csv says which is which")
    if studio:
        with opened_studio(database, must_exist=True) as (opened, who), busy(f"giving out {data_}"):
            given = use_case.give_in_studio(opened, who, request, studio, mode)
        document |= {"studio": given.to_dict()}
        refused = given.refused
        if not (json or quiet):
            show(given_view(given.project, [asdict(each) for each in given.batches]))
        if not quiet:
            joined = f"; {', '.join(given.joined)} joined it" if given.joined else ""
            say(
                f"{count_of(given.new, 'new batch')} in the project '{given.project}': "
                f"{count_of(given.added, 'new item')}, {given.known:,} were there before{joined}"
            )
        for each in refused:
            say(each)
    if json:
        print_json(document)
    raise typer.Exit(exit_code(unusable=bool(refused)))
