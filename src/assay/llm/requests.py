"""What is asked of a model and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "filter", "other"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a model; how it is sampled is the client's affair.

    `schema` is the JSON schema of the wanted reply, if it is JSON. `sample` numbers several answers
    to the same question, and `attempt` the times it is asked again on purpose: both keep a cache
    from giving back an earlier reply. `example` is a reply of the wanted form, and `reply_tokens`
    how long replies usually are: what a dry run takes for the reply.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    sample: int = 0
    attempt: int = 0
    example: str = ""
    reply_tokens: int = 200


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `estimated` where the server did not count them."""

    prompt: int
    completion: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the reply and the logarithm of its probability."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered, unread."""

    text: str
    usage: Usage
    finish: Finish = "stop"
    refusal: str = ""
    tokens: tuple[Token, ...] = ()
    cached: bool = False
