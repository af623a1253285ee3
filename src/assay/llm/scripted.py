"""A client that answers from a script, for tests and for trying out prompts."""

from collections.abc import Callable, Iterable, Mapping
from typing import Self

from assay.llm.client import CONCURRENCY, CallError, Reply, Request, Setting, Usage

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
