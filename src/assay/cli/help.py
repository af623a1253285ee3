"""What help pages look like: paragraphs that wrap, and flags that take no value."""

import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n) *")


class PlainHelp:
    """For a command: its paragraphs wrap at the width of the terminal, and flags show no type."""

    def __init__(self, *given: Any, help: str | None = None, **more: Any) -> None:
        flowing = _LINE_BREAK.sub(" ", help) if help else None
        super().__init__(*given, help=flowing, **more)  # type: ignore[call-arg]

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, also `--help`."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in parameters:
            if isinstance(each, TyperOption) and each.is_flag:
                each.metavar = ""  # otherwise it says <bool>, as if there were a value to give
        return parameters


class PlainCommand(PlainHelp, TyperCommand):
    """A command with a plain help page."""


class PlainGroup(PlainHelp, TyperGroup):
    """A group of commands with a plain help page."""


def command_group(help: str) -> typer.Typer:
    """An empty group of commands."""
    return typer.Typer(
        cls=PlainGroup,
        help=help,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
