"""Fetching the files of a corpus from a server on this machine."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from urllib.request import Request

import pytest

from assay.core.errors import InputError
from assay.datasets import download as module
from assay.datasets.corpus import Card, File
from assay.datasets.download import address, download

MOVED = {
    "here.jsonl": "http://127.0.0.1",
    "host.jsonl": "http://localhost",
    "ftp.jsonl": "ftp://127.0.0.1",
}
CONTENT = b'{"a": 1}\n' * 1000


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word; `cut` breaks off before its end, `MOVED` is elsewhere."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if name in MOVED:
            self.send_response(302)
            port = self.headers["Host"].rpartition(":")[2]
            self.send_header(
                "Location", f"{MOVED[name]}:{port}/someone/corpus/abc123/data/rows%201.jsonl"
            )
            self.end_headers()
            return
        if not self.path.endswith("/cut.jsonl"):
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"half of it")


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a repository at its revision, as the server has it."""
    folder = tmp_path / "served" / "someone" / "corpus" / "abc123"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "rows 1.jsonl").write_bytes(CONTENT)
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", f"http://127.0.0.1:{server.server_port}/")
        yield folder
        server.shutdown()
        thread.join()


def make_card(*files: File, origin: str = "https://github.com/someone/corpus") -> Card:
    return Card(
        name="tiny",
        title="Tiny",
        origin=origin,
        revision="abc123",
        licence="MIT",
        taxonomy="binary",
        unit_kind="response",
        splits=(),
        folder="tiny",
        files=files,
        loader="",
    )


ROWS = File("rows.jsonl", hashlib.sha256(CONTENT).hexdigest(), upstream="data/rows 1.jsonl")


def files_below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_file_is_fetched_checked_and_named_as_on_the_card(served: Path, tmp_path: Path) -> None:
    (fetched,) = download(make_card(ROWS), tmp_path)
    assert (fetched.result, fetched.path) == ("fetched", tmp_path / "tiny" / "rows.jsonl")
    assert fetched.path.read_bytes() == CONTENT


def test_file_that_is_here_is_not_fetched_again(served: Path, tmp_path: Path) -> None:
    list(download(make_card(ROWS), tmp_path))
    (served / "data" / "rows 1.jsonl").unlink()
    assert [file.result for file in download(make_card(ROWS), tmp_path)] == ["already here"]


def test_wrong_checksum_leaves_nothing(served: Path, tmp_path: Path) -> None:
    (served / "data" / "rows 1.jsonl").write_bytes(b"other")
    with pytest.raises(InputError, match=r"the card pins .*; nothing was kept"):
        list(download(make_card(ROWS), tmp_path))
    assert files_below(tmp_path / "tiny") == []


def test_missing_file_on_the_server_is_said_and_makes_no_folder(
    served: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"no\.jsonl: the server says 404"):
        list(download(make_card(File("no.jsonl", upstream="no.jsonl")), tmp_path))
    assert not (tmp_path / "tiny").exists()


def test_file_that_breaks_off_leaves_nothing(served: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="broke off after 10 of 100 bytes"):
        list(download(make_card(File("cut.jsonl", upstream="cut.jsonl")), tmp_path))
    assert files_below(tmp_path / "tiny") == []


def test_first_file_stays_when_the_second_fails(served: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        list(download(make_card(ROWS, File("no.jsonl", upstream="no.jsonl")), tmp_path))
    assert files_below(tmp_path / "tiny") == ["rows.jsonl"]


def test_other_file_in_its_place_is_not_overwritten(served: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "rows.jsonl").write_text("my own")
    with pytest.raises(InputError, match="not as the card pins it"):
        list(download(make_card(ROWS), tmp_path))
    assert (tmp_path / "tiny" / "rows.jsonl").read_text() == "my own"


def test_converted_file_is_named_with_the_reason(tmp_path: Path) -> None:
    (file,) = download(make_card(File("joined.jsonl.gz")), tmp_path)
    assert file.result == "not to be fetched"
    assert "converted, joined or cut" in file.reason


def test_corpus_without_named_files_cannot_be_fetched(tmp_path: Path) -> None:
    (file,) = download(make_card(), tmp_path)
    assert file.result == "not to be fetched"


def test_file_without_a_checksum_is_said_to_be_unchecked(served: Path, tmp_path: Path) -> None:
    (file,) = download(make_card(File("rows.jsonl", upstream="data/rows 1.jsonl")), tmp_path)
    assert file.result == "fetched, no checksum on the card"


def moved(name: str, checksum: str = "") -> Card:
    return make_card(File("rows.jsonl", checksum, upstream=name))


def test_redirect_on_the_same_host_is_followed(served: Path, tmp_path: Path) -> None:
    (file,) = download(moved("here.jsonl"), tmp_path)
    assert file.path.read_bytes() == CONTENT


def test_redirect_to_another_host_is_followed_for_a_pinned_file_alone(
    served: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"redirects to http://localhost:\d+, and no checksum"):
        list(download(moved("host.jsonl"), tmp_path))
    assert not (tmp_path / "tiny").exists()
    (file,) = download(moved("host.jsonl", ROWS.sha256), tmp_path)
    assert file.path.read_bytes() == CONTENT


def test_redirect_to_another_protocol_is_never_followed(served: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"redirects to ftp://127\.0\.0\.1:\d+, which is not secure"
    ):
        list(download(moved("ftp.jsonl", ROWS.sha256), tmp_path))


def test_redirect_from_https_to_http_is_never_followed() -> None:
    request, answer = Request("https://example/a"), BytesIO()
    follow = module._Redirects(is_pinned=True).redirect_request
    with pytest.raises(InputError, match="redirects to http://example, which is not secure"):
        follow(request, answer, 302, "Found", {}, "http://example/a")
    assert answer.closed


def test_no_network_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:  # bound but not listening: nobody answers there
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", f"http://127.0.0.1:{closed.getsockname()[1]}")
        with pytest.raises(InputError, match=r"cannot fetch http\S+ .*refused"):
            list(download(make_card(ROWS), tmp_path))


def test_silent_server_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(InputError, match="timed out"):
            list(download(make_card(ROWS), tmp_path))


def test_only_http_is_spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "file:///etc")
    with pytest.raises(InputError, match=r"must be an http\(s\) address"):
        list(download(make_card(ROWS), tmp_path))


def test_addresses_name_repository_revision_and_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_DOWNLOAD_BASE", raising=False)
    assert address(make_card(ROWS), ROWS) == (
        "https://raw.githubusercontent.com/someone/corpus/abc123/data/rows%201.jsonl"
    )
    hub = make_card(ROWS, origin="https://huggingface.co/datasets/someone/corpus")
    other = File("rows.jsonl", upstream="rows.jsonl", revision="def456")
    assert address(hub, other) == (
        "https://huggingface.co/datasets/someone/corpus/resolve/def456/rows.jsonl"
    )


def test_unknown_place_has_no_address() -> None:
    with pytest.raises(InputError, match="not a known server"):
        address(make_card(ROWS, origin="https://doi.org/10.1/x"), ROWS)
