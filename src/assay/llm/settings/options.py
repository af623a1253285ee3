"""Options of the user for a model, its endpoint, and parameters of its replies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from assay.core.options import Option

MODEL = "The model"
LIMITS = "Limits and cost"

# What an error of a server means: `later` is worth a retry, `refused`, `too_long` and `rejected`
# concern one call, and `unpaid`, `key` and `unknown` (model or address) concern every call.
ProblemKind = Literal["refused", "unpaid", "too_long", "key", "unknown", "later", "rejected"]

# How much a model that reasons is to think before it answers, as servers take it.
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Options:
    """Options that are None or empty come from the environment, the settings file or a default."""

    model: str = ""
    base_url: Annotated[str, Option("Address of the server, up to /v1.", "URL", MODEL)] = ""
    key_env: Annotated[
        str, Option("Environment variable that holds the API key.", "VARIABLE", MODEL)
    ] = ""
    temperature: Annotated[
        float | None,
        Option("Sampling temperature; default 0, or 0.7 with several votes.", "T", MODEL),
    ] = None
    max_tokens: Annotated[
        int | None, Option("Longest reply in tokens; default 4096.", "N", MODEL)
    ] = None
    seed: Annotated[
        int | None,
        Option("Seed for the model, where the server supports one.", "S", MODEL, "model_seed"),
    ] = None
    logprobs: Annotated[bool, Option("Request token probabilities.", panel=MODEL)] = False
    reasoning_effort: Annotated[
        str,
        Option(
            "How much a reasoning model thinks: none, minimal, low, medium, high or xhigh.",
            "EFFORT",
            MODEL,
        ),
    ] = ""
    timeout: Annotated[
        float | None, Option("Timeout of one attempt; default 120.", "SECONDS", LIMITS)
    ] = None
    deadline: Annotated[
        float | None,
        Option("Time limit of a call with all its retries; default 600.", "SECONDS", LIMITS),
    ] = None
    attempts: Annotated[int | None, Option("Attempts per call; default 5.", "N", LIMITS)] = None
    concurrency: Annotated[int | None, Option("Concurrent calls; default 16.", "N", LIMITS)] = None
    requests_per_minute: Annotated[
        int | None, Option("Requests per minute.", "N", LIMITS, "rpm")
    ] = None
    tokens_per_minute: Annotated[int | None, Option("Tokens per minute.", "N", LIMITS, "tpm")] = (
        None
    )
    budget_usd: Annotated[
        float | None, Option("Stop before spending more than X US dollars.", "X", LIMITS)
    ] = None
    budget_tokens: Annotated[
        int | None, Option("Stop before using more than N tokens.", "N", LIMITS)
    ] = None
    budget_calls: Annotated[
        int | None, Option("Stop before making more than N calls.", "N", LIMITS)
    ] = None
    cache: Annotated[
        str, Option("Reply cache; the same question is paid for once.", "FILE|URL", LIMITS)
    ] = ""
    prices: Annotated[str, Option("Price file to use instead of ours.", "FILE", LIMITS)] = ""
    trust_folder: Annotated[
        bool,
        Option(
            "Let assay.toml and .env in the working folder choose the server and the key.",
            panel=MODEL,
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at an address: `name` is what the user calls it, `model` what the server is told.

    `errors` says what certain errors of this server mean, as in `providers.Provider`. `chosen_in`
    is the file of the working folder that chose the model or its address, if one did, and
    `key_file` the one that holds the key. `price_note` says which price is taken where neither the
    user nor a list of ours has one for the model at this address. `from_folder` says whether any of
    this rests on a file of the working folder.
    """

    name: str
    model: str
    base_url: str
    provider: str = ""
    key: str = field(default="", repr=False)
    key_env: str = ""  # the environment variable that the key comes from, for messages
    errors: Mapping[str, ProblemKind] = field(default_factory=dict)
    chosen_in: str = ""
    key_file: str = ""
    price_note: str = ""
    from_folder: bool = False

    @property
    def place(self) -> str:
        """Where texts go, for people: address and model, whose price counts, and who chose them."""
        priced = f", {self.price_note}" if self.price_note else ""
        chosen = f", as {self.chosen_in} says" if self.chosen_in else ""
        key = f", with the key in {self.key_file}" if self.key_file else ""
        return f"{self.base_url} (model {self.model}{priced}){chosen}{key}"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Sampling of replies, and the most tokens that they may have."""

    temperature: float | None = 0.0
    max_tokens: int = 4096
    seed: int | None = None
    logprobs: bool = False
    reasoning_effort: str = ""
