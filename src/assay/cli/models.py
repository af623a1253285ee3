"""`assay models`: the public model files that detectors build on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

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

from assay.app.detectors import (
    ModelCheckpoint,
    ModelFile,
    amount,
    list_models,
    pull_model,
    pull_published,
    remove_model,
    show_model,
)
from assay.cli.commands import CommandGroup
from assay.cli.errors import say
from assay.cli.options import AsJson, Shown
from assay.cli.output import make_console
from assay.cli.progress import EVERY
from assay.core.errors import InputError
from assay.core.options import Argument, Option
from assay.report.tables import WORDS, Column, Table, facts_view, table_view

Name = Annotated[str, Argument("A model; 'assay models list' names them.", "NAME")]


def pull(
    name: Name,
    shown: Shown,
    from_file: Annotated[
        str | None,
        Option("Take this file, which is already here, and check it.", "FILE", name="from"),
    ] = None,
    mirror: Annotated[
        str | None,
        Option("Fetch it from this server, or this address of the file itself.", "URL"),
    ] = None,
) -> None:
    """Fetch a model from where its authors publish it.

    What it is, where it comes from, its size and its licence are said first. A download that was
    broken off goes on where it was. A file whose sha256 is known appears once that is right; the
    checkpoint of a published detector goes into the cache of the Hugging Face hub.

    Exit code: 0 the model is here; 2 it is not.
    """
    model = show_model(name)
    if isinstance(model, ModelCheckpoint):
        _pull_published(model, shown, from_file, mirror)
        return
    place = from_file if mirror is None else model.address_at(mirror)
    facts = [fact for fact in model.facts() if fact[0] != "state"]
    if place:
        facts = [("from", place) if fact[0] == "from" else fact for fact in facts]
    if not (shown.quiet or shown.json):
        make_console().print(facts_view(facts))
    try:
        with _watching(model.kept.model.size, quiet=shown.quiet) as watching:
            pulled = pull_model(name, watching.tell, from_file=from_file, mirror=mirror)
    except KeyboardInterrupt:
        left = show_model(name)
        if isinstance(left, ModelFile) and left.kept.state == "in part":
            say(f"interrupted: {left.state}, and the same command goes on")
        raise
    shown.show(
        lambda: {**show_model(name).to_dict(), "result": pulled.result},
        lambda: [Text(f"{pulled.result}: {pulled.path}")],
    )


def _pull_published(
    model: ModelCheckpoint, shown: Shown, from_file: str | None, mirror: str | None
) -> None:
    if mirror is not None:
        raise InputError(
            "checkpoints come from the Hugging Face hub, or from the server that HF_ENDPOINT names",
            field="mirror",
        )
    if from_file is not None:
        raise InputError(
            f"a checkpoint that is already here needs no pull: name its folder, as in"
            f" {model.used_by.partition(':')[0]}:FOLDER",
            field="from_file",
        )
    if not (shown.quiet or shown.json):
        make_console().print(facts_view([each for each in model.facts() if each[0] != "state"]))
    pulled = pull_published(model.name, quiet=shown.quiet or shown.json)
    result = "already here" if model.folder else "fetched"
    shown.show(
        lambda: {**pulled.to_dict(), "result": result},
        lambda: [Text(f"{result}: {pulled.folder}")],
    )


def list_(json: AsJson = False) -> None:
    """List every model: what uses it, its size and licence, and what of it is here."""
    place, files, published = list_models()
    title = f"{len(files)} model file{'' if len(files) == 1 else 's'}; kept at {place}"
    hub = f"{len(published)} checkpoints of published detectors; in the cache of the hub"
    Shown(json).show(
        lambda: [*(each.to_dict() for each in files), *(each.to_dict() for each in published)],
        lambda: [
            table_view(Table(title, "", _COLUMNS, files)),
            table_view(Table(hub, "", _PUBLISHED, published)),
        ],
    )


def show(name: Name, json: AsJson = False) -> None:
    """Show what there is to know about a model: origin, licence, digest, place and state."""
    model = show_model(name)
    Shown(json).show(model.to_dict, lambda: [facts_view(model.facts())])


def remove(name: Name, json: AsJson = False) -> None:
    """Remove what is here of a model; 'assay models pull' fetches it again.

    Exit code: 0 removed; 2 if nothing of it is here.
    """
    path, size = remove_model(name)
    Shown(json).show(
        lambda: {"name": name, "path": path, "bytes": size},
        lambda: [Text(f"removed: {path} ({amount(size)})")],
    )


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


_COLUMNS: tuple[Column[ModelFile], ...] = (
    Column("name", lambda line: line.name, WORDS),
    Column("model", lambda line: line.title, WORDS),
    Column("used by", lambda line: line.used_by, WORDS),
    Column("state", lambda line: line.state, WORDS),
    Column("licence", lambda line: line.licence, WORDS),
    Column("size", lambda line: amount(line.size)),
)
_PUBLISHED: tuple[Column[ModelCheckpoint], ...] = (
    Column("name", lambda line: line.name, WORDS),
    Column("used by", lambda line: line.used_by, WORDS),
    Column("state", lambda line: line.state, WORDS),
    Column("licence", lambda line: line.licence, WORDS),
    Column("languages", lambda line: line.model.languages, WORDS),
    Column("tokens", lambda line: f"{line.model.context:,}" if line.model.context else "any"),
    Column("size, about", lambda line: amount(line.size)),
)


app = CommandGroup(
    "Models that detectors build on: fetch, list, show and remove them.",
    pull,
    list_,
    show,
    remove,
)
