"""`assay studio`: a real server that starts, answers and stops; projects in and out of files."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner

from assay.cli import app
from tests.studio.serving import _wait_for

ROWS = [
    {"id": "a", "source": "The cat sat on the mat.", "response": "The cat sat. It slept."},
    {"id": "b", "source": "The dog ran home.", "response": "The dog ran."},
]
PASSWORD = "correct horse battery"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rows(tmp_path: Path) -> str:
    """A file of two examples."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    return str(path)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assay studio ...` in a folder of its own: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STUDIO", raising=False)

    def call(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        result = CliRunner().invoke(app, ["studio", *arguments], input=stdin)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return call


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, and the address that it prints."""
    command = [sys.executable, "-m", "assay", "studio", "--no-browser", "--port", "0", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_STUDIO"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, _rest(process.stderr)
        yield address, process
    finally:
        process.kill()
        process.wait(10)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _rest(stream: IO[str] | None) -> str:
    return stream.read() if stream else ""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_server_makes_a_project_tells_its_address_and_stops(
    tmp_path: Path, rows: str, stop: signal.Signals
) -> None:
    with serving(tmp_path, "--data", rows, "--annotators", "2") as (address, process):
        base, _, key = address.partition("/login#key=")
        assert base.startswith("http://127.0.0.1:")
        assert len(key) > 20
        _wait_for(base)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{base}/api/projects")
        process.send_signal(stop)
        assert process.wait(20) == 0
        told = _rest(process.stderr)
    assert "imported 2 items into the project 'rows'" in told
    assert told.endswith("assay: stopped\n")
    assert (tmp_path / "assay-studio.sqlite").is_file()


def test_second_start_goes_on_with_the_project(tmp_path: Path, rows: str, run: Run) -> None:
    assert run("import", rows, "--annotators", "2")[0] == 0
    with serving(tmp_path, "--data", rows) as (_, process):
        process.send_signal(signal.SIGINT)
        process.wait(20)
        assert "imported" not in _rest(process.stderr)
    code, out, _ = run("list", "--json")
    (project,) = json.loads(out)
    assert (code, project["slug"], project["items"], project["done"]) == (0, "rows", 2, 0)


def test_port_that_is_taken_is_one_line(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, told = run("--no-browser", "--port", str(taken.getsockname()[1]))
    assert code == 2
    assert told.startswith("assay: cannot listen on 127.0.0.1, port ")
    assert told.count("\n") == 1
    assert "(--port)" in told


def test_other_computers_are_served_only_with_accounts(run: Run) -> None:
    code, _, told = run("--no-browser", "--host", "0.0.0.0", "--port", "0")
    assert code == 2
    assert "no account" in told
    assert "assay studio account" in told


def test_account_is_made_with_a_password_from_standard_input(run: Run) -> None:
    code, _, told = run("account", "ada", stdin=f"{PASSWORD}\n")
    assert (code, told) == (0, "assay: 'ada' can sign in now, with the role administrator\n")
    code, _, told = run("account", "ben", "--role", "king", stdin=f"{PASSWORD}\n")
    assert code == 2
    assert "unknown role 'king'" in told
    code, _, told = run("account", "eve", stdin="short\n")
    assert code == 2


def test_import_tells_rows_that_cannot_be_used(run: Run, rows: str) -> None:
    with Path(rows).open("a", encoding="utf-8") as file:
        file.write('{"id": "c", "source": "x"}\n')
    code, _, told = run("import", rows, "--project", "Cats & dogs")
    assert code == 2
    first, second = told.splitlines()
    assert first == "assay: imported 2 items into the project 'cats-dogs'"
    assert second.startswith("assay: rows.jsonl line 3: ")
    code, out, _ = run("import", rows, "--project", "Cats & dogs", "--json")
    done = json.loads(out)
    assert (code, done["added"], done["known"], done["refused"]) == (2, 0, 2, 1)


def test_export_comes_back_with_import(run: Run, rows: str, tmp_path: Path) -> None:
    run("import", rows, "--annotators", "3", "--mode", "both")
    code, out, told = run("export", "rows", "--out", "copy.jsonl")
    assert (code, out, told) == (0, "", "assay: wrote copy.jsonl\n")
    run("import", "copy.jsonl", "--project", "copy")
    run("export", "copy", "--out", "second.jsonl")
    first, second = (
        (tmp_path / name).read_text().splitlines() for name in ("copy.jsonl", "second.jsonl")
    )
    assert second[1:] == first[1:]
    assert json.loads(second[0])["settings"] == json.loads(first[0])["settings"]


def test_export_tells_how_many_items_nobody_judged(run: Run, rows: str) -> None:
    run("import", rows)
    _, _, told = run("export", "rows", "--form", "faithbench", "--out", "rows.json")
    assert "not in it: nobody has judged" in told


def test_export_overwrites_no_file_that_was_not_named(run: Run, rows: str) -> None:
    run("import", rows)
    code, _, told = run("export", "rows")
    assert code == 2
    assert told == "assay: rows.jsonl is there already; name the file with --out\n"
    assert json.loads(Path(rows).read_text().splitlines()[0]) == ROWS[0]
    code, out, _ = run("export", "rows", "--form", "csv", "--out", "-")
    assert (code, out.startswith("example,")) == (0, True)


def test_table_of_annotations_is_imported_into_a_project_that_has_the_items(
    run: Run, rows: str
) -> None:
    run("import", rows)
    CliRunner().invoke(app, ["run", rows, "--detector", "overlap", "--name", "r1"])
    run("attach", "rows", "run:r1")
    run("export", "rows", "--form", "csv", "--out", "said.csv")
    run("import", rows, "--project", "copy")
    code, _, told = run("import", "said.csv", "--project", "copy")
    assert (code, told) == (0, "assay: imported 2 judgements into the project 'copy'\n")
    run("export", "copy", "--form", "csv", "--out", "again.csv")
    assert Path("again.csv").read_bytes() == Path("said.csv").read_bytes()


def test_run_is_attached(run: Run, rows: str) -> None:
    run("import", rows)
    judged = CliRunner().invoke(app, ["run", rows, "--detector", "overlap", "--name", "r1"])
    assert judged.exit_code == 0
    code, _, told = run("attach", "rows", "run:r1")
    assert (code, told) == (0, "assay: 2 judgements by overlap are in 'rows', 0 were before\n")


def test_commands_act_without_an_account_and_make_none(run: Run, rows: str, tmp_path: Path) -> None:
    run("account", "ada", stdin=f"{PASSWORD}\n")
    CliRunner().invoke(app, ["run", rows, "--detector", "overlap", "--name", "r1"])
    for arguments in (
        ["import", rows],
        ["attach", "rows", "run:r1"],
        ["export", "rows", "--out", "-"],
        ["list"],
    ):
        assert run(*arguments)[0] == 0
    with closing(sqlite3.connect(tmp_path / "assay-studio.sqlite")) as database:
        people = database.execute("select name from studio_people").fetchall()
        happened = database.execute(
            "select kind, person from studio_events where project is not null order by id"
        ).fetchall()
    assert people == [("ada",)]
    kinds = ("project-created", "imported", "attached", "exported")
    assert happened == [(kind, None) for kind in kinds]


def test_studio_that_is_not_there_is_not_made(run: Run, tmp_path: Path) -> None:
    for arguments in (["list"], ["export", "demo"], ["attach", "demo", "run:x"]):
        code, _, told = run(*arguments, "--database", "none.sqlite")
        assert code == 2
        assert "there is no studio at none.sqlite; 'assay studio account NAME' makes one" in told
    assert not (tmp_path / "none.sqlite").exists()


def test_other_commands_take_what_was_said_in_the_studio(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STUDIO", str(tmp_path / "mine.sqlite"))
    labelled = zip(ROWS, ("unfaithful", "faithful"), strict=True)
    lines = (json.dumps({**row, "label": label}) for row, label in labelled)
    Path("rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    run("import", "rows.jsonl")
    assert (tmp_path / "mine.sqlite").is_file()
    CliRunner().invoke(app, ["run", "rows.jsonl", "--detector", "overlap", "--name", "r1"])
    run("attach", "rows", "run:r1")
    done = CliRunner().invoke(
        app, ["evaluate", "studio:rows/overlap", "--dataset", "rows.jsonl", "--json"]
    )
    assert done.exit_code == 0, done.stderr
    assert "studio:rows/overlap" in done.stdout
    failed = CliRunner().invoke(app, ["evaluate", "studio:rows/ann", "--dataset", "rows.jsonl"])
    assert failed.exit_code == 2
    assert "unknown annotator or detector of 'rows' 'ann'" in failed.stderr


def test_wrong_file_and_wrong_use_are_told(run: Run) -> None:
    code, _, told = run("--data", "nothing.jsonl", "--no-browser")
    assert (code, told) == (2, "assay: there is no file nothing.jsonl\n")
    code, _, told = run("--detector", "overlap", "--no-browser")
    assert (code, "--data" in told) == (2, True)


def test_missing_packages_are_named_with_the_command(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.startswith(("uvicorn", "assay.studio"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, told = run("--no-browser")
    assert code == 2
    assert told.endswith(
        "the studio needs an optional package: pip install 'assay-faith[studio]'\n"
    )
