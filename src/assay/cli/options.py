"""Options that several commands share, in the same words, and the requests made from them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from assay import KnowledgeChoice, Options

MODEL_PANEL = "The model"
LIMITS_PANEL = "Limits and cost"
KNOWLEDGE_PANEL = "Outside knowledge"
DATA_PANEL = "The data"


def _model(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=MODEL_PANEL, **more)


def _limit(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=LIMITS_PANEL, **more)


def _knowledge(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=KNOWLEDGE_PANEL, **more)


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Detector = Annotated[str, typer.Option(help="Detector to use; 'assay detectors list' names them.")]
Dataset = Annotated[
    str, typer.Option(metavar="NAME|FILE", help="The corpus; 'assay data list' names them.")
]
Data = Annotated[
    str | None, typer.Option(metavar="DIR", help="Folder of the corpora (or ASSAY_DATA).")
]
Runs = Annotated[
    str | None,
    typer.Option(
        metavar="DIR|URL",
        help="Folder or PostgreSQL URL of the runs (or ASSAY_RUNS); ./assay-runs.",
    ),
]
Split = Annotated[str, typer.Option(help="Use only this split of the corpus.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]

Model = Annotated[
    list[str] | None,
    _model(
        metavar="MODEL",
        help="Model that a judge asks, as in openai/gpt-4o; give several and they vote.",
        show_default=False,
    ),
]
OneModel = Annotated[
    str,
    _model(metavar="MODEL", help="Model to ask, as in openai/gpt-4o.", show_default=False),
]
MatcherModel = Annotated[
    str,
    _model(metavar="MODEL", help="Another model for --matcher llm.", show_default=False),
]
Votes = Annotated[
    int, _model(metavar="N", help="Ask every question N times and let the answers vote.")
]
Peers = Annotated[
    str, _model(metavar="NAME|FILE", help="Annotated responses for faithjudge to learn from.")
]
BaseUrl = Annotated[str, _model(metavar="URL", help="Address of the server, up to /v1.")]
KeyEnv = Annotated[
    str, _model(metavar="VARIABLE", help="Environment variable that holds the API key.")
]
Temperature = Annotated[
    float | None,
    _model(metavar="T", help="Sampling temperature; default 0, or 0.7 with --votes."),
]
MaxTokens = Annotated[
    int | None, _model(metavar="N", help="Longest reply in tokens; default 4096.")
]
ModelSeed = Annotated[
    int | None, _model(metavar="S", help="Seed for the model, where the server supports one.")
]
Logprobs = Annotated[bool, _model("--logprobs", help="Request token probabilities.")]
Concurrency = Annotated[int | None, _limit(metavar="N", help="Concurrent calls; default 16.")]
Timeout = Annotated[
    float | None, _limit(metavar="SECONDS", help="Timeout of one attempt; default 120.")
]
Deadline = Annotated[
    float | None,
    _limit(metavar="SECONDS", help="Time limit of a call with all its retries; default 600."),
]
Attempts = Annotated[int | None, _limit(metavar="N", help="Attempts per call; default 5.")]
Rpm = Annotated[int | None, _limit(metavar="N", help="Requests per minute.")]
Tpm = Annotated[int | None, _limit(metavar="N", help="Tokens per minute.")]
BudgetUsd = Annotated[
    float | None, _limit(metavar="X", help="Stop before spending more than X US dollars.")
]
BudgetTokens = Annotated[
    int | None, _limit(metavar="N", help="Stop before using more than N tokens.")
]
BudgetCalls = Annotated[
    int | None, _limit(metavar="N", help="Stop before making more than N calls.")
]
Cache = Annotated[
    str, _limit(metavar="FILE", help="Reply cache; the same question is paid for once.")
]
Prices = Annotated[str, _limit(metavar="FILE", help="Price file to use instead of ours.")]

Knowledge = Annotated[
    str,
    _knowledge(
        metavar="SOURCE",
        help="Consult an outside source about what the text's own source does not support: a "
        "FILE.sqlite of 'assay knowledge index', wikipedia, wikipedia:LANGUAGE, "
        "mediawiki:ADDRESS, brave or tavily.",
    ),
]
Pages = Annotated[bool, _knowledge("--pages", help="Read the pages that brave or tavily found.")]
Keep = Annotated[
    str | None, _knowledge(metavar="FILE.sqlite", help="Save snapshots of what was found.")
]
Offline = Annotated[bool, _knowledge("--offline", help="Only replay what --keep has saved.")]
AllowPrivate = Annotated[
    bool, _knowledge("--allow-private", help="Allow servers on private networks.")
]


def make_options(**given: Any) -> "Options":
    """The options of a model, by the names of the command line."""
    from assay import Options

    names = {"rpm": "requests_per_minute", "tpm": "tokens_per_minute", "model_seed": "seed"}
    return Options(**{names.get(name, name): value for name, value in given.items()})


def make_knowledge(
    source: str, pages: bool, keep: str | None, offline: bool, allow_private: bool
) -> "KnowledgeChoice":
    """The outside source that was named, with its options."""
    from assay import KnowledgeChoice, SourceOptions

    return KnowledgeChoice(source, SourceOptions(pages, keep, offline, allow_private))
