"""A model's server on loopback that answers as badly as servers do."""

import asyncio
import threading
from itertools import count
from typing import Any

from aiohttp import web

from tests.llm.faults import FAULTS, Body


class FaultServer:
    """Runs in a thread of its own; each address is a place with its own script of faults."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._numbers = count()
        self._scripts: dict[str, list[str]] = {}
        self._bodies: dict[str, list[Body]] = {}
        self._keys: dict[str, str] = {}
        self._connections: dict[str, set[object]] = {}
        self._runner, self.port = self._call(self._serve())

    def address(self, *script: str) -> str:
        """A base URL whose calls meet these faults one after the other; the last one stays."""
        place = str(next(self._numbers))
        self._scripts[place] = list(script)
        self._bodies[place] = []
        self._connections[place] = set()
        return f"http://127.0.0.1:{self.port}/{place}/v1"

    def bodies(self, address: str) -> list[Body]:
        """What was asked there."""
        return self._bodies[address.split("/")[3]]

    def key(self, address: str) -> str:
        """The key that was last sent there."""
        return self._keys[address.split("/")[3]]

    def connections(self, address: str) -> int:
        """Over how many connections was asked there."""
        return len(self._connections[address.split("/")[3]])

    def close(self) -> None:
        """Ends the server, also where answers never end."""
        self._call(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _serve(self) -> tuple[web.AppRunner, int]:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/{place}/v1/chat/completions", self._answer)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.2
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        place = request.match_info["place"]
        body = await request.json()
        self._bodies[place].append(body)
        self._keys[place] = request.headers.get("Authorization", "")
        assert request.transport is not None
        self._connections[place].add(request.transport.get_extra_info("peername"))
        script = self._scripts[place]
        name = script.pop(0) if len(script) > 1 else script[0]
        return await FAULTS[name](request, body)
