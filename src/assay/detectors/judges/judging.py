"""A judge: a model that is asked by a method; and the steps that every method takes."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from assay import __version__
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.texts import Source
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.judges.quoting import Quotable, quotable
from assay.detectors.protocol import Capabilities, concurrently, judgement_of
from assay.detectors.registry import DetectorType
from assay.llm.asking import Answer, ask
from assay.llm.client import CallError, ModelClient, Request
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.schemas import form_of
from assay.llm.replies.texts import UnreadableError
from assay.text.sentences import response_unit

T = TypeVar("T")
_ABOUT_OUTSIDE = (
    "These passages were looked up elsewhere. They are knowledge of the world, not the source: "
    "what follows only with their help is out-dependent, never supported. Quote what you rest on."
)


class Method(Protocol):
    """A way to ask about the units of an example, whichever model is asked."""

    @property
    def name(self) -> str:
        """The name of the detector that asks this way."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of a judge that asks this way."""
        ...

    @property
    def prompts(self) -> Sequence[Prompt]:
        """The prompts that it asks with."""
        ...

    async def findings(self, client: ModelClient, example: Example) -> Sequence[Finding]:
        """A finding for each unit; what a call does not answer is a Failure.

        Where nothing at all can be said without an answer, `CallError` is raised.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A model and the method by which it is asked; it judges several examples at a time.

    `digests` are those of what the prompts show besides the example, such as annotated peers.
    """

    client: ModelClient
    method: Method
    digests: Mapping[str, str] = field(default_factory=dict)
    reads_source: bool = True

    @property
    def author(self) -> Author:
        """The method, the prompts that a user brought to it, and the model."""
        brought = dict.fromkeys(prompt.brought for prompt in self.method.prompts if prompt.brought)
        prompts = f"[{', '.join(brought)}]" if brought else ""
        name = " ".join(filter(None, (self.method.name, prompts, self.client.model)))
        return Author(name, version=__version__)

    @property
    def capabilities(self) -> Capabilities:
        """Those of the method."""
        return self.method.capabilities

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of the method, and what else they show."""
        return {prompt.name: prompt.digest for prompt in self.method.prompts} | dict(self.digests)

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges as many examples at the same time as the client answers calls."""
        return concurrently(examples, self.judge_one, workers=self.client.concurrency)

    async def judge_one(self, example: Example) -> Judgement:
        """The judgement of one example; without any answer, its response is a failure."""
        try:
            findings = await self.method.findings(self.client, example)
        except CallError as error:
            unit = response_unit(example)
            findings = [Finding(unit, failed(unit, error))]
        return judgement_of(example, self.author, findings, None if self.reads_source else 0)


def judge_type(
    summary: str,
    capabilities: Callable[[str], Capabilities] | Capabilities,
    method: Callable[[str], Method],
    facts: Mapping[str, str] | None = None,
) -> DetectorType:
    """A kind of judge, whose method is made from the text after the colon of its name.

    `facts` are about the model that it is meant for, by heading.
    """
    return DetectorType(
        summary,
        capabilities,
        lambda parts: ModelJudge(parts.model, method(parts.argument)),
        (lambda _: facts) if facts else None,
    )


@dataclass(frozen=True, slots=True)
class ReplyFormat(Generic[T]):
    """The reply that is wanted: how it is read, an example of it, and its schema if it is JSON.

    `units` is how many units it is about; a prompt's `reply_tokens` is what one of them takes.
    `combine` makes one value of two replies where the first is good in part.
    """

    read: Callable[[str, Fences], T]
    example: str
    schema: Mapping[str, Any] | None = None
    units: int = 1
    combine: Callable[[T, T], T] | None = None


class PromptTexts:
    """The texts of an example, ready to be shown in a prompt.

    `shown` has them between marks of one code, and `plain` as they are, for prompts that want that.
    """

    def __init__(self, example: Example, **more: str) -> None:
        """Source, response and question, and more texts that are data too."""
        self._source = example.source
        own = {"source": example.source.prompt_text, "response": example.response.text}
        outside = {"outside_knowledge": _outside(example.source)} if example.source.outside else {}
        self.fences = Fences({**own, "question": example.question, **outside, **more})
        self.shown = {name: self.fences[name] for name in (*own, *more)}
        for name in outside:
            self.shown["source"] += f"\n\n{_ABOUT_OUTSIDE}\n{self.fences[name]}"
        # A question brings its own empty line, so that none is left where there is no question.
        self.shown["question"] = f"{self.fences['question']}\n\n" if example.question else ""
        self.plain = {**self.fences.texts, "source": example.source.prompt_text}
        for name in outside:
            self.plain["source"] += f"\n\n{_ABOUT_OUTSIDE}\n\n{outside[name]}"
        self.plain["question"] = f"{example.question}\n\n" if example.question else ""

    @cached_property
    def quotable(self) -> Quotable:
        """The source, to be searched for what a model quotes from it."""
        return quotable(self._source)

    def show(self, name: str, prompt: Prompt) -> str:
        """One text as the prompt wants it."""
        return (self.plain if prompt.form.texts == "plain" else self.shown)[name]

    async def ask(
        self, client: ModelClient, prompt: Prompt, reply: ReplyFormat[T], **more: str
    ) -> Answer[T]:
        """The answer to the prompt with the texts in it; raises `CallError` where there is none."""
        values = {**(self.plain if prompt.form.texts == "plain" else self.shown), **more}
        gaps = prompt.inputs - set(prompt.fixed)
        request = Request(
            prompt.render(**{name: values[name] for name in gaps}),
            reply.schema,
            example=reply.example,
            reply_tokens=prompt.reply_tokens * reply.units,
        )

        def read(text: str) -> T:
            try:
                return reply.read(text, self.fences)
            except UnreadableError as problem:
                if reply.schema is None:
                    raise
                # Whatever is read of a reply, the model is asked again for all that is wanted.
                wanted = f"Reply with JSON only, in this form: {form_of(reply.schema)}"
                problem.wanted = wanted
                raise

        return await ask(client, request, read, reply.combine)


def _outside(source: Source) -> str:
    """The looked-up passages, each below its title."""
    pieces = ((each.name, source.text[each.start : each.end]) for each in source.outside)
    return "\n\n".join(f"{title}\n{text}" if title else text for title, text in pieces)


def failed(unit: Unit, error: CallError) -> Failure:
    """The failure of a unit whose question was not answered."""
    return Failure(unit.id, error.reason, error.detail, error.raw)


def one_line(words: object) -> str:
    """A text on one line, with single spaces; empty if it is anything but a text."""
    return " ".join(words.split()) if isinstance(words, str) else ""
