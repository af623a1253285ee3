"""The cores of this machine, which one reading at a time has; long ones offer them to others."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

from assay.core.system.fair_locks import FairLock
from assay.core.system.threads import stop_if_left

SLICE = 0.25  # seconds before those who wait have a turn; a short text takes less
MOST_THREADS = 8


def allowed_threads() -> int:
    """A thread for each core, or as many as `OMP_NUM_THREADS` allows this process.

    Ray sets that to the CPUs of a worker, and so do batch systems.
    """
    cores, given = os.cpu_count() or 1, os.environ.get("OMP_NUM_THREADS", "")
    allowed = int(given) if given.isascii() and given.isdigit() else 0
    return min(cores, allowed or cores, MOST_THREADS)


THREADS = allowed_threads()


class Cores:
    """Our threads while BLAS has one.

    That BLAS has one is set for the process: from when the first reading begins until none is left.
    """

    def __init__(self) -> None:
        self._turns = FairLock()
        self._since = 0.0  # on the clock: when whoever has them got them
        self._readings = 0
        self._limit = ExitStack()
        self._alone = Lock()

    @contextmanager
    def taken(self, *, alone: bool) -> Iterator[ThreadPoolExecutor]:
        """All of the cores; two that want to be `alone` do not take turns."""
        apart: AbstractContextManager[Any] = self._alone if alone else nullcontext()
        with apart, self._turns:
            self._since = time.monotonic()
            if not self._readings:
                self._limit.enter_context(_blas().limit(limits=1, user_api="blas"))
            self._readings += 1
            try:
                yield threads()
            finally:
                self._readings -= 1
                if not self._readings:
                    self._limit.close()

    def offer(self) -> None:
        """After a step: work that nobody waits for ends, and after a while others have a turn."""
        stop_if_left()
        if time.monotonic() - self._since > SLICE:
            self._turns.offer()
            self._since = time.monotonic()


_cores = Cores()


def cores() -> Cores:
    """Those of this process."""
    return _cores


# Made once: making them anew runs code in callbacks, and a Ctrl-C in a callback is lost.
@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def threads() -> ThreadPoolExecutor:
    """As many threads as are allowed."""
    return ThreadPoolExecutor(THREADS)


def _begin_anew() -> None:
    """For a forked child, which has no thread of its parent, and maybe a lock that one held."""
    global _cores
    _cores = Cores()
    threads.cache_clear()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
    os.register_at_fork(after_in_child=_begin_anew)
