"""Commands: parameters from declared options, plain help pages, and errors that name options."""

import logging
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args, get_origin

import click

from assay.cli.errors import INTERRUPTED, say, stop, told
from assay.core.errors import AssayError, UnknownNameError
from assay.core.options import REQUIRED, Declared, build, declared
from assay.core.system.notices import LOGGER
from assay.core.system.traces import flush


@contextmanager
def telling(*, quiet: bool = False) -> Iterator[None]:
    """Prints each notice once; quietly, only warnings, and what a working folder decides."""
    logger = logging.getLogger(LOGGER)
    if any(isinstance(each, _Teller) for each in logger.handlers):
        yield
        return
    teller, level = _Teller(quiet), logger.level
    logger.addHandler(teller)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(level)


class _Teller(logging.Handler):
    """Prints what was not printed yet."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(logging.INFO)
        self._quiet = quiet
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Prints a notice."""
        message = record.getMessage()
        is_warning = record.levelno >= logging.WARNING
        is_wanted = not self._quiet or is_warning or getattr(record, "from_folder", False)
        if is_wanted and message not in self._told:
            self._told.add(message)
            say(message)


_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n) *")


class _Number(click.FloatRange):
    """A number within its limits; `nan` is none, since no comparison with it holds."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


_KINDS: dict[Any, Any] = {int: click.INT, float: _Number()}

_HELP = ("--help", "Show this page.")

Function = Callable[..., int | None]


class Command(click.Command):
    """A command that takes what its function takes: options, and groups of options."""

    def __init__(self, name: str, function: Function) -> None:
        self.declared = declared(function)
        self._function = function
        super().__init__(
            name,
            help=flowing(function.__doc__),
            callback=self.call,
            params=list(map(_parameter, self.declared)),
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments, options, and further options under the name of their panel."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for each in self.declared:
            panel = "Arguments" if each.option.is_argument else each.option.panel or "Options"
            panels.setdefault(panel, []).append((_usage(each), _help(each)))
        panels["Options"].append(_HELP)
        for panel, rows in panels.items():
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; an error of ours is reported in one line, with exit code 2."""
        try:
            return super().invoke(ctx)
        except AssayError as error:
            stop(told(error, self.declared))
        except KeyboardInterrupt:
            if any(each.name == "model" for each in self.declared):
                say("interrupted: all that models answered is kept, and the same command goes on")
                sys.exit(INTERRUPTED)
            raise

    def call(self, **given: Any) -> None:
        """Runs the function with what was given; what it returns is the exit code."""
        values = {
            each.name: each.option.default
            for each in self.declared
            if each.option.default is not REQUIRED
        }
        switched = {each.name for each in self.declared if each.default is True}
        values |= {
            name: value for name, value in given.items() if _is_given(value, name in switched)
        }
        for each in self.declared:
            _require_choice(each, values.get(each.name))
        quiet = bool(values.get("quiet"))
        with telling(quiet=quiet):
            try:
                code = build(self._function, values, {"watch": watching(quiet=quiet, bill=True)})
            finally:
                flush()
        if code:
            raise click.exceptions.Exit(code)


class CommandGroup(click.Group):
    """Commands by the names of their functions; `own` is what the group does by itself."""

    def __init__(self, help: str, *functions: Function, own: Function | None = None) -> None:
        super().__init__(help=help, no_args_is_help=own is None)
        self._functions = {each.__name__.strip("_"): each for each in functions}
        self._own = Command("", own) if own else None
        if self._own:
            self.help, self.params = self._own.help, self._own.params
            self.invoke_without_command, self.callback = True, self._call

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which they were given."""
        return list(self._functions)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        function = self._functions.get(cmd_name)
        return Command(cmd_name, function) if function else None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of what it does by itself, and the commands."""
        if self._own:
            self._own.format_options(ctx, formatter)
        else:
            with formatter.section("Options"):
                formatter.write_dl([_HELP])
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first sentence about each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(each)) for name, each in self._functions.items()])

    def _call(self, **given: Any) -> None:
        if self._own and click.get_current_context().invoked_subcommand is None:
            try:
                self._own.call(**given)
            except AssayError as error:
                stop(told(error, self._own.declared))


def flowing(text: str | None) -> str:
    """The paragraphs of a docstring, to be wrapped at the width of the terminal."""
    return _LINE_BREAK.sub(" ", (text or "").strip())


def _summary(function: Function) -> str:
    return flowing(function.__doc__).partition("\n")[0]


def _parameter(each: Declared) -> click.Parameter:
    kind = _kind(each)
    if each.option.is_argument:
        return click.Argument(
            [each.name],
            type=kind,
            metavar=_place(each),
            required=each.default is REQUIRED,
            nargs=-1 if each.is_several else 1,
        )
    names = [each.name, f"--{each.words}"]
    if each.type is bool and each.default is True and not each.option.turns_off:
        return click.Option([each.name, f"--{each.words}/--no-{each.words}"], default=None)
    if each.type is bool:
        return click.Option(names, is_flag=True)
    is_multiple = each.is_several and not each.option.commas
    return click.Option(
        names,
        type=kind,
        multiple=is_multiple,
        metavar=_metavar(each),
        required=each.default is REQUIRED,
    )


def _place(each: Declared) -> str:
    name = each.option.metavar if each.default is REQUIRED else f"[{each.option.metavar}]"
    return f"{name}..." if each.is_several else name


def _kind(each: Declared) -> Any:
    least, most = each.option.least, each.option.most
    if least is None and most is None:
        return _KINDS.get(each.type, click.STRING)
    span = click.IntRange if each.type is int else _Number
    return span(min=least, max=most)  # type: ignore[arg-type]


def _metavar(each: Declared) -> str:
    choices = get_args(each.type) if get_origin(each.type) is Literal else each.option.choices
    kinds = {int: "N", float: "X"}
    menu = "|".join(choices) + (",..." if each.option.commas else "")
    return each.option.metavar or (menu if choices else kinds.get(each.type, "TEXT"))


def _usage(each: Declared) -> str:
    if each.option.is_argument:
        return each.option.metavar
    if each.type is not bool:
        return f"--{each.words} {_metavar(each)}"
    is_on = each.default is True and not each.option.turns_off
    return f"--no-{each.words}" if is_on else f"--{each.words}"


def _help(each: Declared) -> str:
    default = each.default if each.option.default is REQUIRED else each.option.default
    if each.option.commas and isinstance(default, tuple):
        default = ",".join(default)
    if isinstance(default, bool) or not isinstance(default, (str, int, float)) or default == "":
        return each.option.help
    return f"{each.option.help}  [default: {default}]"


def _require_choice(each: Declared, value: Any) -> None:
    """Raises for a value that a command does not know; requests look at theirs themselves."""
    choices = get_args(each.type) if get_origin(each.type) is Literal else ()
    if len(each.fields) == 1 and choices and value is not None and value not in choices:
        raise UnknownNameError(each.name, value, choices, field=each.name)


def _is_given(value: object, is_on: bool) -> bool:
    return value is not None and value != () and (value is not False or is_on)


def watching(*, quiet: bool, bill: bool = False) -> Any:
    """Progress on standard error; what shows it is imported when something is under way."""

    def begin(session: Any) -> Any:
        from assay.cli.progress import watch

        return watch(quiet=quiet, bill=bill)(session)

    return begin
