"""`assay check`: from files to verdicts."""

from typing import Annotated

import typer

from assay.cli import knowledge_options as outside
from assay.cli import llm_options as llm

FileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE]",
        help="Examples: .json, .jsonl, .csv or .parquet (also .gz); '-' reads standard input.",
        show_default=False,
    ),
]


def check(
    file: FileArgument = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The source: text, or .json for a structured one."),
    ] = None,
    response: Annotated[
        str | None, typer.Option(metavar="FILE", help="The response to check, as text.")
    ] = None,
    question: Annotated[str, typer.Option(help="The question that the response answers.")] = "",
    detector: Annotated[
        str, typer.Option(help="Who judges; 'assay detectors list' names them.")
    ] = "embedded",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write a page to look at.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit with 1 if a response scores less than this."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL,...",
            help="Exit with 1 if a sentence has one of these labels "
            "(or: unfaithful, not-sure, no-fact, faithful).",
        ),
    ] = None,
    source_field: Annotated[str, typer.Option(help="Your name for the source field.")] = "",
    response_field: Annotated[str, typer.Option(help="Your name for the response field.")] = "",
    question_field: Annotated[str, typer.Option(help="Your name for the question field.")] = "",
    language: Annotated[str, typer.Option(help="Language of the texts, as in 'de'.")] = "en",
    every: Annotated[
        bool, typer.Option("--all", help="Of many responses, show also the faithful sentences.")
    ] = False,
    discourse: Annotated[
        bool,
        typer.Option(
            "--discourse",
            help="Check claims and the relations between them, by a model if one is configured.",
        ),
    ] = False,
    knowledge: outside.Knowledge = "",
    pages: outside.Pages = False,
    keep: outside.Keep = None,
    offline: outside.Offline = False,
    allow_private: outside.AllowPrivate = False,
    model: llm.Model = None,
    votes: llm.Votes = 1,
    peers: llm.Peers = "",
    base_url: llm.BaseUrl = "",
    key_env: llm.KeyEnv = "",
    temperature: llm.Temperature = None,
    max_tokens: llm.MaxTokens = None,
    logprobs: llm.Logprobs = False,
    concurrency: llm.Concurrency = None,
    timeout: llm.Timeout = None,
    budget_usd: llm.BudgetUsd = None,
    cache: llm.Cache = "",
) -> None:
    """Judge every sentence of a response by its source.

    Exit code: 0 all judged, 1 a --fail rule broken, 2 bad input or usage, 3 no verdict for some.
    """
    from assay.checking.loading import JudgeChoice
    from assay.cli.check_run import Outputs, discourse_detector, leave_closed_pipe, run_check
    from assay.cli.inputs import Inputs
    from assay.datasets.fields import Columns
    from assay.knowledge import KnowledgeChoice, SourceOptions
    from assay.llm.options import Options

    options = Options(
        base_url=base_url,
        key_env=key_env,
        temperature=temperature,
        max_tokens=max_tokens,
        logprobs=logprobs,
        timeout=timeout,
        concurrency=concurrency,
        budget_usd=budget_usd,
        cache=cache,
    )
    inputs = Inputs(
        file=file,
        source=source,
        response=response,
        question=question,
        columns=Columns(source_field, response_field, question_field),
        language=language,
    )
    outputs = Outputs(
        as_json=json,
        page=html,
        fail_under=fail_under,
        fail_on=None if fail_on is None else tuple(map(str.strip, fail_on.split(","))),
        every=every,
        knowledge=KnowledgeChoice(knowledge, SourceOptions(pages, keep, offline, allow_private)),
    )
    if discourse:
        detector = discourse_detector(detector, bool(model))
    choice = JudgeChoice(detector, tuple(model or ()), votes, options)
    try:
        code = run_check(inputs, choice, peers, outputs)
    except BrokenPipeError:
        code = leave_closed_pipe()
    raise typer.Exit(code)
