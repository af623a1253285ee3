"""Turns of examples: they come in batches, and no more at once than workers have room for.

The examples that a worker had when it died are judged again, each alone on a worker: one that kills
workers is known then. When it has done so too often, it ends the run.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.core.judgements import Judgement

MOST_DEATHS = 3  # of workers, over one example
MOST_ALIKE = 4  # times the size of a batch, for those with the same source


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The size of a batch, and how many of them a worker may have at the same time.

    Neighbours with the same source come into one batch if a detector reads it once for them. For
    so many `workers` the first batches are of one example and the next ones grow, so that all of
    them have something to do where there is little.
    """

    batch: int
    batches: int
    keeps_alike: bool
    workers: int = 0

    def size(self, before: int) -> int:
        """The size of a batch, after so many others."""
        rounds = before // (self.batches * self.workers) if self.workers else self.batch
        return min(self.batch, 1 << min(rounds, self.batch))


@dataclass(slots=True, eq=False)
class ExampleTurn:
    """An example, and how many workers died over it."""

    example: Example
    deaths: int = 0


@dataclass(slots=True, eq=False)
class ExampleBatch:
    """Examples that one worker has; `left` are those that it has not judged yet."""

    number: int
    turns: list[ExampleTurn]
    is_alone: bool = False
    left: dict[str, list[ExampleTurn]] = field(init=False)

    def __post_init__(self) -> None:
        self.left = {}
        for turn in self.turns:
            self.left.setdefault(turn.example.id, []).append(turn)

    def take(self, judgement: Judgement) -> None:
        """Notes that an example is judged."""
        turns = self.left[judgement.example]
        turns.pop()
        if not turns:
            del self.left[judgement.example]

    @property
    def rest(self) -> list[ExampleTurn]:
        """The examples that are not judged."""
        return [turn for turns in self.left.values() for turn in turns]


Batches = Mapping[int, ExampleBatch]  # those that a worker has, by number


class Turns:
    """Examples of a stream, handed out as there is room for them, and again where workers died."""

    def __init__(self, examples: Iterable[Example], limits: BatchLimits) -> None:
        self._stream = iter(examples)
        self._limits = limits
        self._ahead: list[Example] = []  # at most one, which was not like those before it
        self._suspects: deque[ExampleTurn] = deque()
        self._under_way = 0
        self._batches = 0
        self._has_ended = self._has_stopped = False
        self._changed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """True if nothing is under way and nothing will be."""
        if self._under_way:
            return False
        return self._has_stopped or (self._has_ended and not self._suspects)

    def next(self, under_way: Batches) -> ExampleBatch | None:
        """The next batch of a worker that has these; None if there is nothing for it now."""
        if self._has_stopped:
            return None
        if self._suspects and not under_way:
            return self._batch([self._suspects.popleft()], is_alone=True)
        is_full = len(under_way) >= self._limits.batches
        if is_full or self._has_ended or any(each.is_alone for each in under_way.values()):
            return None
        turns = [ExampleTurn(example) for example in self._pull()]
        return self._batch(turns) if turns else None

    def end(self, batch: ExampleBatch) -> None:
        """Notes that a worker is done with a batch."""
        self._under_way -= 1

    def stop(self) -> None:
        """Hands out nothing more."""
        self._has_stopped = True

    def give_back(self, batches: Batches) -> None:
        """Takes the examples that a worker had when it died; they come first now."""
        for batch in batches.values():
            self._under_way -= 1
            for turn in batch.rest:
                turn.deaths += 1
                if turn.deaths >= MOST_DEATHS:
                    raise ServiceError(
                        f"{turn.deaths} workers died while they judged '{turn.example.id}', which"
                        " may need more memory than they have: leave it out, or give workers"
                        " more room"
                    )
                self._suspects.append(turn)
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self) -> None:
        """Waits until there may be something for a worker that has nothing."""
        await self._changed.wait()

    def _batch(self, turns: list[ExampleTurn], *, is_alone: bool = False) -> ExampleBatch:
        self._batches += 1
        self._under_way += 1
        return ExampleBatch(self._batches, turns, is_alone)

    def _pull(self) -> list[Example]:
        """The next examples of the stream."""
        found, size = self._ahead, self._limits.size(self._batches)
        self._ahead = []
        most = MOST_ALIKE * size if self._limits.keeps_alike else size
        while len(found) < most:
            example = next(self._stream, None)
            if example is None:
                self._has_ended = True
                break
            if len(found) >= size and not _are_alike(example, found[-1]):
                self._ahead = [example]
                break
            found.append(example)
        return found


def _are_alike(one: Example, other: Example) -> bool:
    return one.source.text == other.source.text and one.question == other.question
