"""A real server on loopback, in a thread of its own, that plays the sites of the tests."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from assay.knowledge.web import politeness
from assay.knowledge.web.addresses import anywhere
from assay.knowledge.web.fetching import Fetcher, FetchLimits

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Answer = tuple[int, str, str | bytes]  # status, content type, body


@dataclass
class Site:
    """What the server answers by path, and what it was asked."""

    port: int
    answers: dict[str, Answer | Handler] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"

    def sends_on(self, path: str, location: str, status: int = 302) -> None:
        """Makes a path a redirect."""

        async def answer(_: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers={"Location": location})

        self.answers[path] = answer

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The answer for a request."""
        self.asked.append(request.path_qs)
        self.headers.append(dict(request.headers))
        self.bodies.append(await request.read())
        found = self.answers.get(request.path, (404, "text/plain", "not here"))
        if not isinstance(found, tuple):
            return await found(request)
        status, kind, body = found
        raw = body.encode() if isinstance(body, str) else body
        return web.Response(status=status, body=raw, headers={"Content-Type": kind})


@pytest.fixture
def site() -> Iterator[Site]:
    """A server that answers 404 until it is told otherwise."""
    ready: Future[tuple[Site, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        made = Site(0)
        application = web.Application()
        application.router.add_route("*", "/{tail:.*}", made.handle)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        place = web.TCPSite(runner, "127.0.0.1", 0)
        await place.start()
        made.port = runner.addresses[0][1]
        end = asyncio.Event()
        ready.set_result((made, asyncio.get_running_loop(), end))
        await end.wait()
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    made, loop, end = ready.result(10)
    yield made
    loop.call_soon_threadsafe(end.set)
    thread.join(10)


@pytest.fixture
def short_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that asks to be left alone, and does not say how long, is left alone for a moment."""
    monkeypatch.setattr(politeness, "_USUAL_REST", 0.01)


@pytest.fixture
def fetcher() -> Fetcher:
    """A fetcher that may ask loopback, quickly and not for long."""
    return Fetcher(FetchLimits(seconds=5, bytes=50_000, per_second=1000), allow=anywhere)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small corpus: three files about a ferry, a bridge and a library."""
    made = tmp_path / "notes"
    made.mkdir()
    (made / "ferry.txt").write_text("The ferry Lindmoor sank in 1986.\n\nNobody drowned.", "utf-8")
    (made / "bridge.md").write_text("# The bridge of Vass\n\nIt was built in 1901.", "utf-8")
    page = "<title>Library</title><nav>Home</nav><p>The library of Maro holds old maps.</p>"
    (made / "library.html").write_text(page, "utf-8")
    return made
