"""Errors that nobody foresaw: faults of Assay or of a plugin, told in two lines."""

import os
import sys
import traceback
from collections.abc import Iterator
from typing import NoReturn

from assay.cli.errors import FAULT, say

_WANTED = "ASSAY_DEBUG"  # the variable that asks for the traceback
_GROUPS = ("assay.detectors", "assay.corpora", "assay.providers", "assay.taxonomies")
_LONGEST = 300  # characters of the error's own message
_OWN = ("assay", "click", "rich")  # packages that may end the program


def stop_at_fault(error: BaseException) -> NoReturn:
    """Ends the program at an error that is no fault of the user's."""
    if os.environ.get(_WANTED):
        _print_traceback(error)
    whose, authors = _whose(error)
    said = _message(error)
    say(f"{whose}: {type(error).__name__}" + (f": {said}" if said else ""))
    if not os.environ.get(_WANTED):
        say(f"{_WANTED}=1 before the command shows the traceback; please send it to {authors}")
    sys.exit(FAULT)


def is_foreign(error: SystemExit) -> bool:
    """True if a plugin, and not the command line, wants to end the program."""
    raised_in = next(_modules(error), "assay")
    return raised_in.partition(".")[0] not in _OWN


def _print_traceback(error: BaseException) -> None:
    from assay.report.words import spelled_out

    sys.stderr.write(spelled_out("".join(traceback.format_exception(error))))


def _message(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an error of a plugin may be anything
        return ""
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _whose(error: BaseException) -> tuple[str, str]:
    """The part that is at fault, and the people to tell."""
    plugins = _plugins()
    for module in _modules(error):
        package = module.partition(".")[0]
        if package in plugins:
            return f"this is a fault in {plugins[package]} (module {module})", "its authors"
        if package == "assay":
            break
    return "this is a fault in Assay, not in your input", "the authors of Assay"


def _plugins() -> dict[str, str]:
    """The packages of plugins: each by the name of its plugin, or by its own if it has several."""
    from importlib.metadata import entry_points

    try:
        points = [each for group in _GROUPS for each in entry_points(group=group)]
    except Exception:  # noqa: BLE001 - whatever is installed, the fault has to be told
        return {}
    names: dict[str, set[str]] = {}
    for each in points:
        names.setdefault(each.module.partition(".")[0], set()).add(each.name)
    names.pop("assay", None)
    return {
        package: f"the plugin '{found.pop()}'" if len(found) == 1 else f"the plugins of '{package}'"
        for package, found in names.items()
    }


def _modules(error: BaseException) -> Iterator[str]:
    """The modules that the error came through, from where it was raised outwards."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return (str(frame.f_globals.get("__name__", "")) for frame in reversed(frames))
