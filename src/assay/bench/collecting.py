"""Asking models for responses to sources: each model at its own pace, whatever becomes of others.

A model whose service cannot be used loses only its own responses. What is there when the work ends,
however it ends, is in the hands of whoever asked: every response is handed over as soon as it is
made.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.bench.collected import Provenance, collected, declined, settings_of
from assay.bench.tasks import Task
from assay.core.errors import BudgetError, ServiceError
from assay.core.examples import Annotated, Example
from assay.detectors.protocol import concurrently
from assay.llm.client import CallError, Client

PATIENCE = 20  # calls in a row that a service may leave without an answer


@dataclass(slots=True)
class Collection:
    """What came of asking: responses by source and model, and calls that brought none."""

    found: dict[tuple[str, str], Annotated] = field(default_factory=dict)
    failures: dict[tuple[str, str], CallError] = field(default_factory=dict)
    stopped: dict[str, ServiceError] = field(default_factory=dict)  # by model

    @property
    def reasons(self) -> Counter[str]:
        """Why calls brought no response."""
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
