"""Any detector on Ray: to the engine it is a detector like others."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.stages import StageUses
from assay.core.system import bridge
from assay.core.system.notices import notify
from assay.detectors.protocol import Capabilities
from assay.detectors.registry import Annotations, DetectorSpec
from assay.engine.engines import EngineChoice
from assay.engine.ray.cluster import find_room, join
from assay.engine.ray.judging import Desk, RayJudging
from assay.engine.ray.messages import ClientFace, DetectorOpening, Introduction, KnowledgeFace
from assay.engine.ray.turns import BatchLimits
from assay.engine.ray.workers import Workers
from assay.knowledge.sources import KnowledgeSource
from assay.llm.client import ModelClient

BATCH = 16  # examples of a detector that computes; a worker has two batches, one of which waits
ASKING_BATCH = 4  # of one that asks: the next follow when all of these are judged


@dataclass(frozen=True, slots=True)
class RayDetector:
    """A detector that workers have opened; their questions are answered at its desk.

    Where several stand for the same workers, one `counts` what their parts have done.
    """

    introduction: Introduction
    workers: Workers
    desk: Desk
    limits: BatchLimits
    counts: bool = True

    @property
    def author(self) -> Author:
        return self.introduction.author

    @property
    def capabilities(self) -> Capabilities:
        return self.introduction.capabilities

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        return self.introduction.prompt_digests

    @property
    def uses(self) -> StageUses:
        """The work of the parts of the detector, on all workers."""
        return self.workers.uses if self.counts else ()

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges examples on all workers at the same time."""
        return RayJudging(self.workers, self.desk, self.limits).judge(examples)


class RayOpening:
    """Opens a detector on workers, which stay until it is closed, whoever is asked."""

    def __init__(
        self,
        choice: EngineChoice,
        spec: DetectorSpec,
        annotations: Annotations | None = None,
        knowledge: KnowledgeSource | None = None,
    ) -> None:
        self._choice = choice
        self._spec = spec
        self._annotations = annotations
        self._knowledge = knowledge
        self._opened: tuple[Workers, Introduction] | None = None

    def open(self, clients: Sequence[ModelClient]) -> RayDetector:
        """The detector, whose questions these clients answer."""
        is_first = self._opened is None
        self._opened = workers, introduction = self._opened or self._start(clients)
        desk = Desk(clients, self._knowledge)
        limits = _limits(introduction.capabilities, clients, workers.count)
        return RayDetector(introduction, workers, desk, limits, is_first)

    def close(self) -> None:
        """Ends the workers."""
        if self._opened:
            workers, _ = self._opened
            bridge.run(_closed(workers))

    def close_here(self) -> None:
        """The same for who is on the event loop."""
        if self._opened:
            workers, _ = self._opened
            workers.close()

    def _start(self, clients: Sequence[ModelClient]) -> tuple[Workers, Introduction]:
        join(self._choice.address)
        room = find_room(self._choice, self._spec.local.device)
        knowledge, given = self._knowledge, self._annotations
        opening = DetectorOpening(
            self._spec,
            tuple(map(ClientFace.of, clients)),
            KnowledgeFace(knowledge.name, knowledge.digest) if knowledge else None,
            tuple(given()) if given else None,
        )
        workers = Workers(opening, room)
        try:
            introduction = bridge.run(workers.start())
        except BaseException:
            bridge.run(_closed(workers))
            raise
        notify(f"judging on Ray, workers: {room.workers}")
        return workers, introduction


async def _closed(workers: Workers) -> None:
    """Closes the workers on the loop on which they were opened."""
    workers.close()


def _limits(can: Capabilities, clients: Sequence[ModelClient], workers: int) -> BatchLimits:
    """As many examples under way as may be asked about at once, and as many ready to follow."""
    if not can.asks_model:
        return BatchLimits(BATCH, 2, keeps_alike=True, workers=workers)
    calls = max((client.concurrency for client in clients), default=1)
    batches = max(2, -(-2 * calls // (workers * ASKING_BATCH)))
    return BatchLimits(ASKING_BATCH, batches, keeps_alike=False)
