"""The command line itself: its version, and its commands, each imported only when it is used."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from assay import __version__

# Name -> the place below `assay.cli`, and what the command does.
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("check:check", "Judge every sentence of a response by its source."),
    "run": ("runs:run", "Judge a data set, keeping each judgement on disk as soon as it is made."),
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
        "error_analysis:explain_errors",
        "Group the errors of a detector by cause, and test what lies behind them.",
    ),
    "runs": ("runs:app", "Runs: list them, show one, export its judgements, delete it."),
    "localize": (
        "localize:app",
        "Inconsistencies in words: measure detectors, choose a prompt, measure a matcher.",
    ),
    "enrich": (
        "error_analysis:app",
        "Errors missing from the gold: a model proposes them, people accept or reject them.",
    ),
    "calibrate": (
        "evaluate:calibrate",
        "Fit a detector's threshold and not-sure band on your own labels.",
    ),
    "audit": (
        "audit:app",
        "Audits of gold labels: flag, adjudicate, verify and apply revisions.",
    ),
    "knowledge": (
        "knowledge:app",
        "Outside knowledge: index a local corpus, search, and read pages.",
    ),
    "collect": ("bench:collect", "Ask any number of models for responses to the same sources."),
    "filter": ("bench:filter_", "Drop what does not belong in a benchmark, with the reasons."),
    "mine": ("bench:mine", "Find the responses that detectors disagree about, by source."),
    "batch": ("bench:batch", "Give responses to annotators in batches, in the studio or a file."),
    "agree": ("agree:agree", "Measure how far annotators agree, in each reading of their labels."),
    "studio": ("studio:app", "Annotate in the browser: alone, or as a team."),
    "serve": ("serve:serve", "Serve checks and jobs over HTTP."),
    "data": ("data:app", "Corpora: list, show, count, convert, check and download them."),
    "detectors": (
        "detectors:app",
        "Detectors: list them, and show what there is to know about one.",
    ),
    "bench-server": (
        "bench_server:bench_server",
        "Measure a model's server, and recommend settings for it.",
    ),
    "models": ("models:app", "Model files of detectors: fetch, list, show and remove them."),
}


class LazyGroup(click.Group):
    """Imports the module of a command when it is called, and none to list their names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        from assay.cli.commands import Command

        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        found: Any = getattr(import_module(f"assay.cli.{module}"), attribute)
        if not isinstance(found, click.Command):
            return Command(cmd_name, found)
        found.name = cmd_name
        return found

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Reads the arguments; what is wrong with them is told without what steers a terminal."""
        with _told_safely():
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was named."""
        with _told_safely():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each command; none is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@contextmanager
def _told_safely() -> Iterator[None]:
    """Errors of usage may quote any argument; and a closed pipe is not the 1 of a broken rule."""
    from assay.cli.errors import INTERRUPTED, leave_closed_pipe

    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(leave_closed_pipe()) from None
    except KeyboardInterrupt:  # click would exit with 1
        raise click.exceptions.Exit(INTERRUPTED) from None
    except EOFError as error:  # click takes it for a question without an answer, and exits with 1
        from assay.cli.faults import stop_at_fault

        stop_at_fault(error)
    except click.exceptions.NoArgsIsHelpError:  # its message is the whole page of help
        raise
    except click.ClickException as error:
        from assay.report.words import printable

        error.__dict__["message"] = printable(error.message)
        raise


app = LazyGroup(
    name="assay",
    help="Tells whether a text is faithful to its source, sentence by sentence.",
    no_args_is_help=True,
    context_settings={"max_content_width": 100},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help="Show the version.",
            callback=lambda ctx, _, wanted: _print_version(ctx) if wanted else None,
        )
    ],
)


def _print_version(ctx: click.Context) -> None:
    click.echo(f"assay {__version__}")
    ctx.exit()
