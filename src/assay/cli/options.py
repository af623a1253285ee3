"""Options of the command line alone, which several commands share: what is shown and written."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from assay.cli.errors import say
from assay.core.errors import InputError
from assay.core.options import Argument, Option
from assay.core.system.files import refuse_as_output, require_writable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.app.runs import RunEstimate

AsJson = Annotated[bool, Option("Print one JSON document.")]
Data = Annotated[str | None, Option("Folder of the corpora; default: ASSAY_DATA.", "DIR")]
Runs = Annotated[
    str | None,
    Option(
        "Folder or PostgreSQL URL of the runs; default: ASSAY_RUNS, or ./assay-runs.", "DIR|URL"
    ),
]
RowsPerPart = Annotated[int | None, Option("Rows of each part of a folder; default 100,000.", "N")]
Database = Annotated[
    str | None,
    Option(
        "SQLite file or PostgreSQL URL of the studio; default: ASSAY_STUDIO, or "
        "./assay-studio.sqlite.",
        "PLACE",
    ),
]
# Data as the first argument.
DATA = Argument("A corpus ('assay data list' names them) or a file.", "DATA")


@dataclass(frozen=True, slots=True)
class Shown:
    """The form in which a result is shown on standard output."""

    json: AsJson = False
    quiet: Annotated[bool, Option("Print only errors, broken rules and the JSON document.")] = False

    def show(
        self,
        document: Callable[[], object],
        view: "Callable[[], Iterable[RenderableType]]",
        *,
        wide: bool = True,
    ) -> None:
        """Prints a result: as JSON, to be looked at, or not at all.

        Where there is no terminal, tables are made `wide` enough for their columns.
        """
        if self.json:
            from assay.cli.output import print_json

            print_json(document())
        elif not self.quiet:
            from assay.cli.output import show

            show(view(), width=120 if wide else None)

    def say(self, message: str) -> None:
        """A line on standard error, unless it is to be quiet or there is nothing to say."""
        if message and not self.quiet:
            say(message)


@dataclass(frozen=True, slots=True)
class Priced(Shown):
    """The same for a command that may ask models, and can say before what that would cost."""

    dry_run: Annotated[bool, Option("Only estimate the cost of asking models; send nothing.")] = (
        False
    )

    def estimated(self, estimates: "Mapping[str, RunEstimate]", head: str = "detector") -> int:
        """Prints what detectors would cost that ask a model; the exit code is 0."""
        from assay.cli.output import show_estimates

        show_estimates(estimates, head, as_json=self.json)
        return 0


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Files that figures are written to as well."""

    csv: Annotated[str | None, Option("Also write CSV; - prints it instead.", "FILE")] = None
    markdown: Annotated[str | None, Option("Also write Markdown; - prints it instead.", "FILE")] = (
        None
    )
    html: Annotated[str | None, Option("Also write a page; - prints it instead.", "FILE")] = None

    def require(self, *inputs: str, json: bool = False) -> None:
        """Raises if a file cannot be written, is an input, or two would be printed."""
        paths = [path for path in (self.csv, self.markdown, self.html) if path]
        if paths.count("-") + json > 1:
            raise InputError("only one document can be printed; give a file for the others")
        for path in paths:
            if path != "-":
                refuse_as_output(path, *inputs)
                require_writable(path)

    @property
    def is_printed(self) -> bool:
        """True if one of them takes the place of what is shown."""
        return "-" in (self.csv, self.markdown, self.html)

    def texts(self, **makers: Callable[[], str]) -> list[tuple[str, str]]:
        """The files that are wanted, each with the text that its maker gives."""
        return [(path, maker()) for name, maker in makers.items() if (path := getattr(self, name))]

    def write(self, **makers: Callable[[], str]) -> None:
        """Writes those that are wanted."""
        self.write_all(self.texts(**makers))

    def write_all(self, texts: Iterable[tuple[str, str]]) -> None:
        """Writes texts to their files."""
        from assay.cli.output import write_text

        for path, text in texts:
            write_text(path, text)


def require_lines(out: str, what: str, *inputs: str) -> None:
    """Raises unless the output is a file of lines that can be written, and nothing is lost."""
    from assay.app.targets import require_targets

    require_name(out, what)
    require_targets({"out": out}, *inputs)


def require_name(out: str, what: str) -> None:
    """Raises unless the name of the output is that of a file of lines."""
    if not out.endswith(".jsonl"):
        raise InputError(f"name a file for {what} with --out FILE, ending in .jsonl")
