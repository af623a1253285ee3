"""The one bridge from synchronous code to asynchronous code.

An event loop runs in a thread of its own, one for each process. Ordinary functions hand it
coroutines and wait for them, so they work in scripts, in notebooks and inside a web application
alike, and never touch the event loop of their caller. Whoever stops waiting, be it because of
Ctrl-C, an error or a `break`, first sees the work cancelled and ended: nothing is left running.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_PULSE = 0.5  # seconds; a signal that arrives just before a wait is noticed only after it


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine on the loop and returns its result."""
    job = _Job(work, _home_to_wait_for(work))
    try:
        job.start()
        job.wait_for_end()
        return job.result()
    finally:
        job.end()


def submit(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Starts a coroutine on the loop; cancelling the future cancels the coroutine."""
    job = _Job(work, _home())
    job.start()
    return job


async def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine on the loop for a caller who has a loop of their own and can await it.

    A caller who is cancelled cancels the work and waits for its end.
    """
    future = submit(work)
    waiter = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiter)
    except asyncio.CancelledError:
        future.cancel()
        await asyncio.wait([waiter])
        raise


async def iterate_async(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """The items of an asynchronous iterator that lives on the loop, for a caller on another one."""

    async def step() -> tuple[T, ...]:
        async for item in items:
            return (item,)
        return ()

    async def close() -> None:
        if isinstance(items, AsyncGenerator):
            await items.aclose()

    try:
        while item := await run_async(step()):
            yield item[0]
    finally:
        await run_async(close())


def iterate(items: AsyncIterator[T], *, ahead: int = 32) -> Iterator[T]:
    """The items of an asynchronous iterator, of which up to `ahead` are fetched in advance.

    The asynchronous iterator is closed when the caller stops, at the end or earlier.
    """
    stream = _Stream(items, ahead)
    fill = stream.fill()
    job = _Job(fill, _home_to_wait_for(fill))
    try:
        job.start()
        while batch := stream.take():
            yield from batch
            job.check_process()
        job.wait_for_end()
        job.result()
    finally:
        job.end()


def loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process; a forked child gets its own."""
    return _home().loop


class _Thread:
    """An event loop and the thread that it runs in."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="assay-loop", daemon=True)
        self.thread.start()

    def is_current(self) -> bool:
        """True if the caller runs on this very loop, and so must not wait for it."""
        return threading.current_thread() is self.thread

    def _run(self) -> None:
        while True:
            try:
                return self.loop.run_forever()
            except (KeyboardInterrupt, SystemExit):
                continue  # a task raised it: its caller gets it, and the loop serves the others


class _Job(Future[T]):
    """The future of a task: done when the task has ended, and cancelled through the task."""

    def __init__(self, work: Coroutine[Any, Any, T], home: _Thread) -> None:
        super().__init__()
        self._home = home
        self._work = work
        self._task: asyncio.Task[T] | None = None

    def start(self) -> None:
        """Hands the work to the loop."""
        self._home.loop.call_soon_threadsafe(self._start_task)

    def cancel(self) -> bool:
        """Asks the task to end; the future is done once it has."""
        if self.done():
            return False
        self._home.loop.call_soon_threadsafe(self._cancel_task)
        return True

    def wait_for_end(self) -> None:
        """Waits, and notices Ctrl-C meanwhile; the loop itself cannot wait and returns at once."""
        while not self.done() and not self._home.is_current():
            wait((self,), _PULSE)

    def check_process(self) -> None:
        """Raises in a forked child, where the thread that does the work is not."""
        if self._home.process != os.getpid():
            raise RuntimeError("what was begun before a fork cannot go on in the child process")

    def end(self) -> None:
        """Cancels what is still under way and waits for its end; its process does, not a child."""
        if self._home.process == os.getpid() and self.cancel():
            self.wait_for_end()

    def _start_task(self) -> None:
        if not self.done():
            self._task = self._home.loop.create_task(self._work)
            self._task.add_done_callback(self._finish)

    def _cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()
        else:  # the caller was interrupted before the work could start
            self._work.close()
            self._give_up()

    def _give_up(self) -> None:
        super().cancel()
        self.set_running_or_notify_cancel()

    def _finish(self, task: "asyncio.Task[T]") -> None:
        if task.cancelled():
            self._give_up()
        elif error := task.exception():
            self.set_exception(error)
        else:
            self.set_result(task.result())


class _Stream(Generic[T]):
    """Items on their way from the loop to the thread that waits for them."""

    def __init__(self, items: AsyncIterator[T], ahead: int) -> None:
        self._items = items
        self._room = asyncio.Semaphore(ahead)
        self._ready: deque[T] = deque()
        self._news = threading.Event()
        self._ended = False

    async def fill(self) -> None:
        """Reads the items as long as there is room for them; runs on the loop."""
        try:
            await self._room.acquire()
            async for item in self._items:
                self._ready.append(item)
                self._news.set()
                await self._room.acquire()
        finally:
            try:
                if isinstance(self._items, AsyncGenerator):
                    await self._items.aclose()
            finally:
                self._ended = True
                self._news.set()

    def take(self) -> list[T]:
        """The items that are ready, at least one of them; empty at the end."""
        while True:
            self._news.clear()
            ended = self._ended  # read first: what comes before the end is taken below
            batch = [self._ready.popleft() for _ in range(len(self._ready))]
            if batch:
                loop().call_soon_threadsafe(self._make_room, len(batch))
            if batch or ended:
                return batch
            self._news.wait(_PULSE)

    def _make_room(self, count: int) -> None:
        for _ in range(count):
            self._room.release()


_lock = threading.Lock()
_homes: list[_Thread] = []


def _home() -> _Thread:
    with _lock:
        if not _homes or _homes[-1].process != os.getpid():
            _homes.append(_Thread())  # that of a parent process is kept: it cannot be closed here
        return _homes[-1]


def _begin_anew() -> None:
    """For a forked child: another thread of its parent may have held the lock."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
    os.register_at_fork(after_in_child=_begin_anew)


def _home_to_wait_for(work: Coroutine[Any, Any, Any]) -> _Thread:
    home = _home()
    if home.is_current():
        work.close()
        raise RuntimeError("code on the event loop cannot wait for itself: await this instead")
    return home
