"""Where a model is, and how its replies are sampled."""

from dataclasses import dataclass, field


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
