"""The command line itself: its version, and its commands, each imported only when it is used."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from assay import __version__
from assay.cli.help import PlainCommand, PlainGroup

# Name -> the module below `assay.cli`, and what the command does.
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("check:check", "Judge every sentence of a response by its source."),
    "run": ("run:run", "Judge a data set, keeping each judgement on disk as soon as it is made."),
    "evaluate": ("evaluate:evaluate", "Measure detectors on a corpus with gold labels."),
    "compare": (
        "evaluate:compare",
        "Show where two detectors differ on a corpus, and whether it is more than chance.",
    ),
    "board": (
        "board:app",
        "Boards: rank LLMs by how often they hallucinate, and publish the ranking.",
    ),
    "reproduce": ("reproduce:reproduce", "Recompute published tables from released data."),
    "explain-errors": (
        "explain_errors:explain_errors",
        "Group the errors of a detector by cause, and test what lies behind them.",
    ),
    "runs": ("runs:app", "Runs: list them, show one, export its judgements, delete it."),
    "localize": (
        "localize:app",
        "Inconsistencies in words: measure detectors, choose a prompt, measure a matcher.",
    ),
    "enrich": (
        "enrich:app",
        "Errors missing from the gold: a model proposes them, people accept or reject them.",
    ),
    "calibrate": (
        "calibrate:calibrate",
        "Fit a detector's threshold and not-sure band on your own labels.",
    ),
    "audit": (
        "audit:app",
        "Gold labels looked at again: flag, adjudicate, verify and apply revisions.",
    ),
    "knowledge": (
        "knowledge:app",
        "Outside knowledge: index a local corpus, search, and read pages.",
    ),
    "collect": ("collect:collect", "Ask any number of models for responses to the same sources."),
    "filter": ("filter:filter_", "Drop what does not belong into a benchmark, with the reasons."),
    "mine": ("mine:mine", "Find the responses that detectors disagree about, by source."),
    "batch": ("batch:batch", "Give responses to annotators in batches, in the studio or a file."),
    "agree": ("agree:agree", "Measure how far annotators agree, in each reading of their labels."),
    "studio": ("studio:app", "Annotate in the browser: alone, or as a team."),
    "data": ("data:app", "Corpora: list, show, count, convert, check and download them."),
    "detectors": (
        "detectors:app",
        "Detectors: list them, and show what there is to know about one.",
    ),
    "models": ("models:app", "Model files of detectors: fetch, list, show and remove them."),
}


class LazyGroup(PlainGroup):
    """Imports the module of a command when it is called, and none to list their names."""

    _is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; for a list, only what it does."""
        if cmd_name not in COMMANDS:
            return None
        place, summary = COMMANDS[cmd_name]
        if self._is_listing:
            return PlainCommand(cmd_name, help=summary, short_help=summary)
        module, _, attribute = place.partition(":")
        found: Any = getattr(import_module(f"assay.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            command = typer.main.get_command(found)
        else:
            single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            single.command(cls=_command_class())(found)
            command = typer.main.get_command(single)
        command.name = cmd_name
        return command

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Reads the arguments; what is wrong with them is told without what steers a terminal."""
        with _told_safely():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that was named."""
        with _told_safely():
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help page, for which no command is imported."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False


@contextmanager
def _told_safely() -> Iterator[None]:
    """Errors of usage may quote any argument; and a closed pipe is not the 1 of a broken rule."""
    from assay.cli.errors import leave_closed_pipe

    try:
        yield
    except BrokenPipeError:
        raise typer.Exit(leave_closed_pipe()) from None
    except EOFError as error:  # typer takes it for a question without an answer, and exits with 1
        from assay.cli.faults import stop_at_fault

        stop_at_fault(error)
    except SystemExit as error:  # of help pages, whose console ends the program with 1
        if isinstance(error.__context__, BrokenPipeError):
            raise typer.Exit(leave_closed_pipe()) from None
        raise
    except Exception as error:
        said = getattr(error, "message", None)
        if hasattr(error, "format_message") and isinstance(said, str):
            from assay.report.tables import printable

            error.message = printable(said)  # type: ignore[attr-defined]
        raise


def _command_class() -> Any:
    from assay.cli.errors import Command

    return Command


app = typer.Typer(
    name="assay",
    cls=LazyGroup,
    help="Tells whether a text is faithful to its source, sentence by sentence.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _assay(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Tells whether a text is faithful to its source, sentence by sentence."""
