"""`assay explain-errors`: what a judge misses and what it invents, and why."""

from typing import Annotated

import typer

from assay.cli import llm_options as llm

_EXPERIMENTS = "Experiments"
_MODEL = "The model"


def explain_errors(
    judge: Annotated[
        str,
        typer.Argument(
            help="A run as run:NAME, a file of 'assay check --json', or a detector.",
        ),
    ],
    dataset: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="The corpus that it judged, with gold.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="The model that explains; without it, errors are listed for people.",
            rich_help_panel=_MODEL,
        ),
    ] = "",
    answers: Annotated[
        str, typer.Option(metavar="FILE", help="What people decided: lines of --out, filled in.")
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Write all errors there, a line each (.jsonl).")
    ] = "",
    p_true: Annotated[
        bool,
        typer.Option(
            "--p-true",
            help="Ask whether the judge's model itself believes what it let pass.",
            rich_help_panel=_EXPERIMENTS,
        ),
    ] = False,
    repeat: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="For --p-true: answers in each order of the options.",
            rich_help_panel=_EXPERIMENTS,
        ),
    ] = 10,
    counterfactual: Annotated[
        bool,
        typer.Option(
            "--counterfactual",
            help="Replace true additions by false ones, and ask the judge again.",
            rich_help_panel=_EXPERIMENTS,
        ),
    ] = False,
    matcher: Annotated[
        str, typer.Option(help="Who matches predicted with gold errors: offline, or llm.")
    ] = "offline",
    matcher_model: Annotated[
        str,
        typer.Option(
            metavar="MODEL", help="Another model for --matcher llm.", rich_help_panel=_MODEL
        ),
    ] = "",
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", help="Explain only N missed and N invented errors."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Which errors are in the sample.")] = 0,
    split: Annotated[str, typer.Option(help="Only this split of the corpus.")] = "",
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where the corpora are (or ASSAY_DATA).")
    ] = None,
    runs: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where the runs of run:NAME are kept (or ASSAY_RUNS)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    base_url: llm.BaseUrl = "",
    concurrency: llm.Concurrency = None,
    budget_usd: llm.BudgetUsd = None,
    cache: llm.Cache = "",
) -> None:
    """Group the errors of a judge by their reasons, and test what lies behind them."""
    from assay.cli.explain_errors_run import run_explain_errors
    from assay.cli.localize_run import Corpora, Models
    from assay.evaluate.errors.analysis import Wanted
    from assay.llm.options import Options

    options = Options(
        base_url=base_url, concurrency=concurrency, budget_usd=budget_usd, cache=cache
    )
    corpora = Corpora((dataset,) if dataset else (), data, split, None, seed)
    models = Models(matcher, model, matcher_model, options, runs)
    times = repeat if p_true else None
    wanted = Wanted(judge, model, answers, sample, seed, times, counterfactual)
    raise typer.Exit(run_explain_errors(wanted, corpora, models, out, as_json=json))
