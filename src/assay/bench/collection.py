"""Asking models for responses to sources: each model at its own pace, whatever becomes of others.

A model whose service cannot be used loses only its own responses. What is there when the work ends,
however it ends, is in the hands of whoever asked: every response is handed over as soon as it is
made. Models are given by name, or with settings of their own in a file:

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
from pathlib import Path
from typing import Any

from assay.bench.responses import Provenance, collected, declined, settings_of
from assay.bench.tasks import Task
from assay.core.errors import BudgetError, InputError, ServiceError
from assay.core.examples import Annotated, Example
from assay.detectors.protocol import concurrently
from assay.llm.client import CallError, Client
from assay.llm.settings.files import check_ranges
from assay.llm.settings.options import Options
from assay.llm.settings.toml_tables import Kinds, read_fields, read_toml

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
    client: Client
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


def _made(task: Task, client: Client) -> Provenance:
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
