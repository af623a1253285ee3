"""Every setting found: an argument before the environment before the settings file.

The environment is completed by a `.env` file in the working folder. The settings file is the one
that ASSAY_CONFIG names, else `assay.toml` in the working folder, else `assay/config.toml` in
`~/.config`. Its table `[llm]` has the names of `Options`; `[llm.providers.NAME]` adds services
and `[llm.prices."MODEL"]` prices. Paths in it are meant from its own folder.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from dotenv import dotenv_values

from assay.core.errors import InputError
from assay.llm.costs import FREE, Price, PriceTable, find_price, make_prices, read_prices
from assay.llm.options import Endpoint, Options, Parameters
from assay.llm.providers import Provider, add_providers, find_endpoint, known_providers
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


_NO_MODEL = (
    "no model is given: name one with --model (such as openai/gpt-4.1-mini or ollama/llama3.2), "
    "with ASSAY_MODEL in the environment, or with model = '...' under [llm] in assay.toml"
)
_TIMEOUT = 120.0
_DEADLINE = 600.0
_ATTEMPTS = 5
_CONCURRENCY = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """What a connection needs; `missing_key` says what to do where a key is needed and absent."""

    endpoint: Endpoint
    parameters: Parameters
    price: Price | None = None
    missing_key: str = ""
    timeout: float = _TIMEOUT
    deadline: float = _DEADLINE
    attempts: int = _ATTEMPTS
    concurrency: int = _CONCURRENCY
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None
    budget_calls: int | None = None
    cache: str = ""


def resolve(options: Options, environ: Mapping[str, str], folder: Path | None = None) -> Settings:
    """All settings; `folder` is the working folder if it is not the present one."""
    folder = folder or Path.cwd()
    environ = {**read_dotenv(folder / ".env"), **environ}
    path = find_settings_file(environ, folder)
    file = read_settings_file(path) if path else SettingsFile()
    chosen = _merged(options, environ, file)
    if not chosen.model:
        raise InputError(_NO_MODEL)
    found = find_endpoint(
        chosen.model, environ, file.providers, base_url=chosen.base_url, key_env=chosen.key_env
    )
    prices = {**file.prices, **(read_prices(chosen.prices) if chosen.prices else {})}
    price = find_price(found.endpoint, prices) or (FREE if found.free else None)
    return _settings(chosen, found.endpoint, price, found.missing_key)


def settings_file_options() -> Mapping[str, Any]:
    """What the settings file that counts says of options; nothing where there is no such file."""
    environ = {**read_dotenv(Path.cwd() / ".env"), **os.environ}
    path = find_settings_file(environ, Path.cwd())
    return read_settings_file(path).options if path else {}


def is_model_configured(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment or the settings file names a model."""
    environ = {**read_dotenv(Path.cwd() / ".env"), **environ}
    path = find_settings_file(environ, Path.cwd())
    file = read_settings_file(path) if path else SettingsFile()
    return bool(_merged(Options(), environ, file).model)


def _merged(options: Options, environ: Mapping[str, str], file: SettingsFile) -> Options:
    """The options with what is open in them from the environment, then from the file."""
    given = {name: value for name, value in asdict(options).items() if not _is_open(value)}
    check_ranges(given)
    model = environ.get("ASSAY_MODEL", "")
    from_environment = {"model": model} if model.strip() else {}
    values: dict[str, Any] = {**file.options, **from_environment, **given}
    return Options(**{**values, "model": values.get("model", "").strip()})


def _is_open(value: object) -> bool:
    """Whether an option is left open; 0 is a value."""
    return value is None or value is False or value == ""


def _settings(
    chosen: Options, endpoint: Endpoint, price: Price | None, missing_key: str
) -> Settings:
    usual = Parameters()
    deadline = chosen.deadline or max(_DEADLINE, chosen.timeout or 0)
    return Settings(
        endpoint,
        Parameters(
            usual.temperature if chosen.temperature is None else chosen.temperature,
            chosen.max_tokens or usual.max_tokens,
            chosen.seed,
            chosen.logprobs,
        ),
        price,
        missing_key,
        timeout=min(chosen.timeout or _TIMEOUT, deadline),
        deadline=deadline,
        attempts=chosen.attempts or _ATTEMPTS,
        concurrency=chosen.concurrency or _CONCURRENCY,
        requests_per_minute=chosen.requests_per_minute,
        tokens_per_minute=chosen.tokens_per_minute,
        budget_usd=chosen.budget_usd,
        budget_tokens=chosen.budget_tokens,
        budget_calls=chosen.budget_calls,
        cache=chosen.cache,
    )
