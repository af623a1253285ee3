"""The settings of a model: arguments come before the environment, and that before a file.

A `.env` file in the working folder completes the environment. The settings file is the one that
ASSAY_CONFIG names, else `assay.toml` in the working folder, else `assay/config.toml` in
`~/.config`. Its table `[llm]` has the names of `Options`; `[llm.providers.NAME]` adds services
and `[llm.prices."MODEL"]` prices. Paths in the file are relative to its folder.
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
from assay.llm.client import CONCURRENCY
from assay.llm.costs import FREE, Price, PriceTable, find_price, make_prices, read_prices
from assay.llm.options import EFFORTS, Endpoint, Options, Parameters
from assay.llm.providers import Provider, add_providers, find_endpoint, known_providers
from assay.llm.tables import check_kind, read_fields, read_table, read_toml, unreadable

_PATHS = ("cache", "prices")
_AT_LEAST_ONE = frozenset(
    {"max_tokens", "attempts", "concurrency", "requests_per_minute", "tokens_per_minute"}
)
_SECONDS = frozenset({"timeout", "deadline"})
_BUDGETS = frozenset({"budget_usd", "budget_tokens", "budget_calls"})
_TIMEOUT = 120.0
_DEADLINE = 600.0
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """What a connection needs; `missing_key` is a message if a key is needed and there is none."""

    endpoint: Endpoint
    parameters: Parameters
    price: Price | None = None
    missing_key: str = ""
    timeout: float = _TIMEOUT
    deadline: float = _DEADLINE
    attempts: int = _ATTEMPTS
    concurrency: int = CONCURRENCY
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None
    budget_calls: int | None = None
    cache: str = ""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The contents of a settings file: options by name, services and prices."""

    options: Mapping[str, Any] = field(default_factory=dict)
    providers: Mapping[str, Provider] = field(default_factory=known_providers)
    prices: PriceTable = field(default_factory=dict)


def read_dotenv(path: Path) -> Mapping[str, str]:
    """The variables in a `.env` file; none if there is no such file."""
    try:
        found = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from None
    return {name: value for name, value in found.items() if value is not None}


def find_settings_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    """The settings file that counts; one that ASSAY_CONFIG names must be there."""
    named = environ.get("ASSAY_CONFIG", "").strip()
    if named:
        path = folder / Path(named).expanduser()
        if not path.is_file():
            raise InputError(f"ASSAY_CONFIG names {named}, but there is no such file")
        return path
    home = environ.get("HOME") or Path.home()
    config = Path(environ.get("XDG_CONFIG_HOME") or Path(home, ".config"))
    usual = (folder / "assay.toml", config / "assay" / "config.toml")
    return next((path for path in usual if path.is_file()), None)


def read_settings_file(path: Path) -> SettingsFile:
    """The contents of the file; raises for anything unknown or out of range."""
    whole = read_toml(path)
    beyond = sorted(set(whole) - {"llm"})
    if beyond:
        raise InputError(
            f"{path}: unknown table or setting '{beyond[0]}'; settings belong in [llm]"
        )
    table = dict(read_table(whole.get("llm", {}), f"{path} [llm]"))
    providers = add_providers(table.pop("providers", {}), f"{path} [llm.providers]")
    prices = table.pop("prices") if isinstance(table.get("prices"), dict) else {}
    options = read_fields(table, _kinds(), f"{path} [llm]")
    _check_ranges(options, f"{path} [llm]: ")
    beside = {
        name: str(path.parent / Path(value).expanduser())
        for name, value in options.items()
        if name in _PATHS and value
    }
    made = make_prices(prices, f"{path} [llm.prices]")
    return SettingsFile({**options, **beside}, providers, made)


def _check_ranges(options: Mapping[str, Any], where: str = "") -> None:
    """Raises for a value of the wrong kind or out of range; `where` names the file, if any."""
    kinds = _kinds()
    for name, value in options.items():
        check_kind(name, value, kinds[name], where)
        problem = _range_problem(name, value)
        if problem:
            raise InputError(f"{where}{name} must be {problem}", field="" if where else name)


def _range_problem(name: str, value: Any) -> str:
    """What the value must be and what it is; empty if it is fine."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"a number, not {value}"
    if name in _BUDGETS and value <= 0:
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
    """The type of each option; None, for those that may be left open, does not count."""
    return {
        name: next(kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType)
        for name, hint in get_type_hints(Options).items()
    }


def resolve(options: Options, environ: Mapping[str, str], folder: Path | None = None) -> Settings:
    """All settings; `folder` is the working folder, unless it is the current one."""
    environ, file = _sources(environ, folder or Path.cwd())
    chosen = _merged(options, environ, file)
    if not chosen.model:
        raise InputError(
            "no model is given (such as openai/gpt-4.1-mini or ollama/llama3.2), and neither "
            "ASSAY_MODEL in the environment nor model under [llm] in assay.toml names one",
            field="model",
            code="no-model",
        )
    found = find_endpoint(
        chosen.model, environ, file.providers, base_url=chosen.base_url, key_env=chosen.key_env
    )
    prices = {**file.prices, **(read_prices(chosen.prices) if chosen.prices else {})}
    price = find_price(found.endpoint, prices) or (FREE if found.free else None)
    return _settings(chosen, found.endpoint, price, found.missing_key)


def settings_file_options() -> Mapping[str, Any]:
    """The options in the settings file that applies; none if there is no such file."""
    return _sources(os.environ, Path.cwd())[1].options


def is_model_configured(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment or the settings file names a model."""
    environ, file = _sources(environ, Path.cwd())
    return bool(_merged(Options(), environ, file).model)


def _sources(environ: Mapping[str, str], folder: Path) -> tuple[Mapping[str, str], SettingsFile]:
    """The environment completed by `.env`, and the settings file that applies."""
    environ = {**read_dotenv(folder / ".env"), **environ}
    path = find_settings_file(environ, folder)
    return environ, read_settings_file(path) if path else SettingsFile()


def _merged(options: Options, environ: Mapping[str, str], file: SettingsFile) -> Options:
    """The options, with those left open taken from the environment, then from the file."""
    given = {name: value for name, value in asdict(options).items() if not _is_open(value)}
    _check_ranges(given)
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
            chosen.reasoning_effort,
        ),
        price,
        missing_key,
        timeout=min(chosen.timeout or _TIMEOUT, deadline),
        deadline=deadline,
        attempts=chosen.attempts or _ATTEMPTS,
        concurrency=chosen.concurrency or CONCURRENCY,
        requests_per_minute=chosen.requests_per_minute,
        tokens_per_minute=chosen.tokens_per_minute,
        budget_usd=chosen.budget_usd,
        budget_tokens=chosen.budget_tokens,
        budget_calls=chosen.budget_calls,
        cache=chosen.cache,
    )
