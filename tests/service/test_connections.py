"""Clients that do not read: how long they are waited for."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from assay.service import connections
from assay.service.connections import LimitedProtocol
from tests.service.serving import wait_until

PIECE, PIECES = 2**16, 400  # 25 MiB, more than any socket keeps


class Talker:
    """An application that says much; it tells when it began, and whether it was heard out."""

    def __init__(self) -> None:
        self.has_begun = self.has_ended = self.was_left = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        self.has_begun = True
        leaving = asyncio.ensure_future(receive())
        for _ in range(PIECES):
            await send({"type": "http.response.body", "body": b"x" * PIECE, "more_body": True})
            await asyncio.sleep(0.001)
            if leaving.done() and leaving.result()["type"] == "http.disconnect":
                self.was_left = True
                return
            if leaving.done():
                leaving = asyncio.ensure_future(receive())
        await send({"type": "http.response.body", "body": b""})
        leaving.cancel()
        self.has_ended = True


@contextmanager
def talking() -> Iterator[tuple[Talker, socket.socket]]:
    """A server that talks, and a connection on which it was asked to."""
    talker = Talker()
    config = uvicorn.Config(
        talker, http=LimitedProtocol, log_config=None, lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            with socket.create_connection(listening.getsockname(), timeout=20) as made:
                made.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                yield talker, made
        finally:
            server.should_exit = server.force_exit = True
            thread.join(20)


def test_client_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST_READER", 0.3)
    with talking() as (talker, _):
        wait_until(lambda: talker.was_left, patience=10)
        assert not talker.has_ended


def test_client_that_reads_slowly_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST_READER", 1.0)
    with talking() as (talker, made):
        read = 0
        end = time.monotonic() + 30
        while data := made.recv(2**21):
            read += len(data)
            time.sleep(0.05)
            assert time.monotonic() < end
        assert read > PIECE * PIECES
        assert talker.has_ended
