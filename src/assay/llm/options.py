"""What a user can choose about a model, where a model is, and how its replies are sampled."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# What an error of a server means: `later` is worth a retry, `refused`, `too_long` and `rejected`
# concern one call, and `unpaid`, `key` and `unknown` (model or address) concern every call.
ProblemKind = Literal["refused", "unpaid", "too_long", "key", "unknown", "later", "rejected"]

# How much a model that reasons is to think before it answers, as servers take it.
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Options:
    """What is None or empty comes from the environment, the settings file or a default."""

    model: str = ""
    base_url: str = ""
    key_env: str = ""  # the environment variable that holds the key
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    logprobs: bool = False
    reasoning_effort: str = ""  # one of EFFORTS; empty leaves it to the model
    timeout: float | None = None  # seconds for one attempt
    deadline: float | None = None  # seconds for a call with all its attempts
    attempts: int | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None
    budget_calls: int | None = None
    cache: str = ""  # a file that keeps replies for later
    prices: str = ""  # a file of prices to use instead of those in the package
    trust_folder: bool = False  # the working folder's files may decide where texts and keys go


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
    """How replies are sampled and how long they may be."""

    temperature: float | None = 0.0
    max_tokens: int = 4096
    seed: int | None = None
    logprobs: bool = False
    reasoning_effort: str = ""
