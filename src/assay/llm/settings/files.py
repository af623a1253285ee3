"""The files and variables that settings come from: the user's own, and those of a working folder.

What the environment says, and the user's settings file, are the user's own word. The file is the
one that ASSAY_CONFIG names, else `assay/config.toml` in `~/.config`. A working folder may come from
anybody: its `assay.toml` and its `.env` are kept apart, and `trust` says what they may decide.

A settings file has a table `[llm]` with the names of `Options`; `[llm.providers.NAME]` adds
services and `[llm.prices."MODEL"]` prices. Paths in a file are relative to its folder.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from dotenv import dotenv_values

from assay.core.errors import InputError
from assay.core.system.urls import is_url
from assay.llm.costs.prices import PriceTable, make_prices
from assay.llm.settings.options import EFFORTS, Options
from assay.llm.settings.toml_tables import check_kind, read_fields, read_table, read_text, read_toml

_PATHS = ("cache", "prices")
_AT_LEAST_ONE = frozenset(
    {"max_tokens", "attempts", "concurrency", "requests_per_minute", "tokens_per_minute"}
)
_SECONDS = frozenset({"timeout", "deadline"})
BUDGETS = frozenset({"budget_usd", "budget_tokens", "budget_calls"})
_NOT_IN_FILES = frozenset({"trust_folder"})  # a folder cannot vouch for itself


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The contents of a settings file: options by name, tables of services, and prices."""

    path: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    providers: Mapping[str, Any] = field(default_factory=dict)
    prices: PriceTable = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sources:
    """The user's own environment and file, and the `.env` and the file of a working folder."""

    environ: Mapping[str, str]
    own: SettingsFile
    folder: Path
    dotenv: Mapping[str, str]
    file: SettingsFile

    @property
    def dotenv_path(self) -> Path:
        """The file that completes the environment."""
        return self.folder / ".env"


def read_sources(environ: Mapping[str, str], folder: Path) -> Sources:
    """All that is there to be read; a file that ASSAY_CONFIG names takes the place of the others.

    Where `.env` names that file, it is a file of the folder. The place of the user's own is taken
    from the environment alone.
    """
    dotenv = read_dotenv(folder / ".env")
    named = _named_file(environ, folder)
    if named:
        return Sources(environ, read_settings_file(named), folder, dotenv, SettingsFile())
    beside = _named_file(dotenv, folder) or folder / "assay.toml"
    own = _config_folder(environ) / "assay" / "config.toml"
    return Sources(environ, _read_if_there(own), folder, dotenv, _read_if_there(beside))


def read_dotenv(path: Path) -> Mapping[str, str]:
    """The variables in a `.env` file; none if there is no such file."""
    if not path.exists() or path.is_dir():  # a folder of that name is a virtual environment
        return {}
    found = dotenv_values(stream=StringIO(read_text(path)), interpolate=False)
    return {name: value for name, value in found.items() if value is not None}


def read_settings_file(path: Path) -> SettingsFile:
    """The contents of the file; raises for anything unknown or out of range."""
    whole = read_toml(path)
    beyond = sorted(set(whole) - {"llm"})
    if beyond:
        raise InputError(
            f"{path}: unknown table or setting '{beyond[0]}'; settings belong in [llm]"
        )
    table = dict(read_table(whole.get("llm", {}), f"{path} [llm]"))
    tables = read_table(table.pop("providers", {}), f"{path} [llm.providers]")
    prices = table.pop("prices") if isinstance(table.get("prices"), dict) else {}
    options = read_fields(table, _kinds(), f"{path} [llm]")
    check_ranges(options, f"{path} [llm]: ")
    beside = {
        name: str(path.parent / Path(value).expanduser())
        for name, value in options.items()
        if name in _PATHS and value and not is_url(value)
    }
    made = make_prices(prices, f"{path} [llm.prices]")
    return SettingsFile(str(path), {**options, **beside}, tables, made)


def check_ranges(options: Mapping[str, Any], where: str = "") -> None:
    """Raises for a value of the wrong kind or out of range; `where` names the file, if any."""
    kinds = _kinds()
    for name, value in options.items():
        check_kind(name, value, kinds.get(name, bool), where)
        problem = _range_problem(name, value)
        if problem:
            raise InputError(f"{where}{name} must be {problem}", field="" if where else name)


def _config_folder(environ: Mapping[str, str]) -> Path:
    """The user's settings; a relative XDG_CONFIG_HOME does not count, as its standard says."""
    stated = Path(environ.get("XDG_CONFIG_HOME", ""))
    return stated if stated.is_absolute() else Path(environ.get("HOME") or Path.home(), ".config")


def _named_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    named = environ.get("ASSAY_CONFIG", "").strip()
    if not named:
        return None
    path = folder / Path(named).expanduser()
    if not path.exists() or path.is_dir():
        raise InputError(f"ASSAY_CONFIG names {named}, but there is no such file")
    return path


def _read_if_there(path: Path) -> SettingsFile:
    return read_settings_file(path) if path.exists() and not path.is_dir() else SettingsFile()


def _range_problem(name: str, value: Any) -> str:
    """A phrase that says what the value must be; empty if it is fine."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"a number, not {value}"
    if name in BUDGETS and value <= 0:
        return f"more than 0, not {value:g}; leave it out for no limit"
    if name in _SECONDS and value <= 0:
        return f"more than 0 seconds, not {value:g}"
    if name in _AT_LEAST_ONE and value < 1:
        return f"1 or more, not {value}"
    if name == "temperature" and value < 0:
        return f"0 or more, not {value:g}"
    if name == "reasoning_effort" and value not in ("", *EFFORTS):
        return f"one of {', '.join(EFFORTS)}, not '{value}'"
    return ""


def _kinds() -> Mapping[str, type]:
    """The type of each option of a file; None, for those that may be left open, does not count."""
    return {
        name: next(kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType)
        for name, hint in get_type_hints(Options).items()
        if name not in _NOT_IN_FILES
    }
