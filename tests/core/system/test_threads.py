"""Work in a thread: its result, and its end when nobody waits any more."""

import asyncio
import threading
import time

import pytest

from assay.core.system.threads import LeftError, in_thread, stop_if_left


def test_result_and_error_reach_who_waits() -> None:
    assert asyncio.run(in_thread(str.upper, "a")) == "A"
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(in_thread(int, "a"))


def test_work_that_was_left_ends_at_its_next_step() -> None:
    begun, ended = threading.Event(), threading.Event()

    def steps(_: object) -> None:
        begun.set()
        try:
            while True:
                stop_if_left()
                time.sleep(0.001)
        except LeftError:
            ended.set()

    async def leave() -> None:
        task = asyncio.create_task(in_thread(steps, None))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 30)

    asyncio.run(leave())


def test_one_that_was_left_ends_no_other() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def wait(_: object) -> str:
        begun.set()
        may_end.wait(30)
        stop_if_left()
        return "done"

    async def two() -> str:
        stays, leaves = (asyncio.create_task(in_thread(wait, None)) for _ in range(2))
        await asyncio.to_thread(begun.wait, 30)
        leaves.cancel()
        await asyncio.sleep(0)
        may_end.set()
        return await stays

    assert asyncio.run(two()) == "done"


def test_step_outside_of_such_work_goes_on() -> None:
    stop_if_left()
