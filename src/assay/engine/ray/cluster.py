"""The cluster: joined or started in a limited time and quietly, and how much room it has."""

import logging
import os
import re
import socket
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, TypeVar

from assay.core.errors import InputError, MissingExtraError, ServiceError
from assay.core.texts import shortened
from assay.engine.engines import EngineChoice

ANSWERS = 5.0  # seconds in which an address takes a connection
LONGEST = 300  # characters of what Ray says
JOINS = 60.0  # seconds in which Ray has joined a cluster, or started one

# Ray reports its use to its makers unless told not to; the other one silences a piece of advice.
_SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
_PLACE = re.compile(r"(?:ray://)?\[?(?P<host>[^\[\]/]+)\]?:(?P<port>[0-9]+)")

T = TypeVar("T")
_joined: set[str] = set()  # addresses that this process has joined


@dataclass(frozen=True, slots=True)
class Room:
    """The workers that are wanted, and what each of them takes up."""

    workers: int
    cpus: int
    gpus: int


def join(address: str) -> None:
    """Joins a cluster; without an address that of this machine, which is started if need be.

    A process joins one, and leaves it when it ends.
    """
    try:
        import ray
    except ImportError:
        raise MissingExtraError("judging on Ray", "ray") from None
    if ray.is_initialized():
        if address and address not in _joined:
            raise InputError(
                "this process has joined another Ray; leave that with ray.shutdown()",
                field="engine",
            )
        return
    where = address or os.environ.get("RAY_ADDRESS", "")
    _require_answer(where)
    os.environ.update(_SETTINGS)
    shown = where or "this machine"

    def begin() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an error says the same
            ray.init(
                address=address or None,
                log_to_driver=False,
                logging_level=logging.ERROR,
                include_dashboard=False,
            )

    try:
        _in_time(begin, JOINS, f"Ray at {shown} has not answered for {JOINS:.0f} seconds")
    except (RuntimeError, ConnectionError, ValueError, OSError) as error:
        if "ray[client]" in str(error):
            raise MissingExtraError("a cluster at ray://", "ray") from None
        said = f"Ray at {shown} cannot be joined: {in_short(error)}"
        raise ServiceError(said, field="engine") from None
    _joined.clear()
    _joined.add(address)
    # What Ray has to say of workers it prints on standard output, among results; we say it.
    from ray._private import worker

    worker._worker_logs_enabled = False


def find_room(choice: EngineChoice, device: str) -> Room:
    """The room for workers in the cluster; a demand that no machine of it can meet raises."""
    import ray

    machines: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    rooms = [each["Resources"] for each in machines if each["Alive"]]
    cpus, largest = choice.worker_cpus or 1, max((each.get("CPU", 0) for each in rooms), default=0)
    if cpus > largest:
        raise InputError(
            f"no machine of the cluster has {cpus} CPUs for a worker; the largest has {largest:g}",
            field="worker_cpus",
        )
    fitting = sum(int(each.get("CPU", 0)) // cpus for each in rooms)
    if device == "cpu":
        return Room(choice.workers or max(1, fitting), cpus, 0)
    if device != "cuda":
        raise InputError(
            f"on Ray each worker has a GPU to itself: the device is cuda, not {device}",
            field="device",
        )
    gpus = sum(int(each.get("GPU", 0)) for each in rooms)
    if not gpus:
        raise InputError("the cluster has no GPU", field="device")
    return Room(choice.workers or max(1, min(gpus, fitting)), cpus, 1)


def in_short(error: BaseException) -> str:
    """The beginning of an error, on one line; those of Ray go on with a page of advice."""
    return shortened(str(error).strip(), LONGEST) or type(error).__name__


def _require_answer(where: str) -> None:
    """Raises at once where nothing listens; Ray itself would try for minutes."""
    place = _PLACE.fullmatch(where)
    if place is None:  # Ray finds its own, or is started
        return
    try:
        socket.create_connection((place["host"], int(place["port"])), ANSWERS).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise ServiceError(f"nothing answers at {where}: {why}", field="engine") from None


def _in_time(work: Callable[[], T], seconds: float, late: str) -> T:
    """The result of what may hang, from a thread that is left alone then.

    A thread also keeps Ray from taking over SIGTERM, which has a meaning here. It stays as long as
    the process does: what Ray starts, the system ends with the thread that started it.
    """
    future: Future[T] = Future()

    def do() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits
            future.set_exception(error)
        Event().wait()

    Thread(target=do, name="assay-ray", daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        raise ServiceError(late, field="engine") from None
