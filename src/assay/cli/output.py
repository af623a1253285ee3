"""Consoles and writers that commands print with."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, cast

from rich.console import Console, RenderableType
from rich.segment import Segment

from assay.core.system.files import replacing
from assay.report.tables import facts_view
from assay.report.words import STEERING, escaped_json, spelled_out

if TYPE_CHECKING:
    from rich.status import Status

    from assay.app.runs import RunEstimate


class SafeConsole(Console):
    """A console on which no text can steer the terminal, wherever the text comes from.

    Views spell out such characters themselves, so that columns fit; this is for those that forget.
    Strings are plain: brackets in a name are no markup. A closed pipe is left to the command.
    """

    def __init__(self, **more: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **more)

    def render(self, *given: Any, **more: Any) -> Iterable[Segment]:
        """The segments of what is printed; only styles of ours become escapes."""
        for segment in super().render(*given, **more):
            if segment.control or not STEERING.search(segment.text):
                yield segment
            else:
                yield Segment(spelled_out(segment.text), segment.style)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """The text that is written: in a file or a pipe, lines end where their words end."""
        text = super()._render_buffer(buffer)
        if self.is_terminal:
            return text
        *lines, last = text.split("\n")
        return "\n".join((*(line.rstrip(" ") for line in lines), last))

    def on_broken_pipe(self) -> None:
        """Raises, where rich would exit."""
        raise BrokenPipeError


def make_console(*, stderr: bool = False, width: int | None = 120) -> Console:
    """A console; where the output goes to a file or a pipe, it is wide enough for tables."""
    stream = sys.stderr if stderr else sys.stdout
    return SafeConsole(stderr=stderr, width=None if stream.isatty() else width)


def console_width(width: int | None = None) -> int:
    """The number of characters in a line; `width` is for files and pipes."""
    return make_console(width=width).width


def busy(what: str) -> "Status":
    """Says on a terminal what takes its time."""
    from rich.text import Text

    return make_console(stderr=True, width=None).status(Text(spelled_out(what)))


class JsonOutput:
    """Standard output for JSON: what could steer a terminal is escaped, so nothing is lost."""

    def write(self, text: str) -> int:
        """Writes a part of a document."""
        return sys.stdout.write(escaped_json(text))

    def flush(self) -> None:
        """Passes on what is waiting."""
        sys.stdout.flush()


def json_output() -> IO[str]:
    """The stream on which a JSON document is printed."""
    return cast("IO[str]", JsonOutput())


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    json_output().write(text + "\n")


def write_text(path: str | None, text: str) -> None:
    """Writes a file, which appears whole; `-` is standard output, and None is nowhere."""
    if path == "-":
        PlainOutput().write(text)
    elif path:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="")


@contextmanager
def text_output(path: str) -> Iterator[IO[str]]:
    """A file that appears whole at the end, or standard output for `-`."""
    if path == "-":
        yield cast("IO[str]", PlainOutput())
        sys.stdout.flush()
        return
    with replacing(path) as part, open(part, "x", encoding="utf-8", newline="") as file:
        yield file


class PlainOutput:
    """Standard output for a text; a terminal gets nothing that could steer it."""

    def write(self, text: str) -> int:
        """Writes a part of it."""
        return sys.stdout.write(spelled_out(text) if sys.stdout.isatty() else text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes some lines."""
        for line in lines:
            self.write(line)


def write_error(text: str) -> None:
    """Lines of TOML on standard error to be copied from there; nothing in them is a command."""
    sys.stderr.write(spelled_out(text).replace("##[", "##\\u005b"))


def show(parts: Iterable[RenderableType], width: int | None = 120) -> None:
    """Prints tables and lines one after the other."""
    console = make_console(width=width)
    for part in parts:
        console.print(part, soft_wrap=True)


def show_estimates(estimates: Mapping[str, "RunEstimate"], head: str, *, as_json: bool) -> None:
    """Prints the estimated cost of whatever asks a model, each below the head."""
    if as_json:
        print_json({name: asdict(estimate) for name, estimate in estimates.items()})
        return
    from assay.report.terminal import estimate_facts

    console = make_console()
    for name, estimate in estimates.items():
        console.print(facts_view([(head, name), *estimate_facts(estimate)]))
    if not estimates:
        console.print("nothing here asks a model")
