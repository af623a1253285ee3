"""The bridge: asynchronous work for code that cannot await, also inside a running event loop."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError

import pytest

from assay.core.system import bridge


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    yield
    assert asyncio.all_tasks(bridge.loop()) == set()


class Endless:
    """Work that never ends by itself; `ended` is set when it has been cancelled."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

    async def work(self) -> None:
        self.begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.05)  # ending takes a while, and is waited for
            self.ended.set()

    async def items(self) -> AsyncIterator[int]:
        yield 1
        await self.work()


async def answer() -> int:
    """Some work."""
    await asyncio.sleep(0.01)
    return 42


async def count(most: int, log: list[str] | None = None) -> AsyncIterator[int]:
    """Numbers from 0, with a note of each and of the end."""
    log = [] if log is None else log
    try:
        for number in range(most):
            log.append(f"made {number}")
            yield number
            await asyncio.sleep(0)
    finally:
        log.append("closed")


def stack_of_main_thread() -> str:
    """Where the main thread is, innermost function last."""
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    return "".join(traceback.format_stack(frame))


def interrupt_when(begun: threading.Event) -> threading.Thread:
    """A Ctrl-C as soon as the work has begun and the main thread waits for it."""

    def interrupt() -> None:
        begun.wait(10)
        while not re.search(r"wait\(.*_PULSE", stack_of_main_thread()):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


def test_code_that_cannot_await_gets_its_result() -> None:
    assert bridge.run(answer()) == 42


def test_it_works_inside_a_running_loop_without_touching_it() -> None:
    async def notebook() -> tuple[int, list[int], bool]:
        here = asyncio.get_running_loop()
        result, items = bridge.run(answer()), list(bridge.iterate(count(3)))
        return result, items, here is asyncio.get_running_loop()

    assert asyncio.run(notebook()) == (42, [0, 1, 2], True)


def test_all_threads_share_one_loop() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(bridge.loop())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {bridge.loop()}


def test_an_error_of_the_work_reaches_the_caller() -> None:
    async def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        bridge.run(fail())


def test_an_exit_from_within_the_work_reaches_the_caller_and_the_loop_goes_on() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        bridge.run(leave())
    assert bridge.run(answer()) == 42


def test_ctrl_c_cancels_the_work_and_waits_for_its_end() -> None:
    endless = Endless()
    sender = interrupt_when(endless.begun)
    with pytest.raises(KeyboardInterrupt):
        bridge.run(endless.work())
    assert endless.ended.is_set()
    sender.join()


def test_ctrl_c_among_items_cancels_the_work_and_waits_for_its_end() -> None:
    endless = Endless()
    items = bridge.iterate(endless.items())
    assert next(items) == 1
    sender = interrupt_when(endless.begun)
    with pytest.raises(KeyboardInterrupt):
        next(items)
    assert endless.ended.is_set()
    sender.join()


def test_a_cancelled_future_cancels_the_work() -> None:
    endless = Endless()
    future = bridge.submit(endless.work())
    assert endless.begun.wait(10)
    assert future.cancel()
    with pytest.raises(CancelledError):
        future.result(10)
    assert endless.ended.is_set()  # the future is done when the work is
    assert not future.cancel()


def test_a_cancelled_caller_who_awaits_cancels_the_work_and_waits_for_its_end() -> None:
    endless = Endless()

    async def application() -> None:
        waiting = asyncio.create_task(bridge.run_async(endless.work()))
        while not endless.begun.is_set():
            await asyncio.sleep(0.001)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(application())
    assert endless.ended.is_set()


def test_a_caller_with_a_loop_awaits_the_result() -> None:
    assert asyncio.run(bridge.run_async(answer())) == 42


def test_work_that_cancels_itself_is_cancelled_for_its_caller() -> None:
    async def give_up() -> None:
        raise asyncio.CancelledError

    with pytest.raises(CancelledError):
        bridge.run(give_up())


def test_pieces_of_work_run_at_the_same_time() -> None:
    meeting = asyncio.Barrier(20)  # passed only when all twenty are under way at once

    async def meet(number: int) -> int:
        async with meeting:
            return number

    futures = [bridge.submit(meet(number)) for number in range(20)]
    assert [future.result(10) for future in futures] == list(range(20))


def test_code_on_the_loop_cannot_wait_for_itself() -> None:
    async def inside() -> int:
        return bridge.run(answer())

    async def among_items() -> list[int]:
        return list(bridge.iterate(count(3)))

    for work in (inside(), among_items()):
        with pytest.raises(RuntimeError, match="await this instead"):
            bridge.run(work)


def test_all_items_come_in_order() -> None:
    log: list[str] = []
    assert list(bridge.iterate(count(1000, log))) == list(range(1000))
    assert log[-1] == "closed"


def test_an_iterator_is_closed_when_the_caller_stops() -> None:
    log: list[str] = []
    items = bridge.iterate(count(1000, log), ahead=4)
    assert next(items) == 0
    items.close()  # type: ignore[attr-defined]
    assert log[-1] == "closed"
    assert len(log) < 20


def test_a_caller_with_a_loop_gets_items_from_ours_and_closes_what_it_leaves() -> None:
    log: list[str] = []

    async def work() -> tuple[list[int], int]:
        whole = [number async for number in bridge.iterate_async(count(3))]
        stream = bridge.iterate_async(count(10**9, log))
        first = await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
        return whole, first

    assert asyncio.run(work()) == ([0, 1, 2], 0)
    assert log == ["made 0", "closed"]


def test_an_error_among_items_comes_after_the_items_before_it() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        raise ValueError("no more")

    items = bridge.iterate(broken())
    assert next(items) == 1
    with pytest.raises(ValueError, match="no more"):
        next(items)


def test_only_so_many_items_are_fetched_in_advance() -> None:
    log: list[str] = []
    items = bridge.iterate(count(1000, log), ahead=4)
    next(items)
    bridge.run(asyncio.sleep(0.05))
    assert len(log) <= 1 + 4 + 4  # one is taken, four may wait, and four may lie in a taken batch
    assert list(items) == list(range(1, 1000))


FORKING = """
import asyncio, os, signal
from assay.core.system import bridge
bridge.run(asyncio.sleep(0))
child = os.fork()
if child == 0:
    signal.alarm(10)  # a child that hangs dies of it
    bridge.run(asyncio.sleep(0))
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "7"
