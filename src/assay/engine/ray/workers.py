"""The workers of a run: started, looked at, replaced when they die, and ended with the run."""

import asyncio
import os
import pickle
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from assay import __version__
from assay.core.errors import AssayError, InputError, ServiceError
from assay.core.stages import StageUses, add_stages
from assay.core.system.notices import notify, warn
from assay.engine.ray.cluster import Room, in_short
from assay.engine.ray.messages import DetectorOpening, Event, Introduction, Item, SentError
from assay.engine.ray.worker import DetectorWorker, versions

TOLD_AFTER = 10.0  # seconds without a worker, before the user is told
LONGEST_WAIT = 300.0  # seconds without one, before it is given up
MOST_FAILED = 3  # workers in a row that die before they have opened the detector


class WorkerLostError(Exception):
    """A worker that died, or that nothing is heard of any more."""


class RemoteWorker:
    """A worker as the process of the run sees it."""

    def __init__(self, room: Room) -> None:
        import ray

        made: Any = ray.remote(DetectorWorker)
        options = {"num_cpus": room.cpus, "num_gpus": room.gpus, "max_restarts": 0}
        self._actor = made.options(**options).remote()
        self.place = "its machine"
        self.uses: StageUses = ()  # what the parts of its detector have done

    async def open(self, opening: bytes) -> Introduction:
        """Has it open the detector."""
        sent = self._actor.open.remote(versions(), os.getcwd(), opening)
        told: Introduction | SentError = pickle.loads(await _heard(sent))
        if isinstance(told, SentError):
            error = told.error
            if isinstance(error, AssayError) and not isinstance(error, InputError):
                error.prefix("a worker cannot open the detector")
            raise error
        self.place = told.place
        return told

    def put(self, *items: Item) -> None:
        """Hands it work or answers; if it cannot be reached, `take` says so."""
        with suppress(ConnectionError):
            self._actor.put.remote(pickle.dumps(items))

    async def take(self) -> Sequence[Event]:
        """All that happened there, as soon as anything has."""
        told: list[bytes] = await _heard(self._actor.take.remote())
        return [cast("Event", pickle.loads(each)) for each in told]

    def kill(self) -> None:
        """Ends it, whatever it does."""
        import ray

        if ray.is_initialized():
            ray.kill(self._actor)


@dataclass(frozen=True, slots=True)
class _Seat:
    """The place of a worker, which it has once it is opened."""

    worker: "asyncio.Task[RemoteWorker]"

    @property
    def is_taken(self) -> bool:
        """True if a worker is there."""
        task = self.worker
        return task.done() and not task.cancelled() and task.exception() is None


class Workers:
    """As many workers as there is room for, all with the same detector."""

    def __init__(
        self,
        opening: DetectorOpening,
        room: Room,
        begin: Callable[[Room], RemoteWorker] = RemoteWorker,
    ) -> None:
        """`begin` starts one of them."""
        self.count = room.workers
        self._room = room
        self._begin = begin
        self._opening = _packed(opening)
        self._seats: dict[int, _Seat] = {}
        self._first: Introduction | None = None
        self._past: StageUses = ()  # what workers did that are no longer there
        self._lost = 0

    @property
    def uses(self) -> StageUses:
        """The work of the parts of the detector, on all workers."""
        found = self._past
        for seat in tuple(self._seats.values()):  # others read it while workers come and go
            if seat.is_taken:
                found = add_stages(found, seat.worker.result().uses)
        return found

    async def start(self) -> Introduction:
        """Starts all of them, and waits for the first."""
        for number in range(self.count):
            self._seat(number)
        await self._hear_of_one()
        assert self._first is not None  # a worker was heard of
        return self._first

    async def at(self, number: int) -> RemoteWorker:
        """The worker at a seat, as soon as it is there."""
        seat = self._seat(number)
        while not seat.worker.done():
            await asyncio.wait([seat.worker], timeout=LONGEST_WAIT)
            if not seat.worker.done() and not self._taken:
                raise _nobody_comes()
        return seat.worker.result()

    def lose(self, number: int, error: WorkerLostError) -> None:
        """Notes that a worker has died; another one is started in its place."""
        worker = self._leave(number)
        self._lost += 1
        place = f" at {worker.place}" if worker else ""
        left = f"{len(self._taken)} of {self.count} are left, and another one is started"
        warn(f"worker {self._lost} was lost{place}: {error}; {left}")
        self._seat(number)

    def dismiss(self, numbers: Iterable[int]) -> None:
        """Ends workers that are in the middle of something that nobody wants any more."""
        for number in numbers:
            self._leave(number)

    def close(self) -> None:
        """Ends all of them."""
        self.dismiss(tuple(self._seats))

    def _leave(self, number: int) -> RemoteWorker | None:
        """Frees a seat; the worker there, if there was one, has ended."""
        seat = self._seats.pop(number, None)
        if seat is None:
            return None
        if not seat.is_taken:
            seat.worker.cancel()
            return None
        worker = seat.worker.result()
        self._past = add_stages(self._past, worker.uses)
        worker.kill()
        return worker

    @property
    def _taken(self) -> list[int]:
        return [number for number, seat in self._seats.items() if seat.is_taken]

    def _seat(self, number: int) -> _Seat:
        if number not in self._seats:
            task = asyncio.get_running_loop().create_task(self._open())
            task.add_done_callback(lambda task: task.cancelled() or task.exception())  # it is seen
            self._seats[number] = _Seat(task)
        return self._seats[number]

    async def _open(self) -> RemoteWorker:
        reason = ""
        for _ in range(MOST_FAILED):
            worker = self._begin(self._room)
            try:
                told = await worker.open(self._opening)
                self._require_same(told)
                return worker
            except WorkerLostError as error:
                reason = str(error)
                worker.kill()
            except BaseException:
                worker.kill()
                raise
        raise ServiceError(
            f"{MOST_FAILED} workers died while they opened the detector, perhaps for want of"
            f" memory: {reason}",
            field="workers",
        )

    def _require_same(self, told: Introduction) -> None:
        """Raises if a worker has another detector than the first: another model, or prompt."""
        if self._first is None:
            self._first = told
            return
        for mine, others in (
            (self._first.author, told.author),
            (self._first.capabilities, told.capabilities),
            (self._first.prompt_digests, told.prompt_digests),
        ):
            if mine != others:
                raise InputError(
                    f"the workers at {self._first.place} and {told.place} have different"
                    f" detectors: {mine} and {others}",
                    field="engine",
                )

    async def _hear_of_one(self) -> None:
        tasks = [seat.worker for seat in self._seats.values()]
        first = asyncio.FIRST_COMPLETED
        done, _ = await asyncio.wait(tasks, timeout=TOLD_AFTER, return_when=first)
        if not done:
            notify("waiting for Ray to start a worker")
            done, _ = await asyncio.wait(tasks, timeout=LONGEST_WAIT, return_when=first)
        if not done:
            raise _nobody_comes()
        for each in done:
            each.result()


async def _heard(sent: Awaitable[Any]) -> Any:
    """The words of a worker; errors of Ray are of two kinds: those of the worker, and its death."""
    from ray.exceptions import RayError, RayTaskError

    try:
        return await sent
    except RayTaskError as error:
        if "ModuleNotFoundError" in str(error):
            raise InputError(
                f"the workers have no Assay {__version__}: install it on all machines of the"
                " cluster, for the Python that runs Ray",
                field="engine",
            ) from None
        raise
    except RayError as error:
        raise WorkerLostError(_why(error)) from None
    except ConnectionError as error:
        raise ServiceError(f"the connection to Ray was lost: {in_short(error)}") from None


def _why(error: Exception) -> str:
    """The reason why a worker died, as far as Ray knows."""
    said = str(error)
    if "low on memory" in said or "memory usage threshold" in said:
        return "its machine had no memory left"
    if "node has died" in said or "node died" in said:
        return "its machine is gone"
    if "unavailable" in said:
        return "its connection broke off"
    return "it ended unexpectedly"


def _packed(opening: DetectorOpening) -> bytes:
    try:
        return pickle.dumps(opening)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise InputError(
            f"the detector '{opening.spec.name}' cannot be sent to workers: {error}",
            field="detector",
        ) from None


def _nobody_comes() -> ServiceError:
    return ServiceError(
        f"Ray has started no worker for {LONGEST_WAIT:.0f} seconds: it has no room for one",
        field="workers",
    )
