"""`assay studio`: people annotate in the browser; projects are listed, imported and exported."""

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from assay import Columns
from assay.cli import options as o
from assay.cli.errors import Command, exit_code, say, stop, told
from assay.cli.help import PlainGroup
from assay.core.errors import AssayError, InputError, MissingExtraError

if TYPE_CHECKING:
    from assay.app.annotation.exchange.imported import Imported, ImportOptions
    from assay.app.annotation.studio import Person, Studio

_EXTRA = ("argon2", "fastapi", "itsdangerous", "multipart", "pydantic", "starlette", "uvicorn")
_TOLD = 10  # problems that are told one by one


class StudioGroup(PlainGroup):
    """The group whose own call serves; errors of that name its own options."""

    def invoke(self, ctx: Any) -> Any:
        """Serves, or runs the command that was named."""
        try:
            with _needing_extra():
                return super().invoke(ctx)
        except AssayError as error:
            stop(told(error, self.params))  # type: ignore[arg-type]


app = typer.Typer(
    cls=StudioGroup,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Mode = Literal["sentences", "spans", "both"]
Form = Literal["jsonl", "faithbench", "ragtruth", "csv"]
ProjectName = Annotated[
    str, typer.Argument(metavar="PROJECT", help="A project; 'assay studio list' names them.")
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help="SQLite file or PostgreSQL URL of the studio; default: ASSAY_STUDIO, or "
        "./assay-studio.sqlite.",
    ),
]
AnnotationMode = Annotated[
    Mode, typer.Option(help="What people judge in a new project: sentences, spans or both.")
]
Annotators = Annotated[
    int, typer.Option(metavar="K", help="Annotators of each item in a new project.")
]


@app.callback()
def studio(
    ctx: typer.Context,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Make a project of this file on the first start; go on with it afterwards.",
        ),
    ] = None,
    project: Annotated[
        str, typer.Option(metavar="NAME", help="Name of that project; default: that of the file.")
    ] = "",
    mode: AnnotationMode = "sentences",
    annotators: Annotators = 1,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Have this detector judge the items first; give several for several.",
            show_default=False,
        ),
    ] = None,
    database: Database = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this computer need accounts.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 is any that is free.")
    ] = 8765,
    public_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Name under which browsers reach the studio; give several for several.",
            show_default=False,
        ),
    ] = None,
    https: Annotated[
        bool, typer.Option("--https", help="Browsers reach the studio by https.")
    ] = False,
    behind_proxy: Annotated[
        bool,
        typer.Option("--behind-proxy", help="Believe what a server in front says about who asks."),
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser.")
    ] = False,
) -> None:
    """Annotate in the browser: serves the studio until Ctrl-C.

    Without accounts only this computer is served, and the address that is printed signs you in.
    'assay studio account NAME' makes the first account of a team.

    Exit code: 0 when it was stopped by Ctrl-C or SIGTERM, 2 if it cannot begin.
    """
    if ctx.invoked_subcommand:
        return
    from assay.studio.application import Serving
    from assay.studio.server import serve

    serving = Serving(tuple(public_name or ()), is_secure=https, is_proxied=behind_proxy)
    with opened_studio(database) as (opened, who):
        if data is not None:
            _begin(opened, who, data, project, (mode, annotators), detector or [])
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


@app.command("list", cls=Command)
def list_(database: Database = None, json: o.AsJson = False) -> None:
    """List the projects: what people judge in each, how many items it has, how many are done."""
    from assay.app.annotation.exchange.projects import list_projects
    from assay.cli.output import make_console, print_json
    from assay.report.tables import table_view

    with opened_studio(database, must_exist=True) as (opened, who):
        lines = list_projects(opened, who)
        place = opened.database.place
    if json:
        print_json([asdict(line) for line in lines])
        return
    title = f"{len(lines)} {'project' if len(lines) == 1 else 'projects'} at {place}"
    rows = ((each.slug, each.name, each.mode, f"{each.done:,} of {each.items:,}") for each in lines)
    make_console().print(table_view(title, ("project", "name", "mode", "done"), rows, words=4))


@app.command(cls=Command)
def account(
    name: Annotated[str, typer.Argument(help="Name to sign in with.")],
    role: Annotated[
        str, typer.Option(help="administrator, adjudicator or annotator.")
    ] = "administrator",
    database: Database = None,
) -> None:
    """Make an account; its password is asked for, or read from standard input."""
    from assay.app.annotation.people.accounts import create_first

    with opened_studio(database) as (opened, _):
        person = create_first(opened, name, _password(), role)
    say(f"'{person.name}' can sign in now, with the role {person.role}")


@app.command("import", cls=Command)
def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Examples, an export of a project, or a table of annotations."
        ),
    ],
    project: Annotated[
        str, typer.Option(metavar="NAME", help="Project; it is made if there is none of that name.")
    ] = "",
    mode: AnnotationMode = "sentences",
    annotators: Annotators = 1,
    purpose: Annotated[
        Literal["real", "training", "quiz"],
        typer.Option(help="Real items, training examples, or questions of the quiz."),
    ] = "real",
    again: Annotated[
        bool, typer.Option("--again", help="Have items judged again that people have judged.")
    ] = False,
    label_field: o.LabelField = "",
    label_taxonomy: o.LabelMenu = "binary",
    source_field: o.SourceField = "",
    response_field: o.ResponseField = "",
    question_field: o.QuestionField = "",
    language: Annotated[
        str | None,
        typer.Option(help="Language of the texts, as in 'de'; told from the text if left out."),
    ] = None,
    database: Database = None,
    json: o.AsJson = False,
) -> None:
    """Bring the items of a file into a project, or judgements of the items that it has.

    Importing a file again adds nothing.

    Exit code: 0 all imported, 2 for bad usage or rows that cannot be used (the others are in).
    """
    from assay.app.annotation.exchange.imported import ImportOptions
    from assay.cli.output import print_json

    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    options = ImportOptions("", purpose, again, columns, language)
    with opened_studio(database) as (opened, who):
        done = _import(opened, who, file, project, (mode, annotators), options)
    if json:
        print_json(asdict(done))
    else:
        _tell_imported(done)
    raise typer.Exit(exit_code(unusable=done.refused > 0))


@app.command(cls=Command)
def attach(
    project: ProjectName,
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="run:NAME, or a FILE.json of judgements.")
    ],
    runs: o.Runs = None,
    database: Database = None,
) -> None:
    """Lay what a detector said in a run beside the items of a project."""
    from assay.app.annotation.exchange.attaching import attach_run

    with opened_studio(database, must_exist=True) as (opened, who):
        done = attach_run(opened, who, project, reference, runs)
    names = ", ".join(done.detectors) or "no detector"
    say(f"{done.added:,} judgements by {names} are in '{project}', {done.known:,} were before")
    if done.others:
        say(f"{done.others:,} are about other items or texts and were left out")


@app.command(cls=Command)
def export(
    project: ProjectName,
    form: Annotated[
        Form,
        typer.Option(
            help="jsonl (all of it), faithbench (a zip for several batches), ragtruth or csv."
        ),
    ] = "jsonl",
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write there; '-' is standard output. Default: a name of its own."
        ),
    ] = None,
    database: Database = None,
) -> None:
    """Write a project to a file, without drafts and without what is still annotated blind."""
    from assay.app.annotation.exchange.exporting import export_project
    from assay.core.files import replacing

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
        from assay.app.annotation.studio import KEEPER, find_studio

        opened = find_studio(database, must_exist=must_exist)
        try:
            yield opened, KEEPER
        finally:
            opened.close()


@contextmanager
def _needing_extra() -> Iterator[None]:
    """Turns a missing package of the extra into what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtraError("the studio", "studio") from None


def _begin(
    opened: "Studio",
    who: "Person",
    path: str,
    name: str,
    asked: tuple[Mode, int],
    detectors: list[str],
) -> None:
    """The project of a file: made on the first start, known afterwards."""
    from assay.app.annotation.exchange.attaching import judge_items
    from assay.app.annotation.exchange.imported import ImportOptions
    from assay.app.annotation.exchange.importing import project_for_file, was_imported
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
    from assay.app.annotation.exchange.importing import import_file, project_for_file
    from assay.cli.output import busy

    _require_file(path)
    slug = project_for_file(opened, who, path, name, _settings(*asked))
    with busy(f"importing {path}"):
        return import_file(opened, who, slug, path, options)


def _settings(mode: Mode, annotators: int) -> Any:
    from assay.app.annotation.settings import ProjectSettings

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
