"""An OpenAI-compatible server on loopback that answers known questions after a fixed delay.

The delay in milliseconds is the first part of the path: POST /50/v1/chat/completions. A call costs
it about 40 microseconds, so that it is never the slow side. GET /calls tells how many calls there
were since the last GET /calls, GET /bodies gives back the last bodies, one a line, and GET /forget
forgets them.

Run: python benchmarks/llm_server.py (prints its port; ends with its standard input)
"""

import asyncio
import contextlib
import json
import sys
from collections import deque
from typing import cast

from llm_forms import http, reply_to

KEPT = 2_000


class Tally:
    """What the server has seen."""

    def __init__(self) -> None:
        self.calls = 0
        self.bodies: deque[bytes] = deque(maxlen=KEPT)

    def take(self) -> bytes:
        """The number of calls, which begins anew."""
        calls, self.calls = self.calls, 0
        return json.dumps({"calls": calls}).encode()

    def listed(self) -> bytes:
        """The last bodies, one a line."""
        return b"\n".join(self.bodies)

    def forget(self) -> bytes:
        """Lets the bodies go."""
        self.bodies.clear()
        return b"{}"


class Connection(asyncio.Protocol):
    """One connection: requests are read one after the other, and answered when their time comes."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.loop = asyncio.get_running_loop()
        self.waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the way back."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answers each request that is complete."""
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            head = self.waiting[:end]
            size = _length(head)
            if len(self.waiting) < end + 4 + size:
                return
            body = self.waiting[end + 4 : end + 4 + size]
            self.waiting = self.waiting[end + 4 + size :]
            self.answer(head, body)

    def answer(self, head: bytes, body: bytes) -> None:
        """Sends what is asked for, calls after their delay."""
        method, path, _ = head.split(b" ", 2)
        if method == b"GET":
            known = {
                b"/calls": self.tally.take,
                b"/bodies": self.tally.listed,
                b"/forget": self.tally.forget,
            }
            found = known.get(path)
            self.send(http("200 OK", found()) if found else http("404 Not Found", b"{}"))
            return
        self.tally.calls += 1
        self.tally.bodies.append(body)
        self.loop.call_later(int(path.split(b"/", 2)[1]) / 1000, self.send, reply_to(body))

    def send(self, answer: bytes) -> None:
        """Writes unless the other side has gone."""
        if not self.transport.is_closing():
            self.transport.write(answer)


def _length(head: bytes) -> int:
    lowered = head.lower()
    at = lowered.find(b"content-length:")
    return int(lowered[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0


async def main() -> None:
    """Serves until the standard input ends, so that no server outlives its starter."""
    loop = asyncio.get_running_loop()
    tally = Tally()
    server = await loop.create_server(lambda: Connection(tally), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
