"""A real server for browsers: in a thread of the test, or in a process that may be killed."""

import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from assay.annotation.people.accounts import add_person
from assay.annotation.people.sessions import begin
from assay.annotation.studio import Person, Role, Studio, open_studio
from assay.studio.application import Serving, create_app
from assay.studio.security import Cookies


@dataclass(frozen=True)
class Served:
    """A server: its address, its studio, and where the database is."""

    url: str
    studio: Studio
    place: str
    cookies: Cookies

    def add(self, name: str, role: Role = "annotator") -> Person:
        """A new account, without a password."""
        with self.studio.write() as connection:
            return add_person(self.studio, connection, name, role, "")

    def cookie(self, who: Person) -> dict[str, str]:
        """A cookie for Playwright's `add_cookies` that signs a person in."""
        with self.studio.write() as connection:
            session = begin(self.studio, connection, who)
        name = self.cookies.session
        return {"name": name, "value": self.cookies.signed(name, session.token), "url": self.url}


@contextmanager
def served(place: str, serving: Serving | None = None) -> Iterator[Served]:
    """A server in a thread of its own, on a free port of loopback."""
    studio = open_studio(place)
    app = create_app(studio, serving)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            _wait_for(url)
            yield Served(url, studio, place, app.state.cookies)
        finally:
            server.should_exit = True
            thread.join(10)
            studio.close()


@contextmanager
def served_by_process(place: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a server in a process of its own, which a test may kill."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port = asking.getsockname()[1]
    code = (
        "import sys, uvicorn\n"
        "from assay.annotation.studio import open_studio\n"
        "from assay.studio.application import create_app\n"
        "app = create_app(open_studio(sys.argv[1]))\n"
        "uvicorn.run(app, port=int(sys.argv[2]), log_level='warning', ws='none')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, place, str(port)])
    try:
        _wait_for(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait(10)


def _wait_for(url: str) -> None:
    last: Exception | None = None
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/static/icon.svg", timeout=5).close()
            return
        except OSError as error:
            last = error
            time.sleep(0.05)
    raise AssertionError(f"no server at {url}: {last}")
