"""The files that settings are read from: `.env` and a small TOML file."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from dotenv import dotenv_values

from assay.core.errors import InputError
from assay.llm.options import Options
from assay.llm.prices import PriceTable, make_prices
from assay.llm.providers import Provider, add_providers, known_providers
from assay.llm.tables import read_fields, read_table, read_toml

_PATHS = ("cache", "prices")
_AT_LEAST_ONE = (
    "max_tokens",
    "attempts",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
)
_MORE_THAN_NONE = ("timeout", "deadline")
_BUDGETS = ("budget_usd", "budget_tokens", "budget_calls")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a settings file says: options by name, services and prices."""

    options: Mapping[str, Any] = field(default_factory=dict)
    providers: Mapping[str, Provider] = field(default_factory=known_providers)
    prices: PriceTable = field(default_factory=dict)


def read_dotenv(path: Path) -> Mapping[str, str]:
    """The variables in a `.env` file; none if there is no such file."""
    try:
        found = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    return {name: value for name, value in found.items() if value is not None}


def find_settings_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    """The settings file that counts; one that ASSAY_CONFIG names must be there."""
    named = environ.get("ASSAY_CONFIG", "").strip()
    if named:
        path = folder / Path(named).expanduser()
        if not path.is_file():
            raise InputError(f"ASSAY_CONFIG names {named}, and there is no such file")
        return path
    home = environ.get("HOME") or Path.home()
    config = Path(environ.get("XDG_CONFIG_HOME") or Path(home, ".config"))
    usual = (folder / "assay.toml", config / "assay" / "config.toml")
    return next((path for path in usual if path.is_file()), None)


def read_settings_file(path: Path) -> SettingsFile:
    """What the file says; anything unknown in it or out of range raises, with its name."""
    whole = read_toml(path)
    beyond = sorted(set(whole) - {"llm"})
    if beyond:
        raise InputError(f"{path}: unknown table or setting '{beyond[0]}'; settings go into [llm]")
    table = dict(read_table(whole.get("llm", {}), f"{path} [llm]"))
    providers = add_providers(table.pop("providers", {}), f"{path} [llm.providers]")
    prices = table.pop("prices") if isinstance(table.get("prices"), dict) else {}
    options = read_fields(table, _kinds(), f"{path} [llm]")
    check_ranges(options, f"{path} [llm]: ")
    beside = {
        name: str(path.parent / Path(value).expanduser())
        for name, value in options.items()
        if name in _PATHS and value
    }
    made = make_prices(prices, f"{path} [llm.prices]")
    return SettingsFile({**options, **beside}, providers, made)


def check_ranges(options: Mapping[str, Any], where: str = "") -> None:
    """Raises for a value that makes no sense; `where` begins the message."""
    kinds = _kinds()
    for name, value in options.items():
        if not _is_a(value, kinds[name]):
            raise InputError(f"{where}{name} must be {_NOUNS[kinds[name]]}, not {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{where}{name} must be a number, not {value}")
        if name in _BUDGETS and value <= 0:
            raise InputError(f"{where}budget must be more than 0; leave it out for no limit")
        if name in _MORE_THAN_NONE and value <= 0:
            raise InputError(f"{where}{name} must be more than 0 seconds, not {value:g}")
        if name in _AT_LEAST_ONE and value < 1:
            raise InputError(f"{where}{name} must be 1 or more, not {value}")
        if name == "temperature" and value < 0:
            raise InputError(f"{where}temperature must be 0 or more, not {value:g}")


_NOUNS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _is_a(value: object, kind: type) -> bool:
    """Whether a value is of a kind; a whole number is a number, and a truth value is not."""
    if isinstance(value, bool) and kind is not bool:
        return False
    return isinstance(value, (int, float) if kind is float else kind)


def _kinds() -> Mapping[str, type]:
    """The type of each option, without the None of those that may be left open."""
    return {
        name: next(kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType)
        for name, hint in get_type_hints(Options).items()
    }
