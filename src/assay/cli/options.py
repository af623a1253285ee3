"""Options that several commands share, in the same words, and the requests made from them."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay import (
    Columns,
    KnowledgeChoice,
    LocalOptions,
    Options,
    SourceOptions,
    read_calibration,
)
from assay.cli.notices import telling

if TYPE_CHECKING:
    from assay.app.judging import Asking

MODEL_PANEL = "The model"
LIMITS_PANEL = "Limits and cost"
KNOWLEDGE_PANEL = "Outside knowledge"
DATA_PANEL = "The data"
LOCAL_PANEL = "A model that runs here"


def _model(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=MODEL_PANEL, **more)


def _limit(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=LIMITS_PANEL, **more)


def _local(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=LOCAL_PANEL, **more)


def _knowledge(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=KNOWLEDGE_PANEL, **more)


def _pool(default: str) -> Any:
    return typer.Option(
        metavar="any|majority|all|corpus",
        help="How several annotators' labels become one: unfaithful if any, most or all of them "
        "say so (ties count as unfaithful), or the corpus's own label where it has one, otherwise "
        f"any; default: {default}.",
    )


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
        help="Folder or PostgreSQL URL of the runs; default: ASSAY_RUNS, or ./assay-runs.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only estimate the cost of asking models; nothing is sent."),
]
Split = Annotated[str, typer.Option(help="Use only this split of the corpus.")]
Task = Annotated[
    str, typer.Option(help="Use only examples of this task; 'assay data stats' lists the tasks.")
]
ByModel = Annotated[
    bool, typer.Option("--by-model", help="Rank detectors among those that ask the same model.")
]
Pool = Annotated[str, _pool("as the corpus's paper does, otherwise corpus")]
OwnPool = Annotated[str, _pool("corpus")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", help="Print only errors, broken rules, and what --json asks for."),
]

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
MatcherPrompt = Annotated[
    str,
    _model(metavar="FILE", help="Another prompt for --matcher llm.", show_default=False),
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
TrustFolder = Annotated[
    bool,
    _model(
        "--trust-folder",
        help="Let assay.toml and .env in the working folder choose the server and the key.",
    ),
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
ReasoningEffort = Annotated[
    str,
    _model(
        metavar="EFFORT",
        help="How much a reasoning model thinks: none, minimal, low, medium, high or xhigh.",
        show_default=False,
    ),
]
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


Device = Annotated[
    str, _local(metavar="cpu|cuda", help="Where it runs; cuda needs a GPU and the extra gpu.")
]
Threshold = Annotated[
    float | None,
    _local(
        metavar="X",
        help="Score below which a sentence counts as unfaithful; the not-sure band moves with it.",
    ),
]
CalibrationFile = Annotated[
    str, _local(metavar="FILE", help="Read its scores as a file by 'assay calibrate' says.")
]

SourceField = Annotated[
    str, typer.Option(help="Your name for the source field of a file.", rich_help_panel=DATA_PANEL)
]
ResponseField = Annotated[
    str,
    typer.Option(help="Your name for the response field of a file.", rich_help_panel=DATA_PANEL),
]
QuestionField = Annotated[
    str,
    typer.Option(help="Your name for the question field of a file.", rich_help_panel=DATA_PANEL),
]
LabelField = Annotated[
    str,
    typer.Option(help="Field of a file with the label of a response.", rich_help_panel=DATA_PANEL),
]
LabelMenu = Annotated[
    str, typer.Option(help="Taxonomy of these labels.", rich_help_panel=DATA_PANEL)
]

# The options of a model, by their names: the same for every command that may ask one.
_MODEL_OPTIONS: dict[str, tuple[Any, Any]] = {
    "base_url": (BaseUrl, ""),
    "key_env": (KeyEnv, ""),
    "trust_folder": (TrustFolder, False),
    "temperature": (Temperature, None),
    "max_tokens": (MaxTokens, None),
    "model_seed": (ModelSeed, None),
    "logprobs": (Logprobs, False),
    "reasoning_effort": (ReasoningEffort, ""),
    "concurrency": (Concurrency, None),
    "timeout": (Timeout, None),
    "deadline": (Deadline, None),
    "attempts": (Attempts, None),
    "rpm": (Rpm, None),
    "tpm": (Tpm, None),
    "budget_usd": (BudgetUsd, None),
    "budget_tokens": (BudgetTokens, None),
    "budget_calls": (BudgetCalls, None),
    "cache": (Cache, ""),
    "prices": (Prices, ""),
}
ASKING_OPTIONS: dict[str, tuple[Any, Any]] = {
    "model": (OneModel, ""),
    **_MODEL_OPTIONS,
    "runs": (Runs, None),
    "quiet": (Quiet, False),
}
DEVICE_OPTIONS: dict[str, tuple[Any, Any]] = {"device": (Device, "cpu")}
READING_OPTIONS: dict[str, tuple[Any, Any]] = {
    **DEVICE_OPTIONS,
    "calibration": (CalibrationFile, ""),
}
_LOCAL_OPTIONS: dict[str, tuple[Any, Any]] = {**READING_OPTIONS, "threshold": (Threshold, None)}
_KNOWLEDGE_OPTIONS: dict[str, tuple[Any, Any]] = {
    "knowledge": (Knowledge, ""),
    "pages": (Pages, False),
    "keep": (Keep, None),
    "offline": (Offline, False),
    "allow_private": (AllowPrivate, False),
}
_FIELD_OPTIONS: dict[str, tuple[Any, Any]] = {
    "source_field": (SourceField, ""),
    "response_field": (ResponseField, ""),
    "question_field": (QuestionField, ""),
}
_SOURCE_OPTIONS: dict[str, tuple[Any, Any]] = {
    "source_field": (SourceField, ""),
    "question_field": (QuestionField, ""),
}
LABEL_OPTIONS: dict[str, tuple[Any, Any]] = {
    **_FIELD_OPTIONS,
    "label_field": (LabelField, ""),
    "label_taxonomy": (LabelMenu, "binary"),
}


def asks_model(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command all options of a model, which it takes as one argument, `options`."""
    return with_options(command, "options", _MODEL_OPTIONS, _options)


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command one model with all its options, and where runs are kept, as `asking`."""
    return with_options(command, "asking", ASKING_OPTIONS, make_asking)


def runs_here(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of a detector that runs a model here, as `local`."""
    return with_options(command, "local", _LOCAL_OPTIONS, make_local)


def on_device(command: Callable[..., None]) -> Callable[..., None]:
    """The same, where only the device can be chosen."""
    return with_options(command, "local", DEVICE_OPTIONS, make_local)


def consults(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command all options of outside knowledge, as one argument, `outside`."""
    return with_options(command, "outside", _KNOWLEDGE_OPTIONS, _outside)


def reads_fields(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options that name the fields of a file, as one argument, `columns`."""
    return with_options(command, "columns", _FIELD_OPTIONS, make_columns)


def reads_sources(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a file of sources, which have no responses yet."""
    return with_options(command, "columns", _SOURCE_OPTIONS, make_columns)


def reads_labels(command: Callable[..., None]) -> Callable[..., None]:
    """The same, and those that name its labels."""
    return with_options(command, "columns", LABEL_OPTIONS, make_columns)


def with_options(
    command: Callable[..., None],
    argument: str,
    options: Mapping[str, tuple[Any, Any]],
    make: Callable[..., Any],
) -> Callable[..., None]:
    """The command with more options in the place of an argument that is made from them."""

    @wraps(command)
    def wrapped(**given: Any) -> None:
        chosen = {name: given[name] for name in options}
        kept = {name: value for name, value in given.items() if name in before.parameters}
        with telling(quiet=bool(given.get("quiet"))):
            command(**kept, **{argument: make(**chosen)})

    before = signature(command, eval_str=True)
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
        if name not in before.parameters  # which the command wants to know as well
    ]
    kept = [
        each.replace(kind=Parameter.KEYWORD_ONLY)
        for each in before.parameters.values()
        if each.name != argument
    ]
    wrapped.__signature__ = Signature([*kept, *added])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in (*kept, *added)}
    return wrapped


def _options(**given: Any) -> Options:
    names = {"rpm": "requests_per_minute", "tpm": "tokens_per_minute", "model_seed": "seed"}
    return Options(**{names.get(name, name): value for name, value in given.items()})


def make_asking(model: str, runs: str | None, quiet: bool, **given: Any) -> "Asking":
    """How models are asked, with progress on standard error."""
    from assay.app.judging import Asking
    from assay.cli.progress import watch

    return Asking(watch(quiet=quiet, bill=True), (model,) if model else (), _options(**given), runs)


def make_local(device: str, calibration: str = "", threshold: float | None = None) -> LocalOptions:
    """How a model that runs here is run, and how its scores are read."""
    fitted = read_calibration(calibration) if calibration else None
    return LocalOptions(device, threshold, fitted)


def _outside(
    knowledge: str, pages: bool, keep: str | None, offline: bool, allow_private: bool
) -> KnowledgeChoice:
    return KnowledgeChoice(knowledge, SourceOptions(pages, keep, offline, allow_private))


def make_columns(**given: str) -> Columns:
    """The user's names for the fields of a file."""
    names = {"label_taxonomy": "taxonomy"}
    named: dict[str, Any] = {
        names.get(name, name.removesuffix("_field")): value for name, value in given.items()
    }
    return Columns(**named)
