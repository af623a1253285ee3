"""`assay serve` on the command line: keys that are made, and starts that cannot be."""

import sys
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.app.served import DetectorChoice
from assay.cli import serve as commands
from assay.cli.application import app
from assay.service import server
from assay.service.keys import read_keys
from assay.service.request import ServeRequest


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_new_key_is_printed_once_with_its_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["serve", "--new-key", "ci"])
    assert done.exit_code == 0
    key = done.stdout.strip()
    assert key.startswith("assay-")
    line = done.stderr.splitlines()[-1]
    assert line == f"ci {sha256(key.encode()).hexdigest()}"
    for name, text in (("keys", line), ("all", done.stderr)):
        (tmp_path / name).write_text(text)
        assert read_keys(str(tmp_path / name)).owner(key) == "ci"


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "0.0.0.0"], "(--host)"),
        (["--keys", "nothing"], "nothing cannot be read: No such file or directory (--keys)"),
        (["--detector", "overlap", "--model", "x"], "no detector here asks a model"),
        (["--detector", "overlapp"], "Did you mean 'overlap'?"),
        (["--detector", "overlap", "--store", "/dev/null/x"], "(--store)"),
        (["--new-key", "a b"], "a key's name has up to 64 letters"),
        (["--port", "65536"], "65536"),
        (["--max-body", "0"], "0"),
    ],
)
def test_service_that_cannot_begin_says_why_in_one_line(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["serve", *arguments])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("is_terminal", [True, False])
def test_terminal_is_told_where_the_service_is_and_how_it_ends(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_terminal: bool,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr(server, "log_to_stderr", lambda: None)
    monkeypatch.setattr(server.ServiceServer, "run", lambda self, sockets: None)
    monkeypatch.setattr(commands, "_end_soon", lambda code: None)
    chosen = DetectorChoice(("overlap", "embedded"))
    assert commands.serve(ServeRequest(chosen, port=0, store=str(tmp_path))) == 130
    said = capsys.readouterr().err
    if is_terminal:
        assert said.startswith("assay: overlap, embedded: open http://127.0.0.1:")
        assert said.endswith("/openapi.json; Ctrl-C ends the service\n")
    else:
        assert said == ""
