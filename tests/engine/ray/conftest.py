"""Workers in this process, which die when they are told to; and a real cluster of several nodes."""

import asyncio
import os
import pickle
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.stages import StageUses
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.detectors.protocol import Capabilities
from assay.detectors.registry import DETECTORS, DetectorSpec, DetectorType
from assay.engine.ray.cluster import Room
from assay.engine.ray.detector import RayDetector, _limits
from assay.engine.ray.judging import Desk
from assay.engine.ray.messages import (
    ClientFace,
    DetectorOpening,
    Event,
    Introduction,
    Item,
    KnowledgeFace,
    SentError,
    Work,
)
from assay.engine.ray.worker import DetectorWorker, versions
from assay.engine.ray.workers import RemoteWorker, WorkerLostError, Workers
from assay.knowledge.sources import KnowledgeSource
from assay.llm.client import ModelClient

LIMIT = 120.0
CLUSTER = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "ASSAY_TEST_CLUSTER": f"cluster of {os.getpid()}",
}
OURS = CLUSTER["ASSAY_TEST_CLUSTER"].encode()
Dies = Callable[[Work], bool]


class NearWorker(RemoteWorker):
    """A worker in this process; all that it hears and says travels as bytes."""

    def __init__(self, dies: Dies, *, has_room: bool = True) -> None:
        self._has_room = has_room
        self.place = "here"
        self.uses = ()
        self._worker = DetectorWorker()
        self._dies = dies
        self._is_dead = asyncio.Event()
        self._putting: list[asyncio.Future[None]] = []

    async def open(self, opening: bytes) -> Introduction:
        if not self._has_room:
            await asyncio.Event().wait()
        told = pickle.loads(await self._worker.open(versions(), "", opening))
        if isinstance(told, SentError):
            raise told.error
        assert isinstance(told, Introduction)
        return told

    def put(self, *items: Item) -> None:
        if any(isinstance(each, Work) and self._dies(each) for each in items):
            self.kill()
        if not self._is_dead.is_set():
            self._putting.append(asyncio.ensure_future(self._worker.put(pickle.dumps(items))))

    async def take(self) -> list[Event]:
        told = asyncio.ensure_future(self._worker.take())
        dead = asyncio.ensure_future(self._is_dead.wait())
        try:
            await asyncio.wait([told, dead], return_when=asyncio.FIRST_COMPLETED)
            if self._is_dead.is_set():
                raise WorkerLostError("it ended unexpectedly")
            return [pickle.loads(each) for each in told.result()]
        finally:
            told.cancel()
            dead.cancel()

    @property
    def is_dead(self) -> bool:
        return self._is_dead.is_set()

    def kill(self) -> None:
        self._is_dead.set()
        for task in self._worker._tasks:
            task.cancel()


@dataclass
class Near:
    """Workers in this process; `dies` says which work kills its worker."""

    count: int = 2
    dies: Dies = lambda work: False
    room: int = 1_000  # so many open their detector, and the others wait for ever
    begun: list[NearWorker] = field(default_factory=list)
    uses: Callable[[], StageUses] = tuple  # the work of the parts of the detector

    async def judge(
        self,
        spec: DetectorSpec,
        examples: Iterable[Example],
        *clients: ModelClient,
        knowledge: KnowledgeSource | None = None,
    ) -> AsyncIterator[Judgement]:
        """What a detector says on them."""
        place = KnowledgeFace(knowledge.name, knowledge.digest) if knowledge else None
        opening = DetectorOpening(spec, tuple(map(ClientFace.of, clients)), place)
        self.uses = lambda: workers.uses
        workers = Workers(opening, Room(self.count, 1, 0), self._begin)
        try:
            told = await workers.start()
            limits = _limits(told.capabilities, clients, self.count)
            detector = RayDetector(told, workers, Desk(clients, knowledge), limits)
            async for judgement in detector.judge(examples):
                yield judgement
        finally:
            workers.close()

    def all_of(
        self, spec: DetectorSpec, examples: Iterable[Example], *clients: ModelClient, **more: Any
    ) -> list[Judgement]:
        """The same for who has no event loop."""

        async def work() -> list[Judgement]:
            return [each async for each in self.judge(spec, examples, *clients, **more)]

        return asyncio.run(asyncio.wait_for(work(), LIMIT))

    def _begin(self, room: Room) -> NearWorker:
        worker = NearWorker(self.dies, has_room=len(self.begun) < self.room)
        self.begun.append(worker)
        return worker


@dataclass(frozen=True)
class Faulty:
    """Judges as `overlap` does; what a response says makes it fail in one way or another."""

    author: ClassVar[Author] = Author("faulty")
    capabilities: ClassVar[Capabilities] = Capabilities("sentence", GRAY7)
    prompt_digests: ClassVar[Mapping[str, str]] = {}

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        for example in examples:
            if "raise" in example.response.text:
                raise ValueError("it cannot read that")
            if "leave" in example.response.text:
                continue
            if "hold" in example.response.text:
                judged = Judgement(example.id, self.author, (), ())
                object.__setattr__(judged, "example", _Unsendable(example.id))
                yield judged
                continue
            yield Judgement(example.id, self.author, (), ())


class _Unsendable(str):
    def __reduce__(self) -> Any:
        raise TypeError("a lock is held")


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> DetectorSpec:
    """A detector that fails."""
    monkeypatch.setitem(DETECTORS, "faulty", "faulty")
    kind = DetectorType("it fails", Faulty().capabilities, lambda parts: Faulty())
    find = "assay.detectors.registry.find_type"

    from assay.detectors import registry

    known = registry.find_type
    for place in (find, "assay.engine.ray.worker.find_type"):
        monkeypatch.setattr(place, lambda name: kind if name == "faulty" else known(name))
    return DetectorSpec("faulty")


def examples(count: int, said: Mapping[int, str] | None = None) -> list[Example]:
    """Examples of two sentences, or with what is said instead."""
    usual = "The ferry {n} sank in 1986. Anna slept."
    texts = said or {}
    return [
        Example(
            f"e{n}",
            Source(f"The ferry {n} sank in 1987. Anna Lind slept. It was cold in {n} towns."),
            Response(texts.get(n, usual.format(n=n))),
        )
        for n in range(count)
    ]


def wait_for(condition: Callable[[], bool]) -> None:
    """Waits until something holds."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two node processes on loopback with a CPU each, beside a head without any."""
    pytest.importorskip("ray")
    import ray
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        for name, value in CLUSTER.items():
            patch.setenv(name, value)
        head = {"num_cpus": 0, "include_dashboard": False}
        made: Any = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(2):
            made.add_node(num_cpus=1)
        patch.setenv("RAY_ADDRESS", made.address)
        yield made
        leave: Any = ray.shutdown
        leave()
        made.shutdown()


def worker_processes() -> list[int]:
    """The processes of the workers of our cluster."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_worker = (path / "cmdline").read_bytes().startswith(b"ray::DetectorWorker")
            if is_worker and OURS in (path / "environ").read_bytes():
                found.append(int(path.name))
        except OSError:  # it has ended meanwhile
            continue
    return found
