"""What commands print with."""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

from assay.core.errors import InputError
from assay.core.files import replacing
from assay.report.tables import facts_view

if TYPE_CHECKING:
    from assay.app.run import RunEstimate


def make_console() -> Console:
    """A console that is wide enough for tables where the output goes to a file or a pipe."""
    return Console() if sys.stdout.isatty() else Console(width=120)


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def to_standard_output(*paths: str | None, json: bool = False) -> bool:
    """Whether one of some files is `-`, standard output, which has room for one document only."""
    count = sum(path == "-" for path in paths)
    if count + json > 1:
        raise InputError("only one document can be printed; give a file for the others")
    return count == 1


def write_text(path: str | None, text: str) -> None:
    """Writes a file, which appears whole; `-` is standard output, and None is nowhere."""
    if path == "-":
        sys.stdout.write(text)
    elif path:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="")


def show(parts: Iterable[RenderableType]) -> None:
    """Prints tables and lines one after the other."""
    console = make_console()
    for part in parts:
        console.print(part, soft_wrap=True)


def show_estimates(estimates: Mapping[str, "RunEstimate"], *, as_json: bool) -> None:
    """What detectors would cost that ask a model."""
    if as_json:
        print_json({name: asdict(estimate) for name, estimate in estimates.items()})
        return
    from assay.report.run_view import estimate_facts

    console = make_console()
    for name, estimate in estimates.items():
        console.print(facts_view([("detector", name), *estimate_facts(estimate)]))
    if not estimates:
        console.print("nothing here asks a model")
