"""All that a user can say about the model that is asked; what is left open is found elsewhere."""

from dataclasses import dataclass


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
