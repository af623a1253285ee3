"""The server: whom it serves without accounts, and the address that it tells."""

import http.client
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assay.annotation.people.accounts import create_first
from assay.annotation.studio import Studio, open_studio
from assay.core.errors import InputError
from assay.studio.application import Serving
from assay.studio.server import serve, studio_address
from assay.web.listening import listen

SERVE = """
import sys
from assay.annotation.studio import open_studio
from assay.studio.server import serve
serve(open_studio(sys.argv[1]), port=0, tell=lambda address: print(address, flush=True))
"""


def test_studio_without_accounts_is_not_served_to_others(studio: Studio) -> None:
    told: list[str] = []
    with pytest.raises(InputError, match="make one with: assay studio account NAME") as caught:
        serve(studio, "0.0.0.0", 0, tell=told.append)
    assert caught.value.code == "no-accounts"
    assert "\n" not in caught.value.message
    assert told == []


def test_port_that_is_taken_is_refused_in_one_line(studio: Studio) -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1, port {port}") as caught:
            serve(studio, port=port, tell=lambda _: None)
    assert caught.value.field == "port"


def test_address_that_is_told() -> None:
    keyed = Serving(key="k")
    assert studio_address("127.0.0.1", 80, keyed) == "http://127.0.0.1:80/login#key=k"
    assert studio_address("::1", 80, Serving()) == "http://[::1]:80/"
    assert studio_address("0.0.0.0", 80, Serving()) == "http://localhost:80/"
    assert studio_address("0.0.0.0", 80, Serving(hosts=("a.example",))) == "http://a.example:80/"


@pytest.mark.parametrize("has_account", [False, True])
def test_server_tells_its_address_and_ends_when_interrupted(
    tmp_path: Path, has_account: bool
) -> None:
    place = str(tmp_path / "studio.sqlite")
    if has_account:
        with_account = open_studio(place)
        create_first(with_account, "ann", "correct horse")
        with_account.close()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, place], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        address = _line(process)
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/(?:login#key=(\S+))?", address)
        assert found is not None
        assert bool(found[2]) is not has_account
        status = _sign_in(int(found[1]), found[2] or "a guess")
        assert status == (401 if has_account else 200)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        _, told = process.communicate()
        assert told == b""
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the browser")
def test_key_is_no_argument_of_the_browser(tmp_path: Path) -> None:
    told, script = tmp_path / "told", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {told}.part; mv {told}.part {told}\n')
    script.chmod(0o700)
    code = SERVE.replace("port=0,", "port=0, open_browser=True,")
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "studio.sqlite")],
        stdout=subprocess.PIPE,
        env={**os.environ, "BROWSER": f"{script} %s", "HOME": str(tmp_path)},
    )
    try:
        address = _line(process)
        for _ in range(600):
            if told.exists():
                break
            time.sleep(0.05)
        opened = urlsplit(told.read_text().strip())
        assert (opened.scheme, opened.fragment) == ("file", "")
        page = Path(opened.path)
        assert page.parent.stat().st_mode & 0o077 == 0
        assert address in page.read_text()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert not page.parent.exists()
    finally:
        process.kill()
        process.communicate()


def _line(process: subprocess.Popen[bytes]) -> str:
    lines: queue.Queue[bytes] = queue.Queue()
    assert process.stdout is not None
    reader = threading.Thread(target=lambda out: lines.put(out.readline()), args=(process.stdout,))
    reader.start()
    found = lines.get(timeout=60).decode().strip()
    reader.join()
    return found


def _sign_in(port: int, key: str) -> int:
    """The status of the answer to a key."""
    host = f"127.0.0.1:{port}"
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", "/api/session")
    answer = connection.getresponse()
    token = json.loads(answer.read())["token"]
    cookie = str(answer.getheader("Set-Cookie")).partition(";")[0]
    headers = {
        "X-Assay-Token": token,
        "Cookie": cookie,
        "Origin": f"http://{host}",
        "Content-Type": "application/json",
    }
    connection.request("POST", "/api/session/key", json.dumps({"key": key}), headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_start_waits_for_nothing_that_a_first_page_does_not_need(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from assay.annotation.studio import open_studio\n"
        "from assay.studio.application import Serving, create_app\n"
        "import assay.cli.studio, assay.studio.server\n"
        "create_app(open_studio(sys.argv[1]), Serving())\n"
        "print({'aiohttp', 'alembic', 'bm25s', 'onnxruntime', 'scipy'} & set(sys.modules))\n"
    )
    place = str(tmp_path / "studio.sqlite")
    for _ in range(2):  # a new database, and one that is there
        run = subprocess.run(
            [sys.executable, "-c", code, place], capture_output=True, text=True, check=True
        )
        assert run.stdout == "set()\n"
