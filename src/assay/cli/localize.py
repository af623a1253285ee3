"""`assay localize`: how well detectors say what is wrong, and which prompt says it better."""

from typing import Annotated

import typer

from assay.cli import llm_options as llm

localize_app = typer.Typer(
    help="Inconsistencies in words: measure who finds them, choose a prompt, measure a matcher.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
_MODEL = "The model"

Datasets = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|FILE",
        help="A corpus with described errors: ragtruth, faithbench, defacto; may be repeated.",
        show_default=False,
    ),
]
Dataset = Annotated[str, typer.Option(metavar="NAME|FILE", help="A corpus with described errors.")]
Data = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the corpora are (or ASSAY_DATA).")
]
Split = Annotated[str, typer.Option(help="Only this split of the corpus.")]
MatcherName = Annotated[
    str, typer.Option(help="Who matches predicted with gold errors: offline, or llm.")
]
Model = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        help="The model that is asked, as in openai/gpt-4o.",
        rich_help_panel=_MODEL,
        show_default=False,
    ),
]
MatcherModel = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        help="Another model for --matcher llm.",
        rich_help_panel=_MODEL,
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(metavar="S", help="Which examples are in the sample.")]
Runs = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Where the runs of run:NAME are kept (or ASSAY_RUNS)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@localize_app.command()
def evaluate(
    judge: Annotated[
        str,
        typer.Argument(
            help="A detector such as localize-cot, a run as run:NAME, or a file of "
            "'assay check --json'."
        ),
    ],
    dataset: Datasets = None,
    matcher: MatcherName = "offline",
    binary: Annotated[
        str,
        typer.Option(metavar="JUDGE", help="A judge of whole responses to set beside it."),
    ] = "",
    sample: Annotated[
        int | None, typer.Option(metavar="K", help="Only K examples, chosen by --seed.")
    ] = None,
    seed: Seed = 0,
    held_out: Annotated[
        int | None,
        typer.Option(
            metavar="K", help="Leave out the K examples that 'choose --sample K' was about."
        ),
    ] = None,
    split: Split = "",
    data: Data = None,
    runs: Runs = None,
    json: AsJson = False,
    model: Model = "",
    matcher_model: MatcherModel = "",
    base_url: llm.BaseUrl = "",
    concurrency: llm.Concurrency = None,
    budget_usd: llm.BudgetUsd = None,
    cache: llm.Cache = "",
) -> None:
    """Measure how well a judge says what is wrong with responses."""
    from assay.cli.localize_run import Corpora, Models, run_evaluate
    from assay.llm.options import Options

    options = Options(
        base_url=base_url, concurrency=concurrency, budget_usd=budget_usd, cache=cache
    )
    models = Models(matcher, model, matcher_model, options, runs)
    corpora = Corpora(tuple(dataset or ()), data, split, sample, seed, held_out)
    raise typer.Exit(run_evaluate(judge, binary, corpora, models, as_json=json))


@localize_app.command()
def choose(
    style: Annotated[
        str, typer.Argument(help="localize-zero, -few, -cot, -cot-hint, -pipeline or -recall.")
    ],
    dataset: Dataset = "",
    matcher: MatcherName = "offline",
    sample: Annotated[
        int, typer.Option(metavar="K", help="How many examples, chosen by --seed.")
    ] = 140,
    seed: Seed = 0,
    split: Split = "",
    data: Data = None,
    json: AsJson = False,
    model: Model = "",
    matcher_model: MatcherModel = "",
    base_url: llm.BaseUrl = "",
    concurrency: llm.Concurrency = None,
    budget_usd: llm.BudgetUsd = None,
    cache: llm.Cache = "",
) -> None:
    """Find out which of the two prompts of a style is better for a model.

    Use examples that are not needed for testing afterwards.
    """
    from assay.cli.localize_run import Corpora, Models, run_choose
    from assay.llm.options import Options

    options = Options(
        base_url=base_url, concurrency=concurrency, budget_usd=budget_usd, cache=cache
    )
    models = Models(matcher, model, matcher_model, options)
    corpora = Corpora((dataset,) if dataset else (), data, split, sample, seed)
    raise typer.Exit(run_choose(style, corpora, models, as_json=json))


@localize_app.command("matcher")
def matcher_(
    dataset: Dataset = "faithbench",
    matcher: MatcherName = "offline",
    sample: Annotated[
        int | None, typer.Option(metavar="K", help="Only K examples, chosen by --seed.")
    ] = None,
    seed: Seed = 0,
    split: Split = "",
    data: Data = None,
    json: AsJson = False,
    model: Model = "",
    base_url: llm.BaseUrl = "",
    concurrency: llm.Concurrency = None,
    budget_usd: llm.BudgetUsd = None,
    cache: llm.Cache = "",
) -> None:
    """Measure a matcher on the errors that several annotators of a response wrote down."""
    from assay.cli.localize_run import Corpora, Models, run_matcher
    from assay.llm.options import Options

    options = Options(
        base_url=base_url, concurrency=concurrency, budget_usd=budget_usd, cache=cache
    )
    models = Models(matcher, model, "", options)
    run_matcher(Corpora((dataset,), data, split, sample, seed), models, as_json=json)
