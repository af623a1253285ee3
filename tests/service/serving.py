"""Services to test with: one in this process, and a real server in a thread."""

import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from assay.app.served import DetectorChoice
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Verdict
from assay.detectors.protocol import Capabilities, judgement_of
from assay.detectors.registry import DetectorType, Ingredients
from assay.service.application import create_service
from assay.service.keys import Keys, new_key
from assay.service.request import ServeRequest, ServiceLimits
from assay.service.server import ServiceServer
from assay.service.serving import RunningService
from assay.text.sentences import sentence_units

ORIGIN = "http://localhost"
SOURCE = "Ada Lovelace was born in London in 1815."
GOOD = {"source": SOURCE, "response": "Ada Lovelace was born in London."}
BAD = {"source": SOURCE, "response": "Ada Lovelace was born in 1852."}


def asked(folder: Path, *detectors: str, **limits: Any) -> ServeRequest:
    """A request for a service with jobs in a folder; `overlap` unless others are named."""
    return ServeRequest(
        DetectorChoice(detectors or ("overlap",)),
        store=str(folder / "jobs"),
        limits=ServiceLimits(**limits),
    )


def keyed(*names: str) -> tuple[Keys, dict[str, str]]:
    """Keys for some names, and the headers that each of them sends."""
    made = {name: new_key(name) for name in names}
    lines = [line for _, line in made.values()]
    digests = tuple((line.split()[0], bytes.fromhex(line.split()[1])) for line in lines)
    return Keys(digests), {name: f"Bearer {key}" for name, (key, _) in made.items()}


@contextmanager
def client(request: ServeRequest, keys: Keys | None = None) -> Iterator[TestClient]:
    """A client of a service in this process, which is ready."""
    app = create_service(request, keys or Keys())
    with TestClient(app, base_url=ORIGIN) as made:
        wait_until(lambda: app.state.service.detectors.is_open)
        yield made


def service_of(made: TestClient) -> RunningService:
    found: RunningService = made.app.state.service  # type: ignore[attr-defined]
    return found


@dataclass(frozen=True)
class ServedService:
    """A real server: its port, and the service behind it."""

    port: int
    service: RunningService

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def send(self, *pieces: bytes, pause: float = 0.0, patience: float = 20.0) -> bytes:
        """All that comes back for some bytes, until the server ends the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as made:
            for piece in pieces:
                made.sendall(piece)
                time.sleep(pause)
            return b"".join(iter(lambda: made.recv(65536), b""))


def posted(path: str, body: object, key: str = "") -> bytes:
    """The bytes of a request with JSON, after whose answer the connection ends."""
    content = json.dumps(body)
    access = f"Authorization: {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{access}"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n{content}"
    ).encode()


@contextmanager
def served(request: ServeRequest, keys: Keys | None = None) -> Iterator[ServedService]:
    """A real server in a thread of its own, on a free port of loopback, which is ready."""
    app = create_service(request, keys or Keys())
    server = ServiceServer(app)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        made = ServedService(listening.getsockname()[1], app.state.service)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            wait_until(lambda: made.service.detectors.is_open)
            yield made
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()


def wait_until(is_so: Any, patience: float = 120.0) -> None:
    """Waits for something to happen."""
    end = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@dataclass
class Held:
    """A detector that judges when it may; `begun` counts the examples that it was given."""

    go: threading.Event = field(default_factory=threading.Event)
    begun: int = 0

    author = Author("held")
    capabilities = Capabilities("sentence", GRAY7)
    prompt_digests: dict[str, str] = field(default_factory=dict)

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        import asyncio

        for example in examples:
            self.begun += not example.source.text.startswith("The bridge of")  # to warm up
            while not (self.go.is_set() or example.source.text.startswith("The bridge of")):
                await asyncio.sleep(0.005)
            yield self.judgement(example)

    def judgement(self, example: Example) -> Judgement:
        """A judgement that finds no facts."""
        label = GRAY7["no-fact"]
        units = sentence_units(example)
        return judgement_of(
            example, self.author, [Finding(each, Verdict(each.id, label)) for each in units]
        )

    def type(self) -> DetectorType:
        """Its entry in the registry."""

        def make(ingredients: Ingredients) -> "Held":
            return self

        return DetectorType("judges when it may", self.capabilities, make)
