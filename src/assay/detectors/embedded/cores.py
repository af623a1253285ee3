"""Threads of our own for the network, while BLAS has one: no core waits in small products."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

THREADS = min(os.cpu_count() or 1, 8)

_one_at_a_time = Lock()


@contextmanager
def cores() -> Iterator[ThreadPoolExecutor]:
    """Our threads while BLAS has one; that is set for the process, so one at a time does."""
    with _one_at_a_time, _blas().limit(limits=1, user_api="blas"):
        yield threads()


# Made once: making them anew runs code in callbacks, and a Ctrl-C in a callback is lost.
@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def threads() -> ThreadPoolExecutor:
    """A thread for each core."""
    return ThreadPoolExecutor(THREADS)


def _begin_anew() -> None:
    """For a forked child, which has no thread of its parent, and maybe a lock that one held."""
    global _one_at_a_time
    _one_at_a_time = Lock()
    threads.cache_clear()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
    os.register_at_fork(after_in_child=_begin_anew)
