"""The command in this process, and a folder of released data that a test may alter."""

import gzip
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.cli import main
from assay.cli.commands import Command
from assay.cli.reproduce import reproduce


class Done(NamedTuple):
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def cells(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The cells of its JSON document by row and metric; of several places, the first."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for table in json.loads(self.out)["tables"]:
            for cell in table["cells"]:
                found.setdefault((cell["row"], cell["metric"]), cell)
        return found


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `assay reproduce` with some arguments."""
    app = Command("reproduce", reproduce)

    def call(*arguments: str) -> Done:
        monkeypatch.setattr("assay.cli.app", app)
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


@pytest.fixture
def copy(shared_data: Path, tmp_path: Path) -> Callable[..., Path]:
    """Copies some of the released files to a folder of the test's own."""

    def copied(*names: str) -> Path:
        for name in names:
            target = tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (shared_data / name).is_dir():
                # Only the contents: the released files may be read-only.
                shutil.copytree(shared_data / name, target, copy_function=shutil.copyfile)
                target.chmod(0o755)
            else:
                shutil.copyfile(shared_data / name, target)
        return tmp_path

    return copied


def write_lines(path: Path, rows: list[Any]) -> None:
    """Writes JSON lines, packed if the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text, 1) if path.suffix == ".gz" else text)


@pytest.fixture
def lines() -> Callable[[Path, list[Any]], None]:
    """The writer of JSON lines, for tests that make their own data."""
    return write_lines
