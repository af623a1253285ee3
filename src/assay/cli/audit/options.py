"""Options that the commands of an audit share, and what becomes of several models."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer

from assay.app.judging import Asking
from assay.app.targets import require_targets
from assay.cli import options as o
from assay.core.errors import InputError

Target = Annotated[
    str, typer.Argument(metavar="DATA", help="A corpus, or a file of examples with gold.")
]
FlagFiles = Annotated[
    list[str],
    typer.Argument(metavar="FLAGS", help="Files of flags, filled in by people (.jsonl)."),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="Model to ask, as in openai/gpt-4o; give several and each is asked by itself.",
        show_default=False,
        rich_help_panel=o.MODEL_PANEL,
    ),
]
ReadingName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Read the gold labels, and the verdicts beside them, by this reading.",
        show_default=False,
    ),
]
Unit = Annotated[
    str,
    typer.Option(
        metavar="sentence|response",
        help="Whose labels are looked at; default: as the corpus's paper does, otherwise "
        "sentences if they have labels.",
        show_default=False,
    ),
]
Agree = Annotated[int, typer.Option(metavar="N", help="How many votes must agree.")]
Prefer = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Where people decide differently, the decision of this one counts."
    ),
]
Majority = Annotated[
    bool,
    typer.Option(
        "--majority", help="Where people decide differently, the decision of more than half counts."
    ),
]
Csv = Annotated[
    str | None, typer.Option(metavar="FILE", help="Also write CSV; - prints it instead.")
]
Markdown = Annotated[
    str | None, typer.Option(metavar="FILE", help="Also write Markdown; - prints it instead.")
]
Html = Annotated[
    str | None, typer.Option(metavar="FILE", help="Also write a page; - prints it instead.")
]
Unverified = Annotated[
    bool,
    typer.Option(
        "--unverified", help="Also count revisions that too few votes, or none, agree with."
    ),
]
Out = Annotated[str, typer.Option(metavar="FILE", help="Write the lines there (.jsonl).")]

_ASKING: dict[str, tuple[Any, Any]] = {**o.ASKING_OPTIONS, "model": (Models, None)}


def _make_asking(model: list[str] | None, **given: Any) -> Asking:
    made = o.make_asking(model="", **given)
    return replace(made, models=tuple(model or ()))


def asks_each(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command any number of models with all their options, as `asking`."""
    return o.with_options(command, "asking", _ASKING, _make_asking)


def require_lines(out: str, what: str, *inputs: str) -> None:
    """Raises unless the output is a file of lines that can be written, and nothing is lost."""
    require_name(out, what)
    require_targets({"out": out}, *inputs)


def require_name(out: str, what: str) -> None:
    """Raises unless the output is named as a file of lines."""
    if not out.endswith(".jsonl"):
        raise InputError(f"name a file for {what} with --out FILE, ending in .jsonl")
