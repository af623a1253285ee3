"""`assay models`: the public model files that detectors build on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from assay.app.models import ModelLine, amount, list_models, pull_model, remove_model, show_model
from assay.cli import options as o
from assay.cli.errors import Command, say
from assay.cli.help import command_group
from assay.cli.notices import telling
from assay.cli.output import make_console, print_json
from assay.cli.progress import EVERY
from assay.report.tables import facts_view, table_view

app = command_group("Model files that detectors build on: fetch, list, show and remove them.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A model file; 'assay models list' names them.")
]


@app.command(cls=Command)
def pull(
    name: Name,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE", help="Take this file, which is already here, and check it."
        ),
    ] = None,
    quiet: o.Quiet = False,
    json: o.AsJson = False,
) -> None:
    """Fetch a model file from its official address, and check it.

    What it is, where it comes from, its size and its licence are said first. A download that was
    broken off goes on where it was; the file appears once its sha256 is right.

    Exit code: 0 the file is here and checked; 2 it is not.
    """
    model = show_model(name)
    facts = [fact for fact in model.facts() if fact[0] != "state"]
    if from_file is not None:
        facts = [("from", from_file) if fact[0] == "from" else fact for fact in facts]
    if not (quiet or json):
        make_console().print(facts_view(facts))
    try:
        with telling(quiet=quiet), _watching(model.kept.model.size, quiet=quiet) as watching:
            pulled = pull_model(name, from_file, watching.tell)
    except KeyboardInterrupt:
        if show_model(name).kept.state == "in part":
            say(f"interrupted: {show_model(name).state}, and the same command goes on")
        raise
    if json:
        print_json({**show_model(name).to_dict(), "result": pulled.result})
    elif not quiet:
        _print_line(f"{pulled.result}: {pulled.path}")


@app.command("list", cls=Command)
def list_(json: o.AsJson = False) -> None:
    """List every model file: what uses it, its size and licence, and what of it is here."""
    place, models = list_models()
    if json:
        print_json([each.to_dict() for each in models])
        return
    headers = ("name", "model", "used by", "state", "licence", "size")
    title = f"{len(models)} model file{'' if len(models) == 1 else 's'}; kept at {place}"
    make_console().print(table_view(title, headers, map(_cells, models), words=5))


@app.command(cls=Command)
def show(name: Name, json: o.AsJson = False) -> None:
    """Show what there is to know about a model file: origin, licence, digest, place and state."""
    model = show_model(name)
    if json:
        print_json(model.to_dict())
    else:
        make_console().print(facts_view(model.facts()))


@app.command(cls=Command)
def remove(name: Name, json: o.AsJson = False) -> None:
    """Remove what is here of a model file; 'assay models pull' fetches it again.

    Exit code: 0 removed; 2 if nothing of it is here.
    """
    removed = remove_model(name)
    if json:
        print_json({"name": name, "path": str(removed.kept.path), "bytes": removed.kept.size})
    else:
        _print_line(f"removed: {removed.kept.path} ({amount(removed.kept.size)})")


class _Watching:
    """Tells how many bytes have come: a bar on a terminal, elsewhere a line now and then."""

    def __init__(self, console: Console, total: int, *, quiet: bool) -> None:
        self._console, self._total, self._quiet = console, total, quiet
        self._doing, self._began_at, self._began = "", 0, 0.0
        self._told = time.monotonic()
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self.bar.add_task("", total=total)

    def tell(self, doing: str, done: int) -> None:
        """To be called often; it shows something only when it is time to."""
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._began_at, self._began = doing, done, now
            self.bar.reset(self._task, total=self._total, description=doing)
        self.bar.update(self._task, completed=done)
        if self._quiet or self._console.is_terminal or now - self._told < EVERY:
            return
        self._told = now
        rate = max(0.0, (done - self._began_at) / max(now - self._began, 1e-9))
        say(f"{doing}: {amount(done)} of {amount(self._total)}, {amount(int(rate))}/s")


@contextmanager
def _watching(total: int, *, quiet: bool) -> Iterator[_Watching]:
    watching = _Watching(make_console(stderr=True, width=None), total, quiet=quiet)
    with watching.bar:
        yield watching


def _cells(line: ModelLine) -> tuple[str, ...]:
    model = line.kept.model
    about = (model.name, model.title, model.used_by)
    return (*about, line.state, model.licence, amount(model.size))


def _print_line(line: str) -> None:
    make_console().print(Text(line), soft_wrap=True)
