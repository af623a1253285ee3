"""`assay enrich`: errors that the gold of a data set does not have yet."""

from typing import Annotated

import typer

from assay.cli import llm_options as llm

enrich_app = typer.Typer(
    help="Errors missing from the gold: a model proposes them, people accept or reject them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Data = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the corpora are (or ASSAY_DATA).")
]
Target = Annotated[
    str, typer.Argument(metavar="DATA", help="A corpus, or a file of examples with gold.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@enrich_app.command()
def propose(
    target: Target,
    out: Annotated[str, typer.Option(metavar="FILE", help="Write the tasks there (.jsonl).")] = "",
    model: Annotated[
        str,
        typer.Option(metavar="MODEL", help="The model that proposes.", show_default=False),
    ] = "",
    detector: Annotated[
        str, typer.Option(help="How it is asked; another localizer proposes less.")
    ] = "localize-recall",
    run: Annotated[
        str,
        typer.Option(metavar="NAME", help="Take what this run found; nothing is asked."),
    ] = "",
    name: Annotated[
        str, typer.Option(help="What the run is called; made from data, detector and model.")
    ] = "",
    matcher: Annotated[
        str, typer.Option(help="Who says what is in the gold already: offline, or llm.")
    ] = "offline",
    matcher_model: Annotated[
        str, typer.Option(metavar="MODEL", help="Another model for --matcher llm.")
    ] = "",
    sample: Annotated[
        int | None, typer.Option(metavar="K", help="Only K examples, chosen by --seed.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Which examples are in the sample.")] = 0,
    split: Annotated[str, typer.Option(help="Only this split of the corpus.")] = "",
    data: Data = None,
    runs: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where runs are kept (or ASSAY_RUNS); ./assay-runs."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: AsJson = False,
    base_url: llm.BaseUrl = "",
    concurrency: llm.Concurrency = None,
    budget_usd: llm.BudgetUsd = None,
    cache: llm.Cache = "",
) -> None:
    """Ask a model for everything that may be wrong, and list what the gold does not have.

    The answers are kept in a run: the same command goes on where it was stopped.
    """
    from assay.cli.enrich_run import Pass, run_propose
    from assay.cli.localize_run import Corpora, Models
    from assay.llm.options import Options

    options = Options(
        base_url=base_url, concurrency=concurrency, budget_usd=budget_usd, cache=cache
    )
    models = Models(matcher, model, matcher_model, options, runs)
    corpora = Corpora((target,), data, split, sample, seed)
    raise typer.Exit(
        run_propose(Pass(detector, run, name, quiet), corpora, models, out, as_json=json)
    )


@enrich_app.command()
def apply(
    tasks: Annotated[
        str, typer.Argument(metavar="TASKS", help="The tasks, filled in by people (.jsonl).")
    ],
    target: Target,
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the data with more gold there (.jsonl).")
    ] = "",
    drop_unsure: Annotated[
        bool,
        typer.Option("--drop-unsure", help="Leave out examples with a task that is unsure."),
    ] = False,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Take the accepted tasks into the gold, with who proposed and who accepted them."""
    from assay.cli.enrich_run import run_apply
    from assay.cli.localize_run import Corpora

    run_apply(tasks, Corpora((target,), data, "", None, 0), out, drop_unsure, as_json=json)
