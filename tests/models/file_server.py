"""A server of one file on loopback that can be told to misbehave."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from assay.models.catalogue import PublicModel

CONTENT = bytes(range(256)) * 8_192  # two mebibytes


def model_of(content: bytes = CONTENT, origin: str = "http://127.0.0.1:1/who/what") -> PublicModel:
    """A model whose file is this, under the name of the one that there is."""
    return PublicModel(
        name="large",
        title="A tiny model",
        file="tiny.gguf",
        size=len(content),
        sha256=sha256(content).hexdigest(),
        licence="Apache-2.0",
        holder="Somebody",
        origin=origin,
        used_by="embedded-large",
    )


@dataclass
class FileServer:
    """What is served, how, and what was asked for."""

    content: bytes = CONTENT
    tag: str = '"one"'
    takes_ranges: bool = True
    says_length: bool = True
    statuses: list[int] = field(default_factory=list)  # of the next answers, before good ones
    dies_after: list[int] = field(default_factory=list)  # bytes of the next bodies
    redirect: str = ""  # where all but what is found there is
    hold: Callable[[], None] = lambda: None  # called in the middle of a body
    asked: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    address: str = ""

    @property
    def ranges(self) -> list[str]:
        """The ranges that were asked for; nothing where all was."""
        return [each.get("Range", "") for each in self.asked]


@contextmanager
def serving() -> Iterator[FileServer]:
    """A server, until the end of the block."""
    told = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, told)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    told.address = f"http://127.0.0.1:{server.server_address[1]}"
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


def _answer(handler: BaseHTTPRequestHandler, told: FileServer) -> None:
    told.asked.append(dict(handler.headers))
    told.paths.append(handler.path)
    if told.redirect and handler.path != "/there":
        handler.send_response(302)
        handler.send_header("Location", told.redirect)
        handler.end_headers()
        return
    if told.statuses:
        handler.send_response(told.statuses.pop(0))
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    start = _start(handler, told)
    if start >= len(told.content):
        handler.send_response(416)
        handler.end_headers()
        return
    handler.send_response(206 if start else 200)
    if start:
        last = len(told.content) - 1
        handler.send_header("Content-Range", f"bytes {start}-{last}/{len(told.content)}")
    if told.tag:
        handler.send_header("ETag", told.tag)
    body = told.content[start:]
    if told.says_length:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    try:
        if told.dies_after:
            handler.wfile.write(body[: told.dies_after.pop(0)])
        else:
            handler.wfile.write(body[: len(body) // 2])
            told.hold()
            handler.wfile.write(body[len(body) // 2 :])
    except OSError:  # the client has gone
        pass


def _start(handler: BaseHTTPRequestHandler, told: FileServer) -> int:
    asked = handler.headers.get("Range", "")
    if not asked or not told.takes_ranges:
        return 0
    if handler.headers.get("If-Range", told.tag) != told.tag:
        return 0
    return int(asked.removeprefix("bytes=").removesuffix("-"))


def wait_for(condition: Callable[[], bool]) -> None:
    """Waits until something is so."""
    for _ in range(3_000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")
