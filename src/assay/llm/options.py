"""All that a user can say about the model that is asked; what is left open is found elsewhere."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """None or empty: from the environment or the settings file, else the usual."""

    model: str = ""
    base_url: str = ""
    key_env: str = ""  # the environment variable that holds the key
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    logprobs: bool = False
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
    prices: str = ""  # a file of prices in the place of ours


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at an address: `name` as the user says it, `model` as the server is told."""

    name: str
    model: str
    base_url: str
    provider: str = ""
    key: str = field(default="", repr=False)
    key_env: str = ""  # the environment variable that the key is from, to name it in messages


@dataclass(frozen=True, slots=True)
class Parameters:
    """How replies are sampled and how long they may get."""

    temperature: float | None = 0.0
    max_tokens: int = 4096
    seed: int | None = None
    logprobs: bool = False
