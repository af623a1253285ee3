"""Commands in a folder of their own, with a model's server on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assay.cli.application import app
from tests.cli.loopback import Loopback

KEY = {"OPENAI_API_KEY": "a-key"}
_NOTICES = ("assay: texts go to ", "assay: searches go to ")


def assay(*arguments: str, stdin: str = "") -> Result:
    """A command in this process; anything that it raises but an exit fails the test."""
    done = CliRunner().invoke(app, list(arguments), input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def completed(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """The same, with the result that a process of its own has; starting one takes much longer."""
    done = assay(*arguments, stdin=stdin)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def error_of(done: Result) -> str:
    """What a command says that cannot be done, without the name of the program."""
    assert done.exit_code == 2, done.output
    said = "".join(
        line for line in done.stderr.splitlines(keepends=True) if not line.startswith(_NOTICES)
    )
    assert said.startswith("assay: "), done.output
    return said.removeprefix("assay: ").removesuffix("\n")


def line_of(done: Result) -> str:
    """The same where it has to be a single line."""
    message = error_of(done)
    assert "\n" not in message
    return message


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server that finds everything faithful."""
    made = Loopback()
    yield made
    made.close()


@dataclass(frozen=True)
class Workplace:
    """A folder to run commands in, with a file of examples that ask this server."""

    folder: Path
    server: Loopback

    def write(self, count: int, response: str = "Cat {n} sat.", name: str = "data.jsonl") -> None:
        """Writes so many examples."""
        rows = (
            {"id": f"ex{n}", "source": f"Cat {n} sat.", "response": response.format(n=n)}
            for n in range(count)
        )
        (self.folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def arguments(
        self, *more: str, detector: str = "judge-simple", quiet: bool = True
    ) -> list[str]:
        """The usual run, and more."""
        asked = ("--detector", detector, "--model", "m", *(["--quiet"] if quiet else []))
        return ["run", "data.jsonl", *asked, *more]

    def assay(self, *arguments: str) -> Result:
        """A command in this process."""
        return assay(*arguments)

    def run(self, *more: str, detector: str = "judge-simple", quiet: bool = True) -> Result:
        """The usual run in this process."""
        return self.assay(*self.arguments(*more, detector=detector, quiet=quiet))

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """A command in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "assay", *arguments],
            cwd=self.folder,
            env={**os.environ, **KEY},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def export(self, name: str = "data--judge-simple--m") -> dict[str, Any]:
        """The JSON document of a run."""
        done = self.assay("runs", "export", name)
        assert done.exit_code == 0
        document: dict[str, Any] = json.loads(done.stdout)
        return document


@pytest.fixture
def work(
    tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Workplace]:
    """A workplace with so many examples."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_RUNS", "ASSAY_MODEL", "ASSAY_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)  # an option would be in the names of runs
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def make(count: int = 20, response: str = "Cat {n} sat.") -> Workplace:
        place = Workplace(tmp_path, server)
        place.write(count, response)
        return place

    return make
