"""Many questions at the same time, for evaluations that ask a model."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from assay.detectors.protocol import concurrently

S = TypeVar("S")
T = TypeVar("T")

Progress = Callable[[], None]  # called whenever something is finished


def no_progress() -> None:
    """Reports nothing."""


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
