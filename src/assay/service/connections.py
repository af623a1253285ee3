"""Connections that have to say what they want: what stands around a body is limited too.

Whoever sends a head byte by byte or without end, goes on with a body after its answer, or does not
read an answer, would otherwise keep a connection, or take memory, for good.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD = 64 * 1024  # bytes, also of what follows a body
SLOWEST_HEAD = 20.0  # seconds
LINGER = 5.0  # seconds in which the rest of a body may come that nobody reads

SLOWEST_READER = 30.0  # seconds in which a client that is waited for has to read some more
LEAST_READ = 16 * 1024  # bytes, in that time


class LimitedProtocol(HttpToolsProtocol):
    """Ends connections that take too long, or too much, for what is no body."""

    _arrived = _told = 0  # bytes of a head that is not complete yet, and of its parts so far
    _is_in_head = True
    _timer: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Waits for the first head."""
        super().connection_made(transport)
        self._end_after(SLOWEST_HEAD)

    def data_received(self, data: bytes) -> None:
        """Reads what arrived, as long as a head is not too long."""
        was_in_head = self._is_in_head
        super().data_received(data)
        if was_in_head and self._is_in_head:
            self._arrived += len(data)
            self._limit()

    def on_message_begin(self) -> None:
        """Waits for the rest of a head."""
        super().on_message_begin()
        self._arrived, self._told, self._is_in_head = 0, 0, True
        self._end_after(SLOWEST_HEAD)

    def on_url(self, url: bytes) -> None:
        """Takes the path, which is part of the head."""
        self._told += len(url)
        super().on_url(url)
        self._limit()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Takes a header; those that follow a body are of no use."""
        self._told += len(name) + len(value)
        if self._is_in_head:
            super().on_header(name, value)
        self._limit()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._arrived, self._told, self._is_in_head = 0, 0, False
        self._rest()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The body is there."""
        self._rest()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Waits a little for the rest of a body that was not read."""
        super().on_response_complete()
        if self.cycle.more_body and self.cycle.response_complete:
            self._end_after(LINGER)

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing more."""
        self._rest()
        self._stop_waiting()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Waits for the client to read, but not for good."""
        super().pause_writing()
        self._stop_waiting()
        self._await_reader()

    def resume_writing(self) -> None:
        """The client has read enough for more to be written."""
        self._stop_waiting()
        super().resume_writing()

    def _await_reader(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._stall = self.loop.call_later(SLOWEST_READER, self._require_read, left)

    def _require_read(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if before - left < LEAST_READ:
            self.transport.abort()
        else:
            self._await_reader()

    def _stop_waiting(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
        self._stall = None

    def _limit(self) -> None:
        if max(self._arrived, self._told) > LONGEST_HEAD:
            self.transport.abort()

    def _end_after(self, seconds: float) -> None:
        self._rest()
        self._timer = self.loop.call_later(seconds, self._end)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
