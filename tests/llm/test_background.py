"""Work in the background: from code that cannot await, also inside a running event loop."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError

import pytest

from assay.llm.background import background
from tests.llm.conftest import ask_inside, client_at
from tests.llm.fault_server import FaultServer
from tests.llm.faults import GOOD


async def answer() -> int:
    """Some work."""
    await asyncio.sleep(0.01)
    return 42


def test_code_that_cannot_await_gets_its_result() -> None:
    assert background().run(answer()) == 42


def test_it_works_inside_a_running_loop_without_touching_it() -> None:
    async def notebook() -> tuple[int, bool]:
        here = asyncio.get_running_loop()
        return background().run(answer()), here is asyncio.get_running_loop()

    assert asyncio.run(notebook()) == (42, True)


def test_a_real_call_works_inside_a_running_loop(faults: FaultServer) -> None:
    async def web_application() -> str:
        return background().run(ask_inside(client_at(faults.address("late")))).text

    assert asyncio.run(web_application()) == GOOD


def test_there_is_one_loop_for_all_callers() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(background())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {background()}


def test_an_error_of_the_work_reaches_the_caller() -> None:
    async def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        background().run(fail())


def test_an_interrupted_caller_cancels_the_work() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def long() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupt() -> None:
        begun.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        background().run(long())
    sender.join()
    assert ended.wait(10)


def test_a_cancelled_future_cancels_the_work() -> None:
    started, ended = threading.Event(), threading.Event()

    async def long() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    future = background().submit(long())
    assert started.wait(10)
    assert future.cancel()
    assert ended.wait(10)


def test_work_that_cancels_itself_is_cancelled_for_its_caller() -> None:
    async def give_up() -> None:
        raise asyncio.CancelledError

    with pytest.raises(CancelledError):
        background().run(give_up())


def test_many_pieces_of_work_run_at_the_same_time() -> None:
    start = time.perf_counter()
    futures = [background().submit(asyncio.sleep(0.2, number)) for number in range(20)]
    assert [future.result(10) for future in futures] == list(range(20))
    assert time.perf_counter() - start < 2


def test_work_that_would_wait_for_itself_is_refused() -> None:
    async def inside() -> int:
        return background().run(answer())

    with pytest.raises(RuntimeError, match="wait for itself"):
        background().run(inside())


FORKING = """
import asyncio, os, signal
from assay.llm.background import background
background().run(asyncio.sleep(0))
child = os.fork()
if child == 0:
    signal.alarm(10)  # a child that hangs dies of it
    background().run(asyncio.sleep(0))
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "7"
