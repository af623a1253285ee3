"""One event loop in a thread of its own, so that callers need none and may have their own."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

# Set by whoever no longer wants the work that this thread waits for.
unwanted: ContextVar[threading.Event | None] = ContextVar("unwanted", default=None)
_PULSE = 0.5  # seconds; a Ctrl-C that comes just before a wait is noticed only after it


class Background:
    """Runs coroutines for callers that cannot await, also from inside a running event loop."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="assay-llm", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Starts the work; its result is asked of the future."""
        future: Future[T] = Future()
        self.loop.call_soon_threadsafe(self._begin, work, future)
        return future

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of the work; if the caller is interrupted, the work is cancelled."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("work in the background would wait for itself: await it instead")
        # Made before the work begins: an interrupt in between finds something to cancel.
        future: Future[T] = Future()
        try:
            self.loop.call_soon_threadsafe(self._begin, work, future)
            return self.result(future)
        except BaseException:
            future.cancel()
            raise

    def result(self, future: "Future[T]") -> T:
        """The result of work that was submitted; a Ctrl-C is noticed while waiting for it."""
        given_up = unwanted.get()
        while not future.done():
            if given_up is not None and given_up.is_set():
                raise CancelledError
            wait((future,), _PULSE)
        return future.result()

    def _begin(self, work: Coroutine[Any, Any, T], future: "Future[T]") -> None:
        task = self.loop.create_task(work)
        task.add_done_callback(partial(_hand_over, future))
        future.add_done_callback(partial(self._cancel_too, task))

    def _cancel_too(self, task: "asyncio.Task[T]", future: "Future[T]") -> None:
        if future.cancelled():
            self.loop.call_soon_threadsafe(task.cancel)


def _hand_over(future: "Future[T]", task: "asyncio.Task[T]") -> None:
    """Gives the caller what the work came to, unless nobody waits for it any more."""
    if task.cancelled():
        future.cancel()
    error = None if task.cancelled() else task.exception()
    if not future.set_running_or_notify_cancel():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())


_lock = threading.Lock()
_backgrounds: list[Background] = []


def background() -> Background:
    """The loop of this process; a forked child gets its own."""
    with _lock:
        if not _backgrounds or _backgrounds[-1].process != os.getpid():
            _backgrounds.append(Background())  # the parent's is kept: it cannot be closed here
        return _backgrounds[-1]
