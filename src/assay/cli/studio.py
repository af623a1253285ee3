"""`assay studio`: people annotate in the browser; projects are listed, imported and exported."""

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from assay import Columns
from assay.annotation.exchange.export_forms import EXPORT_FORMS, Form
from assay.cli.commands import CommandGroup
from assay.cli.errors import exit_code, say
from assay.cli.options import AsJson, Database, Runs, Shown
from assay.core.errors import InputError, MissingExtraError
from assay.core.options import Argument, Option

if TYPE_CHECKING:
    from assay.annotation.exchange.new_items import Imported, ImportOptions
    from assay.annotation.studio import Person, Studio

_EXTRA = ("argon2", "fastapi", "itsdangerous", "multipart", "pydantic", "starlette", "uvicorn")
_TOLD = 10  # problems that are told one by one

Mode = Literal["sentences", "spans", "both"]
Purpose = Literal["real", "training", "quiz"]
ProjectName = Annotated[str, Argument("A project; 'assay studio list' names them.", "PROJECT")]
AnnotationMode = Annotated[Mode, Option("What people judge in a new project.")]
Annotators = Annotated[int, Option("Annotators of each item in a new project.", "K")]


@contextmanager
def _needing_extra() -> Iterator[None]:
    """Turns a missing package of the extra into what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtraError("the studio", "studio") from None


def studio(
    data: Annotated[
        str | None,
        Option("Make a project of this file on the first start; go on with it later.", "FILE"),
    ] = None,
    project: Annotated[
        str, Option("Name of that project; default: that of the file.", "NAME")
    ] = "",
    mode: AnnotationMode = "sentences",
    annotators: Annotators = 1,
    detector: Annotated[
        tuple[str, ...],
        Option("Have this detector judge the items first; may be repeated.", "NAME"),
    ] = (),
    database: Database = None,
    host: Annotated[
        str, Option("Address to listen on; others than this computer need accounts.", "ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option("Port to listen on; 0 is any that is free.", "N", least=0, most=65535)
    ] = 8765,
    public_name: Annotated[
        tuple[str, ...],
        Option("Name under which browsers reach the studio; may be repeated.", "NAME"),
    ] = (),
    https: Annotated[bool, Option("Browsers reach the studio by https.")] = False,
    behind_proxy: Annotated[
        bool, Option("Trust the address of clients that a proxy in front reports.")
    ] = False,
    no_browser: Annotated[bool, Option("Do not open a browser.")] = False,
) -> None:
    """Annotate in the browser: serves the studio until Ctrl-C.

    Without accounts only this computer is served, and the address that is printed signs you in.
    'assay studio account NAME' makes the first account of a team.

    Exit code: 0 when it was stopped by Ctrl-C or SIGTERM, 2 if it cannot begin.
    """
    from assay.studio.application import Serving
    from assay.studio.server import serve

    serving = Serving(public_name, is_secure=https, is_proxied=behind_proxy)
    with opened_studio(database) as (opened, who):
        if data is not None:
            _begin(opened, who, data, project, (mode, annotators), detector)
        elif project or detector:
            raise InputError("--project and --detector are about the file of --data")
        with suppress(KeyboardInterrupt):  # the usual way to end it
            serve(
                opened,
                host,
                port,
                serving=serving,
                open_browser=not no_browser,
                tell=_tell_address,
            )
    say("stopped")


def list_(database: Database = None, json: AsJson = False) -> None:
    """List the projects: what people judge in each, how many items it has, how many are done."""
    from assay.annotation.projects import ProjectLine, list_projects
    from assay.report.tables import WORDS, Column, Table, table_view

    with opened_studio(database, must_exist=True) as (opened, who):
        lines = list_projects(opened, who)
        place = opened.database.place
    title = f"{len(lines)} {'project' if len(lines) == 1 else 'projects'} at {place}"
    columns: tuple[Column[ProjectLine], ...] = (
        Column("project", lambda each: each.slug, WORDS),
        Column("name", lambda each: each.name, WORDS),
        Column("mode", lambda each: each.mode, WORDS),
        Column("done", lambda each: f"{each.done:,} of {each.items:,}", WORDS),
    )
    Shown(json).show(
        lambda: [asdict(line) for line in lines],
        lambda: [table_view(Table(title, "", columns, lines))],
    )


def account(
    name: Annotated[str, Argument("Name to sign in with.", "NAME")],
    role: Annotated[
        str, Option("administrator, adjudicator or annotator.", "ROLE")
    ] = "administrator",
    database: Database = None,
) -> None:
    """Make an account; its password is asked for, or read from standard input."""
    from assay.annotation.people.accounts import create_first

    with opened_studio(database) as (opened, _):
        person = create_first(opened, name, _password(), role)
    say(f"'{person.name}' can sign in now, with the role {person.role}")


def import_(
    file: Annotated[
        str, Argument("Examples, an export of a project, or a table of annotations.", "FILE")
    ],
    columns: Columns,
    project: Annotated[
        str, Option("Project; it is made if there is none of that name.", "NAME")
    ] = "",
    mode: AnnotationMode = "sentences",
    annotators: Annotators = 1,
    purpose: Annotated[
        Purpose, Option("Real items, training examples, or questions of the quiz.")
    ] = "real",
    again: Annotated[bool, Option("Have items judged again that people have judged.")] = False,
    language: Annotated[
        str | None, Option("Language of the texts, as in 'de'; detected if left out.", "CODE")
    ] = None,
    database: Database = None,
    json: AsJson = False,
) -> int:
    """Bring the items of a file into a project, or judgements of the items that it has.

    Importing a file again adds nothing.

    Exit code: 0 all imported, 2 for bad usage or rows that cannot be used (the others are in).
    """
    from assay.annotation.exchange.new_items import ImportOptions
    from assay.cli.output import print_json

    options = ImportOptions("", purpose, again, columns, language)
    with opened_studio(database) as (opened, who):
        done = _import(opened, who, file, project, (mode, annotators), options)
    if json:
        print_json(asdict(done))
    else:
        _tell_imported(done)
    return exit_code(unusable=done.refused > 0)


def attach(
    project: ProjectName,
    reference: Annotated[str, Argument("run:NAME, or a FILE.json of judgements.", "REFERENCE")],
    runs: Runs = None,
    database: Database = None,
) -> None:
    """Show what a detector said in a run beside the items of a project."""
    from assay.annotation.exchange.attachments import attach_run

    with opened_studio(database, must_exist=True) as (opened, who):
        done = attach_run(opened, who, project, reference, runs)
    names = ", ".join(done.detectors) or "no detector"
    say(f"{done.added:,} judgements by {names} are in '{project}', {done.known:,} were before")
    if done.others:
        say(f"{done.others:,} are about other items or texts and were left out")


def _form_help() -> str:
    told = {name: f" ({form.about})" if form.about else "" for name, form in EXPORT_FORMS.items()}
    *first, last = (name + about for name, about in told.items())
    return f"{', '.join(first)} or {last}."


def export(
    project: ProjectName,
    form: Annotated[Form, Option(_form_help())] = "jsonl",
    out: Annotated[
        str | None,
        Option("Write there; '-' is standard output. Default: a name of its own.", "FILE"),
    ] = None,
    database: Database = None,
) -> None:
    """Write a project to a file, without drafts and without what is still annotated blind."""
    from assay.annotation.exchange.exports import export_project
    from assay.core.system.files import replacing

    with opened_studio(database, must_exist=True) as (opened, who):
        made = export_project(opened, who, project, form)
        if out == "-":
            for piece in made.content():
                sys.stdout.buffer.write(piece)
            _tell_left_out(made.left_out)
            return
        target = out or made.name
        if out is None and Path(target).exists():
            raise InputError(f"{target} is there already; name the file with --out")
        with replacing(target) as part, part.open("wb") as file:
            file.writelines(made.content())
    say(f"wrote {target}")
    _tell_left_out(made.left_out)


@contextmanager
def opened_studio(
    database: str | None, *, must_exist: bool = False
) -> Iterator[tuple["Studio", "Person"]]:
    """A studio, and its keeper: whoever has the database itself needs no account."""
    with _needing_extra():
        from assay.annotation.studio import KEEPER, find_studio

        opened = find_studio(database, must_exist=must_exist)
        try:
            yield opened, KEEPER
        finally:
            opened.close()


def _begin(
    opened: "Studio",
    who: "Person",
    path: str,
    name: str,
    asked: tuple[Mode, int],
    detectors: tuple[str, ...],
) -> None:
    """The project of a file: made on the first start, known afterwards."""
    from assay.annotation.exchange.attachments import judge_items
    from assay.annotation.exchange.imports import project_for_file, was_imported
    from assay.annotation.exchange.new_items import ImportOptions
    from assay.cli.output import busy

    _require_file(path)
    slug = project_for_file(opened, who, path, name, _settings(*asked))
    if not was_imported(opened, who, slug, path):
        done = _import(opened, who, path, name, asked, ImportOptions())
        _tell_imported(done)
    for each in detectors:
        with busy(f"{each} judges the items"):
            judge_items(opened, who, slug, each)


def _import(
    opened: "Studio",
    who: "Person",
    path: str,
    name: str,
    asked: tuple[Mode, int],
    options: "ImportOptions",
) -> "Imported":
    from assay.annotation.exchange.imports import import_file, project_for_file
    from assay.cli.output import busy

    _require_file(path)
    slug = project_for_file(opened, who, path, name, _settings(*asked))
    with busy(f"importing {path}"):
        return import_file(opened, who, slug, path, options)


def _settings(mode: Mode, annotators: int) -> Any:
    from assay.annotation.settings import ProjectSettings

    return ProjectSettings(mode=mode, k=annotators)


def _require_file(path: str) -> None:
    if not Path(path).is_file():
        raise InputError(f"there is no file {path}", field="file")


def _tell_imported(done: "Imported") -> None:
    items = "1 item" if done.added == 1 else f"{done.added:,} items"
    said = f" with {done.judgements:,} judgements" if done.judgements else ""
    known = f"; {done.known:,} were there before" if done.known else ""
    only_said = done.judgements and not done.added
    what = f"{done.judgements:,} judgements" if only_said else f"{items}{said}"
    say(f"imported {what} into the project '{done.project}'{known}")
    for each in done.problems[:_TOLD]:
        say(f"{each.where}: {each.message}")
    if done.refused > _TOLD:
        say(f"{done.refused - _TOLD:,} more rows cannot be used")


def _tell_left_out(count: int) -> None:
    if count:
        items = "1 item is" if count == 1 else f"{count:,} items are"
        say(f"{items} not in it: nobody has judged them, which this form cannot tell")


def _tell_address(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()
    say("the studio is at this address until you press Ctrl-C")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise InputError("the two passwords differ")
    return first


_extra = _needing_extra()
app = CommandGroup(
    "",
    *(_extra(each) for each in (list_, account, import_, attach, export)),
    own=_extra(studio),
)
