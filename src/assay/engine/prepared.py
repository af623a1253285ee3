"""The detector of a check, made with the models and the knowledge that it asks."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay import __version__
from assay.core.examples import Example
from assay.core.judgements import Judgement, Manifest, utc_now
from assay.core.results import Result
from assay.datasets.selection import DataChoice
from assay.detectors.local import parameters_of
from assay.detectors.protocol import Detector, closing
from assay.detectors.registry import Annotations, DetectorSpec, open_detector
from assay.engine.check_traces import CheckRecord
from assay.engine.engines import THIS_PROCESS, EngineChoice
from assay.engine.kept_checks import OnProblem, Row, numbered

if TYPE_CHECKING:
    from assay.engine.check import CheckRequest
    from assay.engine.models import ModelPool
    from assay.engine.ray.detector import RayOpening
    from assay.knowledge.sources import KnowledgeSource


@dataclass(frozen=True, slots=True)
class PreparedDetector:
    """A detector whose models are known and not yet connected; what is wrong has been raised."""

    detector: Detector
    manifest: Manifest
    pool: "ModelPool | None"
    knowledge: "KnowledgeSource | None"
    elsewhere: "RayOpening | None" = None

    @classmethod
    def of(cls, request: "CheckRequest", engine: EngineChoice = THIS_PROCESS) -> "PreparedDetector":
        """The detector that a request names; its model is loaded if it runs here."""
        pool = _pool(request.detector)
        knowledge = request.knowledge.open()
        clients, annotations = pool.clients if pool else (), _annotations(request)
        elsewhere = _elsewhere(engine, request.detector, annotations, knowledge)
        if elsewhere:
            detector: Detector = elsewhere.open(clients)
        else:
            opened = open_detector(request.detector, clients, annotations)
            detector = consulting(opened, knowledge)
        manifest = manifest_of(request.detector, request.peers, detector, pool, knowledge)
        return cls(detector, manifest, pool, knowledge, elsewhere)

    @property
    def usage(self) -> str:
        """The calls so far and their cost, in words; empty where no model was asked."""
        return self.pool.usage.describe() if self.pool else ""

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Its models and its knowledge can be asked inside; workers elsewhere end then."""
        async with AsyncExitStack() as opened:
            if self.elsewhere:
                opened.callback(self.elsewhere.close_here)
            if self.pool:
                await opened.enter_async_context(self.pool)
            if self.knowledge:
                await opened.enter_async_context(self.knowledge)
            yield


Judge = Callable[[Iterable[Example]], AsyncIterator[Judgement]]


async def in_order(
    judge: Judge, manifest: Manifest, rows: Iterable[Row], on_problem: OnProblem
) -> AsyncIterator[Result]:
    """The results of a check in the order of its rows, with their spans.

    Examples are numbered for the detector, since a user's ids may appear twice.
    """
    waiting: dict[int, Example] = {}
    ready: dict[int, Result] = {}
    following = 0
    with CheckRecord(manifest) as record:
        judging = judge(numbered(record.timed(rows), waiting, on_problem))
        async with closing(judging) as judgements:
            while True:
                with record.active():  # not while a caller has the result: the context is theirs
                    judgement = await anext(judgements, None)
                if judgement is None:
                    break
                number = int(judgement.example)
                example = waiting.pop(number)
                said = replace(judgement, example=example.id, at=utc_now())
                ready[number] = record.told(Result(example, said))
                while following in ready:
                    yield ready.pop(following)
                    following += 1


def _pool(spec: DetectorSpec) -> "ModelPool | None":
    """The models of a detector; what only they need is imported only then."""
    if not spec.capabilities.asks_model:
        return None
    from assay.engine.models import ModelPool

    return ModelPool.of(spec)


def _annotations(request: "CheckRequest") -> Annotations | None:
    if not request.peers:
        return None
    from assay.engine.request import RunRequest

    peers = RunRequest(DataChoice(request.peers), request.detector, request.peers)
    return peers.annotations()


def _elsewhere(
    engine: EngineChoice,
    spec: DetectorSpec,
    annotations: Annotations | None,
    knowledge: "KnowledgeSource | None",
) -> "RayOpening | None":
    """The workers that judge, unless this process does."""
    if not engine.engine:
        return None
    from assay.engine.ray.detector import RayOpening

    return RayOpening(engine, spec, annotations, knowledge)


def consulting(detector: Detector, knowledge: "KnowledgeSource | None") -> Detector:
    """The detector, which looks up what the source does not say if there is a place to look."""
    if knowledge is None:
        return detector
    from assay.detectors.combinators.consultation import consult

    return consult(detector, knowledge)


def manifest_of(
    spec: DetectorSpec,
    peers: str,
    detector: Detector,
    pool: "ModelPool | None",
    knowledge: "KnowledgeSource | None",
) -> Manifest:
    """All that the answers depend on, besides the rows."""
    return Manifest(
        author=detector.author,
        version=__version__,
        detector=spec.name,
        unit_kind=detector.capabilities.unit_kind,
        taxonomy=detector.capabilities.taxonomy.name,
        model=", ".join(dict.fromkeys(pool.models)) if pool else "",
        votes=spec.votes,
        peers=peers,
        knowledge=knowledge.name if knowledge else "",
        knowledge_digest=knowledge.digest if knowledge else "",
        parameters={
            **(pool.describe(spec.votes * len(pool.clients)) if pool else {}),
            **parameters_of(spec.local, detector.capabilities),
        },
        prompt_digests=dict(detector.prompt_digests),
    )
