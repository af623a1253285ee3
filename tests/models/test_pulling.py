"""What comes from a server is whole and right, however the server behaves."""

import json
import threading
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.models import pulling
from assay.models.cache import base_file, look, part_path
from assay.models.catalogue import PublicModel
from assay.models.pulling import PartFile, Pulled, pull
from tests.models.file_server import CONTENT, FileServer, wait_for

MEBI = 2**20


def fetch(model: PublicModel) -> Pulled:
    return pull(model, lambda doing, done: None)


def refusal(model: PublicModel) -> InputError:
    with pytest.raises(InputError) as caught:
        fetch(model)
    return caught.value


def names(folder: Path) -> set[str]:
    """The files there are, but for the lock, which stays."""
    return {path.name for path in folder.iterdir()} - {".large.lock"}


def begun(model: PublicModel, server: FileServer, size: int = MEBI) -> None:
    """Leaves a download that broke off after so many bytes."""
    server.dies_after = [size]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulling, "ATTEMPTS", 1)
        refusal(model)
    assert look(model).size == size
    server.asked.clear()


def test_file_comes_whole_and_can_then_be_used(model: PublicModel, folder: Path) -> None:
    with pytest.raises(InputError, match="run 'assay models pull large'"):
        base_file("large")
    seen: list[tuple[str, int]] = []
    pulled = pull(model, lambda doing, done: seen.append((doing, done)))
    assert pulled.result == "fetched"
    assert base_file("large").read_bytes() == CONTENT
    assert names(folder) == {"tiny.gguf", "tiny.gguf.json"}
    assert seen[-1] == ("fetching", len(CONTENT))


def test_what_is_here_is_not_fetched_again(
    model: PublicModel, server: FileServer, folder: Path
) -> None:
    fetch(model)
    (folder / ".large.lock").unlink()
    (folder / ".large.lock").mkdir()  # as if the folder belonged to somebody else
    assert fetch(model).result == "already here"
    assert len(server.asked) == 1


def test_broken_connection_is_made_again_and_goes_on(
    model: PublicModel, server: FileServer
) -> None:
    server.dies_after = [MEBI, 1000, 0, 0]
    fetch(model)
    later = f"bytes={MEBI + 1000}-"
    assert server.ranges == ["", f"bytes={MEBI}-", later, later, later]
    assert base_file("large").read_bytes() == CONTENT


def test_attempts_that_bring_nothing_end_it_and_what_came_is_kept(
    model: PublicModel, server: FileServer
) -> None:
    server.dies_after = [MEBI, *[0] * 20]
    error = refusal(model)
    assert "the connection broke off; 1 MB of 2 MB are kept" in str(error)
    assert error.code == "fetched-in-part"
    assert len(server.asked) == pulling.ATTEMPTS
    assert (look(model).state, look(model).size) == ("in part", MEBI)


def test_another_day_goes_on_with_the_same_version(model: PublicModel, server: FileServer) -> None:
    begun(model, server)
    fetch(model)
    assert server.asked[0]["Range"] == f"bytes={MEBI}-"
    assert server.asked[0]["If-Range"] == '"one"'
    assert base_file("large").read_bytes() == CONTENT


def test_server_that_ignores_ranges_is_asked_for_everything(
    model: PublicModel, server: FileServer, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "assay")
    server.takes_ranges = False
    begun(model, server)
    fetch(model)
    assert "begins again with the first byte: it does not send parts of files" in caplog.text
    assert base_file("large").read_bytes() == CONTENT
    assert names(folder) == {"tiny.gguf", "tiny.gguf.json"}


def test_changed_version_is_fetched_from_its_beginning(
    model: PublicModel, server: FileServer
) -> None:
    server.content = b"x" * len(CONTENT)
    begun(model, server)
    server.content, server.tag = CONTENT, '"two"'
    fetch(model)
    assert base_file("large").read_bytes() == CONTENT
    assert len(server.asked) == 1


def test_wrong_beginning_without_versions_is_noticed_by_the_digest(
    model: PublicModel, server: FileServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.content, server.tag = b"x" * len(CONTENT), ""
    begun(model, server)
    server.content = CONTENT
    fetch(model)
    assert server.ranges == [f"bytes={MEBI}-", ""]
    assert base_file("large").read_bytes() == CONTENT
    assert "does not fit; all of it is fetched again" in caplog.text


def test_other_content_is_refused_and_not_kept(
    model: PublicModel, server: FileServer, folder: Path
) -> None:
    server.content = b"x" * len(CONTENT)
    error = refusal(model)
    assert model.sha256 in str(error)
    assert "nothing was kept" in str(error)
    assert names(folder) == set()


def test_file_of_another_size_is_refused_at_once(
    model: PublicModel, server: FileServer, folder: Path
) -> None:
    server.content = b"<html>Please log in to this network.</html>"
    assert "the file there has 43 bytes, not 2,097,152" in str(refusal(model))
    assert len(server.asked) == 1
    assert names(folder) == set()


def test_body_that_ends_early_or_late_without_a_length_is_noticed(
    model: PublicModel, server: FileServer
) -> None:
    server.says_length = False
    server.dies_after = [1000]
    fetch(model)
    assert server.ranges == ["", "bytes=1000-"]
    base_file("large").unlink()
    server.content = CONTENT + b"more"
    fetch(model)  # what is too much is not taken
    assert base_file("large").read_bytes() == CONTENT


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_refusal_by_the_server_is_told_at_once(
    model: PublicModel, server: FileServer, folder: Path, status: int
) -> None:
    server.statuses = [status] * 9
    error = refusal(model)
    assert f"cannot fetch {model.address}: the server says {status}" in str(error)
    assert len(server.asked) == 1
    assert names(folder) == set()


def test_busy_server_is_asked_again(model: PublicModel, server: FileServer) -> None:
    server.statuses = [503, 429, 500]
    fetch(model)
    assert len(server.asked) == 4


def test_part_that_the_server_does_not_have_is_begun_anew(
    model: PublicModel, server: FileServer
) -> None:
    begun(model, server)
    server.statuses = [416]
    fetch(model)
    assert server.ranges == [f"bytes={MEBI}-", ""]


def test_part_that_is_too_long_is_begun_anew(model: PublicModel, server: FileServer) -> None:
    begun(model, server)
    part_path(look(model).path).write_bytes(CONTENT + b"x")
    fetch(model)
    assert server.ranges == [""]


def test_part_that_is_complete_needs_no_server(model: PublicModel, server: FileServer) -> None:
    begun(model, server)
    part_path(look(model).path).write_bytes(CONTENT)
    fetch(model)
    assert server.asked == []
    assert base_file("large").read_bytes() == CONTENT


def test_nobody_at_the_address_is_told_at_once(
    model: PublicModel, server: FileServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "http://127.0.0.1:9")
    told = str(refusal(model))
    assert told.startswith("cannot fetch http://127.0.0.1:9/who/what/resolve/main/")
    assert told.endswith(": Connection refused")
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "http://no-such-host.invalid")
    assert "there is no host of that name, or no network" in str(refusal(model))
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "ftp://127.0.0.1")
    assert "must be an http(s) address" in str(refusal(model))
    assert server.asked == []


def test_mirror_is_a_server_with_the_same_paths_or_the_file_itself(
    model: PublicModel, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "http://127.0.0.1:9")  # what is named counts
    for mirror in (f"{server.address}/hub/", f"{server.address}/files/tiny.gguf"):
        pull(model, lambda doing, done: None, mirror)
        assert base_file("large").read_bytes() == CONTENT
        base_file("large").unlink()
    assert server.paths == ["/hub/who/what/resolve/main/tiny.gguf", "/files/tiny.gguf"]


@pytest.mark.parametrize(
    "mirror", ["mirror.example", "file:///tmp/tiny.gguf", "http://", "", "http://[", "http://h:x"]
)
def test_mirror_is_an_address(model: PublicModel, server: FileServer, mirror: str) -> None:
    with pytest.raises(InputError, match=r"a mirror must be an http\(s\) address") as caught:
        pull(model, lambda doing, done: None, mirror)
    assert caught.value.field == "mirror"
    assert server.asked == []


def test_query_is_for_the_address_of_the_file_itself(model: PublicModel) -> None:
    address = "https://files.example/tiny.gguf?key=a/"
    assert model.address_at(address) == address
    for mirror in ("https://h.example?to=/tiny.gguf", "https://h.example/?", "https://h.example#a"):
        with pytest.raises(InputError, match=r"a mirror with a query .* ends in /tiny\.gguf"):
            model.address_at(mirror)


def test_redirects_are_followed_with_the_range(model: PublicModel, server: FileServer) -> None:
    server.redirect = "/there"
    begun(model, server)
    fetch(model)
    assert server.paths[-1] == "/there"
    assert server.ranges == [f"bytes={MEBI}-"] * 2


@pytest.mark.parametrize(
    ("target", "reason"),
    [("/round", "redirects more than 10 times"), ("ftp://elsewhere/x", "which is not secure")],
)
def test_redirects_have_limits(
    model: PublicModel, server: FileServer, target: str, reason: str
) -> None:
    server.redirect = target
    assert reason in str(refusal(model))


def test_proxy_of_the_environment_is_used(
    model: PublicModel, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.address)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", "http://models.example")
    fetch(model)
    assert server.paths == ["http://models.example/who/what/resolve/main/tiny.gguf"]


def test_no_compression_is_asked_for(model: PublicModel, server: FileServer) -> None:
    fetch(model)
    assert server.asked[0]["Accept-Encoding"] == "identity"


def test_disk_without_room_is_noticed_before(
    model: PublicModel, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: FreeSpace(2 * MEBI))
    error = refusal(model)
    assert "not enough room" in str(error)
    assert "2 MB are needed and 2 MB are free" in str(error)
    assert server.asked == []


class FreeSpace:
    def __init__(self, free: int) -> None:
        self.free = free


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_disk_that_fills_up_is_told_as_such(model: PublicModel, folder: Path) -> None:
    folder.mkdir()
    with PartFile(look(model).path) as part:
        part.begin("")
        part._file.close()
        part._file = open("/dev/full", "r+b", buffering=0)  # type: ignore[assignment]  # noqa: SIM115
        with pytest.raises(InputError, match="No space left on device") as caught:
            part.add(b"x" * 1000)
    assert caught.value.code == "disk-full"


def test_second_pull_of_the_same_is_refused_while_one_goes_on(
    model: PublicModel, server: FileServer
) -> None:
    release, waiting = threading.Event(), threading.Event()

    def hold() -> None:
        waiting.set()
        release.wait(30)

    server.hold = hold
    first = threading.Thread(target=fetch, args=(model,))
    first.start()
    wait_for(waiting.is_set)
    error = refusal(model)
    release.set()
    first.join()
    assert error.code == "model-locked"
    assert fetch(model).result == "already here"


def test_record_of_a_part_that_cannot_be_read_does_no_harm(
    model: PublicModel, server: FileServer
) -> None:
    begun(model, server)
    part = part_path(look(model).path)
    part.with_name(f"{part.name}.json").write_text("[")
    fetch(model)
    assert "If-Range" not in server.asked[0]
    assert base_file("large").read_bytes() == CONTENT
    assert json.loads(base_file("large").with_name("tiny.gguf.json").read_bytes())["sha256"]
