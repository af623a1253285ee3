"""`assay models`, on a server of its own with a tiny file."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.models.catalogue import MODELS, PublicModel
from tests.cli.conftest import assay, line_of
from tests.models.file_server import CONTENT, FileServer, model_of, serving, wait_for


@pytest.fixture
def files() -> Iterator[FileServer]:
    """A server of the tiny model."""
    with serving() as told:
        yield told


@pytest.fixture
def model(files: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PublicModel:
    """The tiny model, under the name of the one that there is."""
    monkeypatch.setenv("ASSAY_MODELS", str(tmp_path / "kept"))
    tiny = model_of(origin=f"{files.address}/who/what")
    monkeypatch.setitem(MODELS, "large", tiny)
    return tiny


def test_pull_says_what_comes_from_where_and_brings_it(model: PublicModel, tmp_path: Path) -> None:
    done = assay("models", "pull", "large")
    assert done.exit_code == 0
    for fact in ("A tiny model", "2,097,152 bytes", model.sha256, "Apache-2.0", "/resolve/main/"):
        assert fact in done.stdout
    assert f"fetched: {tmp_path / 'kept' / 'tiny.gguf'}" in done.stdout.replace("\n", "")
    assert "here, checked" in assay("models", "list").stdout
    assert "here, checked" in assay("models", "show", "large").stdout


def test_documents_are_json_and_quiet_is_silent(model: PublicModel) -> None:
    first, *published = json.loads(assay("models", "list", "--json").stdout)
    assert (first["name"], first["state"]) == ("large", "absent")
    assert {each["state"] for each in published} <= {"absent", "ready"}
    pulled = json.loads(assay("models", "pull", "large", "--json").stdout)
    assert (pulled["result"], pulled["state"]) == ("fetched", "ready")
    assert pulled == {
        **json.loads(assay("models", "show", "large", "--json").stdout),
        "result": "fetched",
    }
    removed = json.loads(assay("models", "remove", "large", "--json").stdout)
    assert removed == {"name": "large", "path": pulled["path"], "bytes": len(CONTENT)}
    done = assay("models", "pull", "large", "--quiet")
    assert (done.exit_code, done.output) == (0, "")


def test_file_that_is_here_is_taken(model: PublicModel, files: FileServer, tmp_path: Path) -> None:
    (tmp_path / "mine.bin").write_bytes(CONTENT)
    done = assay("models", "pull", "large", "--from", str(tmp_path / "mine.bin"))
    assert done.exit_code == 0
    assert "linked: " in done.stdout
    assert "/resolve/main/" not in done.stdout
    assert files.asked == []
    refused = assay("models", "pull", "large", "--from", str(tmp_path / "none"), "--quiet")
    assert line_of(refused).endswith("none: there is no such file (--from)")


def test_errors_are_one_line_that_says_what_to_do(
    model: PublicModel, files: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.models.pulling.ATTEMPTS", 1)
    files.dies_after = [2**20]
    broken = line_of(assay("models", "pull", "large", "--quiet"))
    assert broken.endswith("1 MB of 2 MB are kept; the same command goes on")
    assert "1 MB of 2 MB fetched" in assay("models", "list").stdout
    assert assay("models", "remove", "large").exit_code == 0
    assert "nothing of 'large'" in line_of(assay("models", "remove", "large"))
    (tmp_path / "kept" / "tiny.gguf").write_text("mine")
    other = line_of(assay("models", "pull", "large", "--quiet"))
    assert other.endswith("remove it with: assay models remove large")
    assert "unknown model 'larg'. Did you mean 'large'?" in line_of(assay("models", "show", "larg"))


def test_mirror_is_named_and_used(model: PublicModel, files: FileServer) -> None:
    done = assay("models", "pull", "large", "--mirror", f"{files.address}/mine/tiny.gguf")
    assert (done.exit_code, files.paths) == (0, ["/mine/tiny.gguf"])
    assert f"{files.address}/mine/tiny.gguf" in done.stdout
    assert "/resolve/main/" not in done.stdout
    both = assay("models", "pull", "large", "--mirror", files.address, "--from", "x", "--quiet")
    assert line_of(both).endswith("a file that is here or a mirror, not both (--mirror)")
    wrong = assay("models", "pull", "large", "--mirror", "mirror.example", "--quiet")
    assert "must be an http(s) address, not 'mirror.example' (--mirror)" in line_of(wrong)
    hub = assay("models", "pull", "hhem-2.1-open", "--mirror", files.address, "--quiet")
    assert "the server that HF_ENDPOINT names" in line_of(hub)


def test_password_of_a_mirror_is_used_and_never_shown(
    model: PublicModel, files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.models.pulling.ATTEMPTS", 2)
    monkeypatch.setattr("assay.models.pulling.PAUSE", 0)
    address = files.address.replace("//", "//me:secret@")
    files.statuses = [503, 404]
    mirrors = [address, address, f"{address}/?key=secret", "me:secret@h", "https://me:se/secret@h"]
    done = [assay("models", "pull", "large", "--mirror", mirror) for mirror in mirrors]
    assert [each.exit_code for each in done] == [2, 0, 2, 2, 2]
    monkeypatch.setenv("ASSAY_DOWNLOAD_BASE", address)
    done += [assay("models", "show", "large", *how) for how in ([], ["--json"])]
    assert not any("secret" in each.stdout + each.stderr for each in done)
    assert files.address in done[-1].stdout


def test_mirror_without_a_text_is_refused_before_anything_is_printed(model: PublicModel) -> None:
    done = assay("models", "pull", "large", "--mirror", "")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "a mirror must be an http(s) address, not ''" in line_of(done)


def test_mirror_without_the_file_is_told_in_one_line(model: PublicModel, files: FileServer) -> None:
    files.statuses = [404]
    told = line_of(assay("models", "pull", "large", "--mirror", files.address, "--quiet"))
    assert "the server says 404 Not Found: the file is not there; --mirror URL names" in told


def test_address_without_a_server_is_told_in_one_line(model: PublicModel) -> None:
    told = line_of(
        assay("models", "pull", "large", "--mirror", "http://no-such-host.invalid", "--quiet")
    )
    assert "there is no host of that name, or no network; --mirror URL names" in told


def test_retries_are_told_unless_quiet(
    model: PublicModel, files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.models.pulling.PAUSE", 0.001)
    files.statuses = [503]
    done = assay("models", "pull", "large")
    assert "the server says 503 Service Unavailable; trying again" in done.stderr


PROGRAM = """
import sys
from assay.cli import main
from assay.models.catalogue import MODELS
from tests.models.file_server import model_of
MODELS["large"] = model_of(origin=sys.argv.pop(1))
main()
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_pull_keeps_what_came_and_goes_on(
    files: FileServer, model: PublicModel, tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    release = threading.Event()

    def hold() -> None:
        release.wait(30)

    files.hold = hold
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, model.origin, "models", "pull", "large"],
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "ASSAY_MODELS": str(tmp_path / "kept")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    part = tmp_path / "kept" / "tiny.gguf.part"
    wait_for(lambda: part.exists() and part.stat().st_size == len(CONTENT) // 2)
    started.send_signal(sent)
    _, said = started.communicate(timeout=30)
    release.set()
    assert started.returncode == code
    assert said == "assay: interrupted: 1 MB of 2 MB fetched, and the same command goes on\n"
    files.hold = lambda: None
    assert assay("models", "pull", "large").exit_code == 0
    assert files.ranges == ["", f"bytes={len(CONTENT) // 2}-"]
