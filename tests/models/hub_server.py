"""A hub on loopback that serves the files of one repository, as `huggingface_hub` asks for them."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def hub_of(repository: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The address of a hub with that repository, until the end of the block."""
    about = {
        "id": repository,
        "sha": COMMIT,
        "siblings": [{"rfilename": name} for name in files],
    }
    tree = [
        {"type": "file", "path": name, "size": len(body), "oid": sha256(body).hexdigest()[:40]}
        for name, body in files.items()
    ]

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def log_message(self, *_: object) -> None:
            """Nothing."""

        def _answer(self) -> None:
            name = self.path.partition(f"/{repository}/resolve/{COMMIT}/")[2]
            if self.path.startswith(f"/api/models/{repository}/revision/"):
                self._send(json.dumps(about).encode(), "application/json")
            elif self.path.startswith(f"/api/models/{repository}/tree/"):
                self._send(json.dumps(tree).encode(), "application/json")
            elif name in files:
                self._send(files[name], "application/octet-stream")
            else:
                self.send_error(404)

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{sha256(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
