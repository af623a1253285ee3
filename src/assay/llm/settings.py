"""The settings of a model: arguments come before the environment, and that before the files.

Where these are, and which of them are the user's own word, is in `sources`; what a working folder
may decide is in `trust`. A file in the folder comes before the user's own.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.notices import notify
from assay.llm.client import CONCURRENCY
from assay.llm.costs import FREE, FoundPrice, Price, find_price, find_price_by_name, read_prices
from assay.llm.options import Endpoint, Options, Parameters
from assay.llm.providers import FoundModel, find_endpoint
from assay.llm.sources import Sources, check_ranges, read_sources
from assay.llm.trust import follow, is_trusted

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


def resolve(options: Options, environ: Mapping[str, str], folder: Path | None = None) -> Settings:
    """All settings; `folder` is the working folder, unless it is the current one."""
    sources = read_sources(environ, folder or Path.cwd())
    chosen = _merged(options, sources)
    if not chosen.model:
        raise InputError(
            "no model is given (such as openai/gpt-4.1-mini or ollama/llama3.2), and neither "
            "ASSAY_MODEL in the environment nor model under [llm] in assay.toml names one",
            field="model",
            code="no-model",
        )
    followed = follow(options, chosen.model, sources)
    found = find_endpoint(
        chosen.model,
        followed.environ,
        followed.providers,
        base_url=chosen.base_url,
        key_env=chosen.key_env,
    )
    price, told = _price(chosen, found, sources)
    chosen_in = followed.chosen_in or _file_of_model(options, sources)
    endpoint = replace(found.endpoint, chosen_in=chosen_in, priced_as=told)
    return _settings(chosen, endpoint, price, found.missing_key)


def settings_file_options() -> Mapping[str, Any]:
    """The options in the settings files that apply; none if there is no such file."""
    sources = read_sources(os.environ, Path.cwd())
    return {**sources.own.options, **sources.file.options}


def is_model_configured(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment or a settings file names a model."""
    return bool(_merged(Options(), read_sources(environ, Path.cwd())).model)


def is_model_chosen(options: Options, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the user has named a model: a working folder's word counts only if it is trusted.

    That is for a command that works without a model as well, so that no file can make it send what
    it would not have sent.
    """
    sources = read_sources(environ, Path.cwd())
    if not _merged(options, sources).model:
        return False
    file = _file_of_model(options, sources)
    if not file or is_trusted(options, sources):
        return True
    notify(
        f"{file} names a model, which is not asked: a working folder does not decide that texts "
        "are sent; name the model yourself to ask it",
        from_folder=True,
    )
    return False


def _merged(options: Options, sources: Sources) -> Options:
    """The options, with those left open taken from the environment, then from the files."""
    given = {name: value for name, value in asdict(options).items() if not _is_open(value)}
    check_ranges(given)
    model = {**sources.dotenv, **sources.environ}.get("ASSAY_MODEL", "")
    from_environment = {"model": model} if model.strip() else {}
    values: dict[str, Any] = {
        **sources.own.options,
        **sources.file.options,
        **from_environment,
        **given,
    }
    return Options(**{**values, "model": values.get("model", "").strip()})


def _file_of_model(options: Options, sources: Sources) -> str:
    """The file of the working folder that names the model; empty if the user named it."""
    if options.model or sources.environ.get("ASSAY_MODEL", "").strip():
        return ""
    if "ASSAY_MODEL" not in sources.environ and sources.dotenv.get("ASSAY_MODEL", "").strip():
        return str(sources.dotenv_path)
    return sources.file.path if sources.file.options.get("model") else ""


def _is_open(value: object) -> bool:
    """Whether an option is left open; 0 is a value."""
    return value is None or value is False or value == ""


def _price(chosen: Options, found: FoundModel, sources: Sources) -> tuple[Price | None, str]:
    """The price, and whose it is if neither the user nor the model's own service says so."""
    listed = {
        **sources.own.prices,
        **sources.file.prices,
        **(read_prices(chosen.prices) if chosen.prices else {}),
    }
    price = find_price(found.endpoint, listed)
    if price:
        file = _file_of_price(price, chosen, sources)
        return price.price, f"{price}, as {file} says" if file else ""
    if found.free:
        return FREE, ""
    price = find_price_by_name(found.endpoint, listed)
    return (price.price, str(price)) if price else (None, "")


def _file_of_price(price: FoundPrice, chosen: Options, sources: Sources) -> str:
    """The file of the working folder that lists the price; empty if it is another's."""
    if chosen.prices:
        named = sources.file.options.get("prices")
        is_listed = chosen.prices == named and price.name in read_prices(chosen.prices)
        return chosen.prices if is_listed else ""
    return sources.file.path if price.name in sources.file.prices else ""


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
