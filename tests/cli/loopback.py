"""A model's server on loopback that answers every question, counts them and keeps them."""

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Answer = Callable[[Body], str]

FAITHFUL = json.dumps({"reason": "The source says so.", "label": "faithful"})


def question(body: Body) -> str:
    """What a request is about: the first message of the user, also where more was said since."""
    return str(next(each["content"] for each in body["messages"] if each["role"] == "user"))


class Loopback:
    """Answers after `delay` seconds with what `answer` says; a status in its place is an error."""

    def __init__(self, answer: Answer = lambda body: FAITHFUL, delay: float = 0.0) -> None:
        self.answer = answer
        self.delay = delay
        self.status = 200
        self.finish = "stop"
        self.refuses = ""  # a setting that the server does not take
        self.asked: Counter[str] = Counter()
        self.under_way = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._runner, self._port = self._call(self._serve())
        self.url = f"http://127.0.0.1:{self._port}/v1"

    @property
    def calls(self) -> int:
        """How many questions came in."""
        return self.asked.total()

    def wait_until_left(self) -> None:
        """Waits until all clients have gone: what they sent before they broke off is counted then.

        Connections are accepted in their order, so that none waits any more once ours is answered.
        """
        ours = HTTPConnection("127.0.0.1", self._port, timeout=30)
        ours.request("GET", "/")
        ours.getresponse().read()
        ours.close()
        limit = time.monotonic() + 30
        while self._runner.server.connections:
            assert time.monotonic() < limit, "a client has not closed its connection"
            time.sleep(0.005)

    def close(self) -> None:
        """Ends the server."""
        self._call(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _serve(self) -> tuple[web.AppRunner, int]:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._respond)
        runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.2, handler_cancellation=True
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, runner.addresses[0][1]

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.asked[question(body)] += 1
        self.under_way += 1
        try:
            await asyncio.sleep(self.delay)
        finally:
            self.under_way -= 1
        if self.refuses and self.refuses in body:
            error = {"error": {"message": f"{self.refuses} is not supported", "type": "test"}}
            return web.json_response(error, status=400)
        if self.status != 200:
            error = {"error": {"message": f"status {self.status}", "type": "test"}}
            return web.json_response(error, status=self.status)
        choice = {"message": {"role": "assistant", "content": self.answer(body)}, "index": 0}
        return web.json_response(
            {
                "choices": [{**choice, "finish_reason": self.finish}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }
        )
