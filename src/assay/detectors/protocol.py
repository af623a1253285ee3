"""The protocol of detectors, and the capabilities that they declare."""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Protocol, TypeVar, runtime_checkable

from assay.core.decision import Answers, decide
from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.labels import Taxonomy
from assay.core.stages import StageUses
from assay.core.system.threads import in_thread
from assay.core.units import UnitKind
from assay.core.verdicts import FAITHFUL_FROM, NO_ATTRIBUTES, Attributes, Verdict

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The declared capabilities: the units judged, the content of verdicts, the needs."""

    unit_kind: UnitKind
    taxonomy: Taxonomy
    scores: bool = True  # its verdicts have scores
    asks_model: bool = False  # it needs a client to ask
    reads_annotations: bool = False  # it is shown what people said of examples
    finds_units: bool = False  # it finds its own claims or inconsistencies
    one_by_one: bool = False  # it asks about each unit by itself: one left out costs nothing
    consults: bool = False  # outside knowledge can change its verdicts
    runs_here: bool = False  # it runs a model on this machine: device, threshold, calibration
    threshold: float = FAITHFUL_FROM  # the score from which it calls a unit faithful
    has_band: bool = False  # of scores near its threshold it says that it is not sure
    quotes: bool = True  # its verdicts can say which passages they rest on
    marks: bool = False  # its verdicts can say which words the source does not bear out


class Detector(Protocol):
    """Judges one kind of unit in one taxonomy: examples in, judgements out.

    Judgements come as they are ready, not always in the order of the examples; each names its own.
    `judge` reads ahead no further than it needs, so a stream of any length fits in memory. An
    example that names its units has exactly those judged; what cannot be judged is a Failure.
    """

    @property
    def author(self) -> Author:
        """The author of its judgements."""
        ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts that it asks with, by name; nothing where it needs no model."""
        ...

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """The judgements of some examples."""
        ...


@runtime_checkable
class Staged(Protocol):
    """A detector that names those that it may ask one after the other."""

    @property
    def stages(self) -> tuple[Detector, ...]: ...


def stages_of(detector: Detector) -> tuple[Detector, ...]:
    """The detectors that it may ask one after the other; itself where it names none."""
    return detector.stages if isinstance(detector, Staged) else (detector,)


@runtime_checkable
class Combined(Protocol):
    """A detector that is made of others and measures the work of each."""

    @property
    def uses(self) -> StageUses: ...


def uses_of(detector: Detector) -> StageUses:
    """The work of each of its parts; nothing where it is not made of any."""
    return detector.uses if isinstance(detector, Combined) else ()


def judgement_of(
    example: Example,
    author: Author,
    findings: Iterable[Finding],
    characters_read: int | None = None,
) -> Judgement:
    """A detector's judgement of an example; by default it has read the whole source."""
    given = tuple(findings)
    characters = len(example.source.text)
    return Judgement(
        example=example.id,
        author=author,
        units=tuple(each.unit for each in given),
        outcomes=tuple(each.outcome for each in given),
        source_characters=characters,
        characters_read=characters if characters_read is None else characters_read,
    )


def no_fact(
    unit: str, attributes: Attributes = NO_ATTRIBUTES, note: str = "It states nothing to check."
) -> Verdict:
    """The verdict on a unit that states nothing to check."""
    answers = Answers(states_fact=False)
    return Verdict(unit, decide(answers).label, note=note, answers=answers, attributes=attributes)


@asynccontextmanager
async def closing(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Reads what comes, as a detector's judgements, and ends the work when no more is wanted."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()


async def in_batches(
    examples: Iterable[Example],
    judge: Callable[[list[Example]], Iterable[Judgement]],
    size: int = 8,
    alike: Callable[[Example], Hashable] | None = None,
) -> AsyncIterator[Judgement]:
    """Judges batches in a thread, so that the event loop goes on; see `stop_if_left`.

    Of a stream the first batch is of one, and the next ones grow; of what is all there none does.
    Neighbours that are `alike` come into one full batch, unless it would become far too large.
    """
    first = size if isinstance(examples, Sequence) else 1
    for batch in _batches(iter(examples), first, size, alike):
        for judgement in await in_thread(lambda some: list(judge(some)), batch):
            yield judgement


MOST_ALIKE = 4  # times the size of a batch


def _batches(
    stream: Iterator[Example], count: int, size: int, alike: Callable[[Example], Hashable] | None
) -> Iterator[list[Example]]:
    """Batches of `count` examples at first, then of more, up to `size`.

    Small ones do not wait for what follows them, which may be long in coming.
    """
    ahead: list[Example] = []  # at most one, which was not like those before it
    while batch := ahead + list(islice(stream, count - len(ahead))):
        ahead = []
        if alike is not None and count == size:
            wanted = alike(batch[-1])
            while len(batch) < MOST_ALIKE * size and (following := next(stream, None)) is not None:
                if alike(following) != wanted:
                    ahead = [following]
                    break
                batch.append(following)
        yield batch
        count = min(2 * count, size)


Progress = Callable[[], None]  # called whenever something is finished


def no_progress() -> None:
    """Reports nothing."""


async def concurrently(
    items: Iterable[S], work_on: Callable[[S], Awaitable[T]], workers: int
) -> AsyncIterator[T]:
    """Works on several items at the same time, and gives each result as soon as it is there.

    A service that cannot be used ends it when the calls under way are answered, since these are
    paid for; any other error ends it at once.
    """
    stream = iter(items)
    begun = list(islice(stream, workers))  # one for each worker; no more are started than needed
    if len(begun) == 1 < workers:  # there is nothing to wait for but this one
        yield await work_on(begun[0])
        return
    stream = chain(begun, stream)
    done: asyncio.Queue[T | None] = asyncio.Queue()
    room = asyncio.Semaphore(2 * workers)  # for results that nobody has taken yet
    refusals: list[ServiceError] = []
    errors: list[Exception] = []

    async def work() -> None:
        try:
            while not refusals and (item := next(stream, None)) is not None:
                await room.acquire()  # answers from a cache come without any wait
                try:
                    done.put_nowait(await work_on(item))
                except ServiceError as error:
                    refusals.append(error)
        except Exception as error:  # noqa: BLE001 - raised again below, where somebody waits
            errors.append(error)
        finally:
            done.put_nowait(None)

    tasks = [asyncio.create_task(work()) for _ in begun]
    try:
        for _ in tasks:
            while (result := await done.get()) is not None:
                yield result
                room.release()
            if errors:
                raise errors[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if refusals:
        raise refusals[0]


async def ask_each(
    items: Sequence[S],
    ask: Callable[[S], Awaitable[T]],
    workers: int,
    progress: Progress = no_progress,
) -> list[T]:
    """The result of each item, in order; `workers` are in progress at the same time.

    A service that cannot be used raises once the calls under way are answered.
    """

    async def work_on(numbered: tuple[int, S]) -> tuple[int, T]:
        place, item = numbered
        return place, await ask(item)

    found: dict[int, T] = {}
    async for place, result in concurrently(enumerate(items), work_on, workers):
        found[place] = result
        progress()
    return [found[place] for place in range(len(items))]


async def gather_or_cancel(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order; if one raises, the others are cancelled before the error is raised."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
