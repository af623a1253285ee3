"""Every setting found: an argument before the environment before the settings file.

The environment is completed by a `.env` file in the working folder. The settings file is the one
that ASSAY_CONFIG names, else `assay.toml` in the working folder, else `assay/config.toml` in
`~/.config`. Its table `[llm]` has the names of `Options`; `[llm.providers.NAME]` adds services
and `[llm.prices."MODEL"]` prices. Paths in it are meant from its own folder.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.llm.endpoints import Endpoint, Parameters
from assay.llm.options import Options
from assay.llm.prices import FREE, Price, find_price, read_prices
from assay.llm.providers import find_endpoint
from assay.llm.settings_files import (
    SettingsFile,
    check_ranges,
    find_settings_file,
    read_dotenv,
    read_settings_file,
)

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
