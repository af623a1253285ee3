"""An offline detector that is asked from an event loop, which goes on meanwhile."""

import asyncio
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from assay.core.examples import Example, Judgement
from assay.core.units import UnitKind
from assay.detectors.protocol import Detector

BATCH = 32  # examples that are judged together at most


@dataclass(frozen=True, eq=False)
class _Batch:
    """Examples that wait for their turn, and the work that will judge them all."""

    examples: list[Example]
    work: "asyncio.Task[list[Judgement]]"


@dataclass(eq=False)
class _Queue:
    """The batches of one event loop: one is judged at a time, and the next fills up meanwhile."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    filling: _Batch | None = None


class InThread:
    """Judges examples one by one for whoever asks, but hands them to the detector in batches."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        # A lock belongs to the loop that it was first waited for in.
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The detector's."""
        return self._detector.name

    @property
    def unit_kind(self) -> UnitKind:
        """What the detector judges."""
        return self._detector.unit_kind

    async def judge(self, example: Example) -> Judgement:
        """The judgement of one example, once its batch is done."""
        loop = asyncio.get_running_loop()
        queue = self._queues.setdefault(loop, _Queue())
        batch = queue.filling
        if batch is None or len(batch.examples) == BATCH:
            examples: list[Example] = []
            batch = _Batch(examples, loop.create_task(self._judge(queue, examples)))
            queue.filling = batch
        place = len(batch.examples)
        batch.examples.append(example)
        # Whoever is called off leaves the others of the batch alone.
        return (await asyncio.shield(batch.work))[place]

    async def _judge(self, queue: _Queue, examples: list[Example]) -> list[Judgement]:
        async with queue.turn:
            if queue.filling and queue.filling.examples is examples:
                queue.filling = None  # from now on others go into the next batch
            return await asyncio.to_thread(lambda: list(self._detector.detect(examples)))
