"""Requests to a model, replies, and the clients that pass them on.

A client is anything with an `ask`. Wrappers around a client add one thing each: a cache, retries,
limits, a budget, a meter; the caller sees no difference. `Scripted` is a client without a model.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from assay.core.verdicts import FailureReason

# The last two are turns that the chat templates of some checking models have for a source.
Role = Literal["system", "user", "assistant", "context", "document 0"]
Finish = Literal["stop", "length", "filter", "other"]
Setting = str | int | float | bool | None

CONCURRENCY = 16  # calls at the same time, unless the settings say otherwise


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a model; how the reply is sampled is up to the client.

    `schema` is the JSON schema of the reply, if it is to be JSON. `sample` numbers several answers
    to the same question, and `attempt` the times it is deliberately asked again: both keep a cache
    from returning an earlier reply. `alternatives` is how many other tokens are wanted at each
    place, if the client asks for probabilities at all; with `probabilities` it does. `template` are
    arguments of the server's chat template, for models whose prompt is written there. A dry run
    takes `example` for the reply and `reply_tokens` for its length.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    sample: int = 0
    attempt: int = 0
    example: str = ""
    reply_tokens: int = 200
    alternatives: int = 0
    probabilities: bool = False
    template: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `estimated` if the server did not report them."""

    prompt: int
    completion: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the reply and the logarithm of its probability.

    `alternatives` are the likeliest pieces at its place, itself among them, where these are known.
    """

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's answer, not yet interpreted.

    `thoughts` are those that the server gives apart from the text.
    """

    text: str
    usage: Usage
    finish: Finish = "stop"
    refusal: str = ""
    tokens: tuple[Token, ...] = ()
    cached: bool = False
    thoughts: str = ""


class CallError(Exception):
    """A call without a reply; the unit that it was made for becomes a `Failure` with this reason.

    `worth_retrying`: the same call may succeed later. `wait`: seconds that the server asks to be
    left alone. `maybe_charged`: the server may have done the work. What no later call could fix,
    such as a wrong key, is a `ServiceError` instead, and a budget that is used up a `BudgetError`.
    """

    def __init__(
        self,
        reason: FailureReason,
        detail: str,
        *,
        raw: str = "",
        worth_retrying: bool = False,
        wait: float | None = None,
        maybe_charged: bool = False,
    ) -> None:
        super().__init__(detail)
        self.reason: FailureReason = reason
        self.detail = detail
        self.raw = raw
        self.worth_retrying = worth_retrying
        self.wait = wait
        self.maybe_charged = maybe_charged


class ModelClient(Protocol):
    """A model that can be asked; `async with` keeps its connections open and may be nested."""

    @property
    def model(self) -> str:
        """The model as the user names it."""

    @property
    def concurrency(self) -> int:
        """The number of calls that it answers at the same time."""

    def describe(self) -> Mapping[str, Setting]:
        """Everything that affects its answers: model, address, temperature and so on. No key."""

    async def ask(self, request: Request) -> Reply:
        """The reply.

        Raises `CallError` if this call got none, `ServiceError` if no call can get one.
        """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Wrapper:
    """A client around a client: it changes how the model is asked, not which model answers."""

    def __init__(self, client: ModelClient) -> None:
        self.client = client
        self.model = client.model

    @property
    def concurrency(self) -> int:
        return self.client.concurrency

    def describe(self) -> Mapping[str, Setting]:
        return self.client.describe()

    async def ask(self, request: Request) -> Reply:
        return await self.client.ask(request)

    async def __aenter__(self) -> Self:
        await self.client.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.client.__aexit__(*error)


class Numbered(Wrapper):
    """Marks each request with the number of a sample or of an attempt."""

    def __init__(self, client: ModelClient, *, sample: int = 0, attempt: int = 0) -> None:
        super().__init__(client)
        self._sample = sample
        self._attempt = attempt

    async def ask(self, request: Request) -> Reply:
        """Asks under these numbers; those that a wrapper further out has set are kept."""
        return await self.client.ask(
            replace(
                request,
                sample=request.sample or self._sample,
                attempt=request.attempt or self._attempt,
            )
        )


class WithProbabilities(Wrapper):
    """Asks for the probabilities of tokens, and of some others at each place."""

    def __init__(self, client: ModelClient, alternatives: int = 0) -> None:
        super().__init__(client)
        self._alternatives = alternatives

    async def ask(self, request: Request) -> Reply:
        """Asks for them whether or not the settings do."""
        wanted = replace(request, probabilities=True, alternatives=self._alternatives)
        return await self.client.ask(wanted)


class CountedClient(Wrapper):
    """Tells of each reply that was not there already."""

    def __init__(self, client: ModelClient, on_reply: Callable[[], None]) -> None:
        super().__init__(client)
        self._on_reply = on_reply

    async def ask(self, request: Request) -> Reply:
        reply = await self.client.ask(request)
        if not reply.cached:
            self._on_reply()
        return reply


Line = str | Reply | Exception
Script = Callable[[Request], Line]


class Scripted:
    """Answers with the lines of a script in order, or with what a function returns for a request.

    A line is the text of a reply, a whole reply, or an error to raise. `requests` records what was
    asked. When the script has run out, it raises `CallError`.
    """

    def __init__(self, script: Iterable[Line] | Script, model: str = "scripted") -> None:
        self.model = model
        self.concurrency = CONCURRENCY
        self.requests: list[Request] = []
        if callable(script):
            self._answer: Script = script
        else:
            lines = iter(script)
            self._answer = lambda _: next(lines, CallError("transport", "the script has run out"))

    def describe(self) -> Mapping[str, Setting]:
        """Only its name."""
        return {"model": self.model}

    async def ask(self, request: Request) -> Reply:
        """The next line."""
        self.requests.append(request)
        line = self._answer(request)
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, Reply) else Reply(line, _usage(request, line))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


def _usage(request: Request, text: str) -> Usage:
    words = sum(len(message.content.split()) for message in request.messages)
    return Usage(words, len(text.split()), estimated=True)
