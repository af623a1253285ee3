"""A detector that computes, shared by many callers of one event loop.

What comes while a batch is judged waits for the next one, in which each caller in turn has one
example: many of one caller do not keep another's few waiting. Responses to one source stand next to
each other, since a detector may read it once for all of them. A long example is judged beside the
batches, one of each caller at a time, and its work ends when its caller leaves.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assay.core.errors import ServiceError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.system import bridge
from assay.detectors.protocol import Detector, closing

MOST_EXAMPLES = 32  # in a batch
MOST_CHARACTERS = 24_000  # in a batch, where a source counts once; two examples always have room
LONG = 6_000  # characters of a response; a source is long that fills a batch
AHEAD = 2 * MOST_EXAMPLES  # of one caller: examples in work, or judged and not yet taken
LONGEST_PAUSE = 0.003  # seconds between batches, in which those who were answered may ask again
PAUSE_SHARE = 1 / 40  # of the time that the last batch took


class SharedDetector:
    """Judges the examples of many callers in common batches, one batch after the other."""

    def __init__(
        self, detector: Detector, on_batch: Callable[[int], None] = lambda examples: None
    ) -> None:
        """`on_batch` is told the size of each batch."""
        self._detector = detector
        self._on_batch = on_batch
        self._waiting: deque[_Caller] = deque()  # those who may have an example to judge
        self._long: deque[_Turn] = deque()
        self._callers: set[_Caller] = set()
        self._work: asyncio.Task[None] | None = None
        self._long_work: asyncio.Task[None] | None = None
        self._under_way: dict[asyncio.Future[None], Sequence[_Turn]] = {}
        self._is_closed = False

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """The judgements of one caller, who may stop at any time: what waits is not judged then."""
        if self._is_closed:
            raise _closed()
        caller = _Caller(examples)
        self._callers.add(caller)
        try:
            self._wait(caller)
            while (judgement := await caller.next()) is not None:
                yield judgement
                self._wait(caller)
        finally:
            caller.leave()
            self._callers.discard(caller)
            self._leave_work()

    async def close(self) -> None:
        """Ends the work under way; who still waits gets an error."""
        self._is_closed = True
        for caller in self._callers:
            caller.fail(_closed())
        self._waiting.clear()
        self._long.clear()
        for work in (self._work, self._long_work):
            if work:
                await work

    def _wait(self, caller: "_Caller") -> None:
        """Gives a caller turns again, if it has examples and room for their judgements."""
        if caller.may_go_on and caller not in self._waiting:
            self._waiting.append(caller)
            if self._work is None or self._work.done():
                self._work = asyncio.create_task(self._judge_all())

    def _put_aside(self, turn: "_Turn") -> None:
        """Has a long example judged beside the batches; its caller gets no other turn meanwhile."""
        turn.caller.is_aside = True
        self._long.append(turn)
        if self._long_work is None or self._long_work.done():
            self._long_work = asyncio.create_task(self._judge_long())

    async def _judge_long(self) -> None:
        """Judges long examples, one after the other."""
        while self._long:
            turn = self._long.popleft()
            self._on_batch(1)
            await self._judge([turn])
            turn.caller.is_aside = False
            self._wait(turn.caller)

    def _leave_work(self) -> None:
        """Ends the work for which nobody waits any more."""
        for work, batch in self._under_way.items():
            if all(turn.caller.is_gone for turn in batch):
                work.cancel()

    async def _judge_all(self) -> None:
        """Judges batches until nobody waits."""
        while batch := self._next_batch():
            began = time.perf_counter()
            self._on_batch(len(batch))
            await self._judge(batch)
            if 0 < len(self._waiting) < MOST_EXAMPLES:
                took = time.perf_counter() - began
                await asyncio.sleep(min(LONGEST_PAUSE, took * PAUSE_SHARE))

    def _next_batch(self) -> "Sequence[_Turn]":
        """One example of each caller in turn, as long as there is room; those alike together."""
        sources: dict[tuple[str, str], list[_Turn]] = {}
        count = characters = 0
        while count < MOST_EXAMPLES and (characters < MOST_CHARACTERS or count < 2):
            if not self._waiting:
                break
            caller = self._waiting.popleft()
            if (example := caller.take()) is None:
                continue
            if _is_long(example):
                self._put_aside(_Turn(caller, example))
                continue
            self._waiting.append(caller)
            source = (example.question, example.source.text)
            characters += len(example.response.text) + (0 if source in sources else len(source[1]))
            sources.setdefault(source, []).append(_Turn(caller, example))
            count += 1
        # The longest first: what comes last is short, and no core waits long for another.
        alike = sorted(sources, key=lambda source: len(source[1]), reverse=True)
        return [turn for source in alike for turn in sources[source]]

    async def _judge(self, batch: "Sequence[_Turn]") -> None:
        """Judges a batch; where that fails, each example alone, so that one fails no other."""
        left = {number: turn for number, turn in enumerate(batch) if not turn.caller.is_gone}
        if not left:
            return
        work = asyncio.ensure_future(bridge.run_async(self._tell(left, asyncio.get_running_loop())))
        self._under_way[work] = list(left.values())
        try:
            await work
            if left:
                raise RuntimeError(f"{self._detector.author.name} left an example out")
        except (Exception, asyncio.CancelledError) as why:  # noqa: BLE001 - raised where one waits
            error = why if isinstance(why, Exception) else ServiceError("the detector gave up")
            for turn in left.values():
                if len(batch) > 1:
                    await self._judge([turn])
                else:
                    turn.caller.fail(error)
        finally:
            del self._under_way[work]

    async def _tell(self, left: "dict[int, _Turn]", loop: asyncio.AbstractEventLoop) -> None:
        """Judges examples by number on a loop of our own, so that the callers' loop goes on."""

        def tell(judgement: Judgement) -> None:
            left.pop(int(judgement.example)).tell(judgement)

        examples = [replace(turn.example, id=str(number)) for number, turn in left.items()]
        async with closing(self._detector.judge(examples)) as judgements:
            async for judgement in judgements:
                loop.call_soon_threadsafe(tell, judgement)


class _Caller:
    """One stream of examples, and the judgements that it has not taken yet."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self._examples = iter(examples)
        self._told: asyncio.Queue[Judgement | Exception | None] = asyncio.Queue()
        self._open = 0  # examples in work, or judged and not yet taken
        self._has_ended = False  # nothing more is judged for it
        self.is_gone = False  # nobody waits any more
        self.is_aside = False  # a long example of it is judged beside the batches
        self._error: Exception | None = None  # by which its examples ended

    @property
    def may_go_on(self) -> bool:
        """True if it may have an example, and has room for another judgement."""
        return not self._has_ended and not self.is_aside and self._open < AHEAD

    def take(self) -> Example | None:
        """Its next example, if it has one and has room."""
        if not self.may_go_on:
            return None
        try:
            example = next(self._examples, None)
        except Exception as error:  # noqa: BLE001 - it is raised behind the judgements
            example, self._error = None, error
        if example is None:
            self._has_ended = True
            if not self._open:
                self._told.put_nowait(self._error)
        else:
            self._open += 1
        return example

    def tell(self, judgement: Judgement) -> None:
        """Hands it a judgement."""
        self._told.put_nowait(judgement)

    def fail(self, error: Exception) -> None:
        """Ends it with an error."""
        self._has_ended = True
        self._told.put_nowait(error)

    def leave(self) -> None:
        """Nobody waits any more."""
        self._has_ended = self.is_gone = True

    async def next(self) -> Judgement | None:
        """The next judgement; None after the last one."""
        if self._has_ended and not self._open and self._told.empty():
            told: Judgement | Exception | None = self._error
        else:
            told = await self._told.get()
        if isinstance(told, Exception):
            raise told
        self._open -= told is not None
        return told


@dataclass(frozen=True, slots=True)
class _Turn:
    """An example in a batch, and who waits for it."""

    caller: _Caller
    example: Example

    def tell(self, judgement: Judgement) -> None:
        self.caller.tell(replace(judgement, example=self.example.id))


def _is_long(example: Example) -> bool:
    return len(example.response.text) > LONG or len(example.source.text) > MOST_CHARACTERS


def _closed() -> ServiceError:
    return ServiceError("the detector is closed: it judges nothing more")
