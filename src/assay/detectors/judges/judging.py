"""The steps that every judge takes: texts between marks, a question, and what comes of it."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from assay.core.examples import Example, Judgement
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome
from assay.llm.asking import Answer, ask
from assay.llm.client import CallError, Client, Request
from assay.llm.prompts import Fences, Prompt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """The reply that is wanted: how it is read, one of its form, and its schema if it is JSON.

    `units` is how many units it is about; a prompt's `reply_tokens` is what one of them takes.
    """

    read: Callable[[str, Fences], T]
    example: str
    schema: Mapping[str, Any] | None = None
    units: int = 1


class Material:
    """The texts of an example between marks of one code, ready to be shown in a prompt."""

    def __init__(self, example: Example, **more: str) -> None:
        """Source, response and question, and more texts that are data too."""
        own = {"source": example.source.text, "response": example.response.text}
        self.fences = Fences({**own, "question": example.question, **more})
        self.shown = {name: self.fences[name] for name in (*own, *more)}
        # A question brings its own empty line, so that none is left where there is no question.
        self.shown["question"] = f"{self.fences['question']}\n\n" if example.question else ""

    async def ask(self, client: Client, prompt: Prompt, form: Form[T], **more: str) -> Answer[T]:
        """The answer to the prompt with the texts in it; raises `CallError` where there is none."""
        values = {**self.shown, **more}
        gaps = prompt.inputs - set(prompt.fixed)
        request = Request(
            prompt.render(**{name: values[name] for name in gaps}),
            form.schema,
            example=form.example,
            reply_tokens=prompt.reply_tokens * form.units,
        )
        return await ask(client, request, lambda text: form.read(text, self.fences))


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order; when one raises, the others are called off before it is passed on."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def failed(unit: Unit, error: CallError) -> Failure:
    """The failure of a unit whose question was not answered."""
    return Failure(unit, error.reason, error.detail, error.raw)


def judged(example: Example, outcomes: Iterable[Outcome]) -> Judgement:
    """A judgement by someone who was shown the whole source."""
    return Judgement(example, tuple(outcomes), characters_read=len(example.source.text))


def squeeze(text: str) -> str:
    """The text on one line: one space wherever it has white space, and none at its ends."""
    return " ".join(text.split())
