"""`assay run`: a detector over a whole data set, journaled so that nothing is lost."""

from typing import Annotated

import typer

from assay.cli import knowledge_options as outside
from assay.cli import llm_options as llm

_DATA = "The data"


def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A corpus ('assay data list' names them) or a file of examples."
        ),
    ],
    detector: Annotated[
        str, typer.Option(help="Who judges; 'assay detectors list' names them.")
    ] = "embedded",
    model: llm.Model = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what it would cost; nothing is sent.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was not finished.")
    ] = False,
    retry_failures: Annotated[
        bool, typer.Option("--retry-failures", help="Go on, and ask again what has failed.")
    ] = False,
    name: Annotated[
        str, typer.Option(help="What the run is called; made from data, detector and model.")
    ] = "",
    runs: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where runs are kept (or ASSAY_RUNS); ./assay-runs."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the sums as JSON.")] = False,
    sample: Annotated[
        int | None,
        typer.Option(metavar="K", help="Only K examples, chosen by --seed.", rich_help_panel=_DATA),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="S", help="Chooses the sample; 0.", rich_help_panel=_DATA),
    ] = None,
    split: Annotated[
        str, typer.Option(help="Only this split of the corpus.", rich_help_panel=_DATA)
    ] = "",
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Where the corpora are (or ASSAY_DATA).", rich_help_panel=_DATA
        ),
    ] = None,
    source_field: Annotated[
        str, typer.Option(help="Your name for the source field.", rich_help_panel=_DATA)
    ] = "",
    response_field: Annotated[
        str, typer.Option(help="Your name for the response field.", rich_help_panel=_DATA)
    ] = "",
    question_field: Annotated[
        str, typer.Option(help="Your name for the question field.", rich_help_panel=_DATA)
    ] = "",
    language: Annotated[
        str, typer.Option(help="Language of the texts, as in 'de'.", rich_help_panel=_DATA)
    ] = "en",
    knowledge: outside.Knowledge = "",
    pages: outside.Pages = False,
    keep: outside.Keep = None,
    offline: outside.Offline = False,
    allow_private: outside.AllowPrivate = False,
    peers: llm.Peers = "",
    votes: llm.Votes = 1,
    base_url: llm.BaseUrl = "",
    key_env: llm.KeyEnv = "",
    temperature: llm.Temperature = None,
    max_tokens: llm.MaxTokens = None,
    model_seed: llm.ModelSeed = None,
    logprobs: llm.Logprobs = False,
    concurrency: llm.Concurrency = None,
    timeout: llm.Timeout = None,
    deadline: llm.Deadline = None,
    attempts: llm.Attempts = None,
    rpm: llm.Rpm = None,
    tpm: llm.Tpm = None,
    budget_usd: llm.BudgetUsd = None,
    budget_tokens: llm.BudgetTokens = None,
    budget_calls: llm.BudgetCalls = None,
    cache: llm.Cache = "",
    prices: llm.Prices = "",
) -> None:
    """Judge a data set, and keep each outcome on disk as soon as it is there.

    Exit code: 0 all judged, 2 bad usage, a service that cannot be used or a budget used up, 3 no
    verdict for some, 130 interrupted. What was judged is kept in all cases.
    """
    from assay.checking.loading import JudgeChoice
    from assay.cli.run_run import Flags, run_run
    from assay.datasets.fields import Columns
    from assay.evaluate.runs.data import DataChoice
    from assay.evaluate.runs.request import RunRequest
    from assay.knowledge import KnowledgeChoice, SourceOptions
    from assay.llm.options import Options

    options = Options(
        base_url=base_url,
        key_env=key_env,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=model_seed,
        logprobs=logprobs,
        timeout=timeout,
        deadline=deadline,
        attempts=attempts,
        concurrency=concurrency,
        requests_per_minute=rpm,
        tokens_per_minute=tpm,
        budget_usd=budget_usd,
        budget_tokens=budget_tokens,
        budget_calls=budget_calls,
        cache=cache,
        prices=prices,
    )
    columns = Columns(source_field, response_field, question_field)
    request = RunRequest(
        data=DataChoice(target, data, columns, language, split),
        judge=JudgeChoice(detector, tuple(model or ()), votes, options),
        sample=sample,
        seed=seed,
        peers=peers,
        name=name,
        knowledge=KnowledgeChoice(knowledge, SourceOptions(pages, keep, offline, allow_private)),
    )
    flags = Flags(dry_run, resume, retry_failures, quiet, json)
    raise typer.Exit(run_run(request, runs, flags))
