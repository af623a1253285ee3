"""Asking models for responses to sources: each model at its own pace, whatever becomes of others.

A task is a summary, an answer from passages, or an overview of a record; its prompt is a file
beside this one, and a user may bring another in the place of one of ours. A model whose service
cannot be used loses only its own responses. What is there when the work ends, however it ends, is
in the hands of whoever asked: every response is handed over as soon as it is made. Models are given
by name, or with settings of their own in a file:

[[model]]
name = "gpt-5-cold"
model = "openai/gpt-5"
temperature = 0.0
seed = 7
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from assay.bench.responses import Provenance, collected, declined, settings_of
from assay.core.errors import BudgetError, InputError, ServiceError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.datasets.sources import is_structured, structured
from assay.detectors.protocol import concurrently
from assay.llm.client import CallError, ModelClient, Request
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt, read_prompt
from assay.llm.settings.files import check_ranges
from assay.llm.settings.options import Options
from assay.llm.settings.toml_tables import Kinds, read_fields, read_toml

_FOLDER = Path(__file__).parent / "prompts"
# What each prompt may be filled with; all of it must be in a prompt of the user's as well.
_FILLED = {"summarize": ("source",), "answer": ("source", "question"), "overview": ("source",)}
TASKS = tuple(_FILLED)


@dataclass(frozen=True, slots=True)
class Task:
    """A task by its name, and the prompt that sets it."""

    name: str
    prompt: Prompt

    def request(self, example: Example) -> Request:
        """The request to a model about a source, which is fenced as material."""
        fences = Fences({"source": example.source.prompt_text, "question": example.question})
        is_plain = self.prompt.form.texts == "plain"
        shown = {
            name: fences.texts[name] if is_plain else fences[name] for name in self.prompt.inputs
        }
        return Request(
            self.prompt.render(**shown),
            example="The model writes its response here.",
            reply_tokens=self.prompt.reply_tokens,
        )


def open_task(name: str, file: str = "") -> Task:
    """The task of that name, with our prompt or with the one in a file."""
    if name not in _FILLED:
        raise UnknownNameError("task", name, TASKS, field="task")
    return Task(name, _brought(name, file) if file else _ours(name))


def assign(sources: Iterable[Example], task: str = "") -> list[Example]:
    """Each source under a task: the one that is named for all, its own, or the one that fits it.

    Without a name, a question asks for an answer, an object for an overview, and anything else for
    a summary. A source that lacks what its task needs raises.
    """
    if task and task not in _FILLED:
        raise UnknownNameError("task", task, TASKS, field="task")
    return [_assigned(each, task) for each in sources]


def _assigned(example: Example, task: str) -> Example:
    name = task or (example.task if example.task in _FILLED else _fitting(example))
    if name == "answer" and not example.question.strip():
        raise InputError(
            f"the source '{example.id}' has no question, and an answer needs one",
            code="no-question",
            field="task",
        )
    if name == "overview":
        example = structured(example)
    return replace(example, task=name)


def _fitting(example: Example) -> str:
    if example.question.strip():
        return "answer"
    return "overview" if is_structured(example.source) else "summarize"


@cache
def _ours(name: str) -> Prompt:
    return read_prompt(_FOLDER / f"{name}.md")


def _brought(name: str, file: str) -> Prompt:
    prompt = read_prompt(file)
    menu = ", ".join(f"${each}" for each in _FILLED[name])
    if prompt.inputs != set(_FILLED[name]):
        wrong = sorted(prompt.inputs ^ set(_FILLED[name]))[0]
        what = "is unknown" if wrong in prompt.inputs else "is missing"
        raise InputError(f"{file}: ${wrong} {what}; the task {name} fills in {menu}")
    if prompt.form.kind != "own":
        raise InputError(f"{file}: a response has no form to be read; leave out 'reply'")
    return replace(prompt, brought=prompt.name)


PATIENCE = 20  # calls in a row that a service may leave without an answer
_KINDS: Kinds = {  # of the settings of a model in a file
    "name": str,
    "model": str,
    "base_url": str,
    "key_env": str,
    "temperature": float,
    "max_tokens": int,
    "seed": int,
    "reasoning_effort": str,
    "timeout": float,
    "deadline": float,
    "attempts": int,
    "concurrency": int,
    "requests_per_minute": int,
    "tokens_per_minute": int,
}


@dataclass(slots=True)
class Collection:
    """Responses by source and model, and calls that brought none."""

    found: dict[tuple[str, str], Annotated] = field(default_factory=dict)
    failures: dict[tuple[str, str], CallError] = field(default_factory=dict)
    stopped: dict[str, ServiceError] = field(default_factory=dict)  # by model

    @property
    def reasons(self) -> Counter[str]:
        """The reasons of calls that brought no response."""
        return Counter(each.reason for each in self.failures.values())


@dataclass(frozen=True, slots=True)
class Wanted:
    """A model under the name that its responses carry, and the sources that it is asked about."""

    name: str
    client: ModelClient
    sources: Sequence[Example]


async def collect(
    wanted: Sequence[Wanted],
    tasks: Mapping[str, Task],
    collection: Collection,
    progress: Callable[[], None],
) -> None:
    """Asks every model for what is wanted of it; a budget that is used up ends it for all."""
    ended = await asyncio.gather(
        *(_ask_model(each, tasks, collection, progress) for each in wanted), return_exceptions=True
    )
    errors = [each for each in ended if isinstance(each, BaseException)]
    for error in sorted(errors, key=lambda each: isinstance(each, BudgetError)):
        raise error  # a fault before a budget


async def _ask_model(
    wanted: Wanted,
    tasks: Mapping[str, Task],
    collection: Collection,
    progress: Callable[[], None],
) -> None:
    lost = 0

    async def ask(source: Example) -> tuple[Example, Annotated | CallError]:
        task = tasks[source.task]
        made = _made(task, wanted.client)
        try:
            reply = await wanted.client.ask(task.request(source))
        except CallError as error:
            if error.reason == "refused":
                return source, declined(source, wanted.name, error.detail, made)
            return source, error
        return source, collected(source, wanted.name, reply, made)

    try:
        async for source, result in concurrently(wanted.sources, ask, wanted.client.concurrency):
            key = (source.id, wanted.name)
            if isinstance(result, CallError):
                collection.failures[key] = result
                lost = lost + 1 if result.reason == "transport" else 0
            else:
                collection.found[key] = result
                lost = 0
            progress()
            if lost >= max(PATIENCE, wanted.client.concurrency):
                raise ServiceError(
                    f"nothing came back for {lost:,} calls in a row "
                    f"({collection.failures[key].detail}): the service seems to be down",
                    code="service-down",
                )
    except BudgetError:
        raise
    except ServiceError as error:
        collection.stopped[wanted.name] = error


def _made(task: Task, client: ModelClient) -> Provenance:
    prompt = task.prompt
    about = {"name": prompt.name, "version": prompt.version, "digest": prompt.digest}
    return Provenance(task.name, "", about, settings_of(client.describe()))


@dataclass(slots=True)
class ModelLine:
    """Counts for one model: every source has a response, of whatever kind, or lacks one."""

    model: str
    sources: int
    is_asked: bool  # otherwise its responses were made elsewhere
    responses: int = 0
    refused: int = 0
    empty: int = 0
    truncated: int = 0
    lacking: list[str] = field(default_factory=list)  # the ids of sources without a response
    problem: str = ""  # why some are lacking

    def to_dict(self) -> dict[str, Any]:
        """The entry of a model in the document that `--json` prints."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Collected:
    """The state of a collection: what its file has, what it lacks, and how it ended."""

    file: str
    sources: int
    models: tuple[ModelLine, ...]
    state: str = "complete"  # or what ended it: budget, interrupted, terminated
    detail: str = ""  # what the budget said
    stopped: tuple[str, ...] = ()  # what services said that could not be used
    adaptations: tuple[str, ...] = ()

    @property
    def lacking(self) -> int:
        """The number of missing responses."""
        return sum(len(each.lacking) for each in self.models)

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay collect --json` prints."""
        return {
            "file": self.file,
            "sources": self.sources,
            "state": self.state,
            "lacking": self.lacking,
            "adaptations": list(self.adaptations),
            "models": [each.to_dict() for each in self.models],
        }


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model with its settings; `name` is what its responses are filed under."""

    name: str
    model: str
    options: Options


def asked_models(models: Sequence[str], file: str, options: Options) -> list[AskedModel]:
    """The named models and those of a file; what a table leaves open is as in the options."""
    named = [AskedModel(each, each, options) for each in models]
    return [*named, *(_read(Path(file), options) if file else ())]


def require_names(names: Iterable[str]) -> None:
    """Raises where two models, or responses made elsewhere, would have one name."""
    seen: set[str] = set()
    for name in names:
        if not name.strip():
            raise InputError("a model has no name", field="model")
        if name in seen:
            raise InputError(
                f"two models are called '{name}', and their responses could not be told apart; "
                "give each a name of its own in a file of models",
                code="two-models",
                field="model",
            )
        seen.add(name)


def _read(path: Path, options: Options) -> list[AskedModel]:
    whole = read_toml(path, field="models")
    tables = whole.pop("model", None)
    if whole or not isinstance(tables, list) or not tables:
        raise InputError(
            f"{path} names no models; it has a table for each, which begins with [[model]]",
            field="models",
        )
    return [_table(each, f"{path}, model {n}", options) for n, each in enumerate(tables, start=1)]


def _table(table: object, where: str, options: Options) -> AskedModel:
    fields: dict[str, Any] = dict(read_fields(table, _KINDS, where))
    model = fields.pop("model", "").strip()
    if not model:
        raise InputError(f"{where}: 'model' is missing, as in openai/gpt-4o", field="models")
    name = fields.pop("name", "").strip() or model
    check_ranges(fields, f"{where}: ")
    return AskedModel(name, model, replace(options, **_known(fields)))


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in asdict(Options())}
