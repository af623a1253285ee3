"""Work in a thread, which ends between two of its steps once nobody waits for it."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")

_left: ContextVar[Event | None] = ContextVar("left", default=None)


class LeftError(Exception):
    """Nobody waits for this work any more."""


async def in_thread(work: Callable[[S], T], given: S) -> T:
    """The result of work in a thread; whoever is cancelled while waiting has left it."""
    left = Event()
    token = _left.set(left)
    try:
        thread = asyncio.to_thread(work, given)  # in a copy of the context
        return await thread
    except asyncio.CancelledError:
        left.set()
        raise
    finally:
        _left.reset(token)


def stop_if_left() -> None:
    """Ends work of which this is a step, if nobody waits for it; for the thread that does it."""
    left = _left.get()
    if left is not None and left.is_set():
        raise LeftError
