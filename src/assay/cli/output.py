"""What commands print with."""

import json
import sys
from collections.abc import Iterable

from rich.console import Console, RenderableType


def make_console() -> Console:
    """A console that is wide enough for tables where the output goes to a file or a pipe."""
    return Console() if sys.stdout.isatty() else Console(width=120)


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def show(parts: Iterable[RenderableType]) -> None:
    """Prints tables and lines one after the other."""
    console = make_console()
    for part in parts:
        console.print(part, soft_wrap=True)
