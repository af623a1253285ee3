"""Replies in a place that several people share, too far away to be waited for on the event loop.

One exchange with it is under way at a time, in a thread. Whatever is asked for or to be kept
meanwhile goes with the next, so that a far place delays calls, and does not hold up each other.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from assay.llm.calls.kept_texts import read_reply, write_reply
from assay.llm.client import Reply


class TextStore(Protocol):
    """A distant place that keeps texts; each call is a way there and back."""

    @property
    def place(self) -> str:
        """The place, without what is secret about it."""
        ...

    def exchange(self, wanted: Collection[str], new: Mapping[str, str]) -> Mapping[str, str]:
        """Keeps new texts under keys that have none, and gives those under the wanted keys."""
        ...

    def remove(self, key: str, text: str) -> None:
        """Removes a text that cannot be read, unless another one has taken its place."""
        ...

    def close(self) -> None:
        """Ends the connection; the next call begins another."""
        ...


@dataclass(slots=True)
class _Exchange:
    """Keys and texts that go together, and the texts that come back."""

    found: "asyncio.Future[Mapping[str, str]]"
    wanted: set[str] = field(default_factory=set)
    new: dict[str, str] = field(default_factory=dict)


class SharedReplies:
    """Looks for replies and keeps them; those of many calls go together."""

    def __init__(self, store: TextStore) -> None:
        self._store = store
        self._next: _Exchange | None = None
        self._work: asyncio.Task[None] | None = None

    @property
    def place(self) -> str:
        """Where they are, as the user may know it."""
        return self._store.place

    async def get(self, key: str) -> Reply | None:
        """The reply under a key, if there is one; one that cannot be read is removed."""
        exchange = self._coming()
        exchange.wanted.add(key)
        text = (await asyncio.shield(exchange.found)).get(key)
        reply = read_reply(text) if text is not None else None
        if text is not None and not reply:  # otherwise it would stay in the place of the next one
            await asyncio.to_thread(self._store.remove, key, text)
        return reply

    async def put(self, key: str, reply: Reply) -> None:
        """Keeps a reply; the first one under a key stays."""
        exchange = self._coming()
        exchange.new.setdefault(key, write_reply(reply))
        await asyncio.shield(exchange.found)

    def close(self) -> None:
        """Ends the connection; the next use begins another."""
        self._store.close()

    def _coming(self) -> _Exchange:
        """The exchange that has not begun yet."""
        loop = asyncio.get_running_loop()
        if self._next is None:
            self._next = _Exchange(loop.create_future())
        if self._work is None or self._work.done():
            self._work = loop.create_task(self._exchange_all())
        return self._next

    async def _exchange_all(self) -> None:
        while coming := self._next:
            self._next = None
            work = asyncio.create_task(
                asyncio.to_thread(self._store.exchange, coming.wanted, coming.new)
            )
            await asyncio.wait([work])
            if error := work.exception():
                coming.found.set_exception(error)
                coming.found.exception()  # whoever waited may have been cancelled
            else:
                coming.found.set_result(work.result())
