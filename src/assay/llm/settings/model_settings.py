"""The settings of a model: arguments come before the environment, and that before the files.

Where these are, and which of them are the user's own word, is in `sources`; what a working folder
may decide is in `trust`. A file in the folder comes before the user's own; of its prices, only
those that raise a known one count in a folder that is not trusted.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.system.notices import notify
from assay.llm.client import CONCURRENCY
from assay.llm.costs.prices import (
    FREE,
    FoundPrice,
    Price,
    PriceTable,
    find_price,
    find_price_by_name,
    read_prices,
)
from assay.llm.settings.files import Sources, check_ranges, read_sources
from assay.llm.settings.options import Endpoint, Options, Parameters
from assay.llm.settings.providers import FoundModel, find_endpoint
from assay.llm.settings.trust import folder_options, follow, is_trusted, model_and_key

_TIMEOUT = 120.0
_DEADLINE = 600.0
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """All that a connection needs; `missing_key` is a message if a key is needed and absent.

    `cache_named_in` is the file of the working folder that names the cache, if one does.
    """

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
    cache_named_in: str = ""


def resolve(
    options: Options, environ: Mapping[str, str], folder: Path | None = None
) -> ModelSettings:
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
        sources.environ,
        followed.providers,
        base_url=chosen.base_url,
        key_env=chosen.key_env,
        beside=followed.variables,
    )
    model_file = _file_of_model(options, sources)
    key_file = str(sources.dotenv_path) if found.key_beside else ""
    if model_file and key_file and not followed.trusted:
        raise model_and_key(chosen.model, model_file, found.endpoint.key_env, key_file).refused()
    priced = _priced(options, found, sources, trusted=followed.trusted)
    endpoint = replace(
        found.endpoint,
        chosen_in=followed.chosen_in or model_file,
        key_file=key_file,
        price_note=priced.note,
        from_folder=bool(followed.chosen_in or model_file or key_file or priced.from_folder),
    )
    settings = _settings(chosen, endpoint, priced.price, found.missing_key)
    is_cache_theirs = not options.cache and sources.file.options.get("cache")
    return replace(settings, cache_named_in=sources.file.path) if is_cache_theirs else settings


def settings_file_options() -> Mapping[str, Any]:
    """The options in the settings files that apply; none if there is no such file."""
    sources = read_sources(os.environ, Path.cwd())
    return {**sources.own.options, **sources.file.options}


def is_model_configured(environ: Mapping[str, str] = os.environ) -> bool:
    """True if the environment or a settings file names a model."""
    return bool(_merged(Options(), read_sources(environ, Path.cwd())).model)


def is_model_chosen(options: Options, environ: Mapping[str, str] = os.environ) -> bool:
    """True if the user has named a model: a working folder's word counts only if it is trusted.

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
        **folder_options(options, sources),
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
    """True if an option is left open; 0 is a value."""
    return value is None or value is False or value == ""


@dataclass(frozen=True, slots=True)
class _Priced:
    """The price, and what the user is to know about it."""

    price: Price | None
    note: str = ""
    from_folder: bool = False


def _priced(options: Options, found: FoundModel, sources: Sources, *, trusted: bool) -> _Priced:
    """The price by the user's word and ours, or by the folder's if it is trusted or not lower."""
    own, folder = sources.own, sources.file
    given = _listed(options.prices)
    in_file = {} if options.prices else _listed(folder.options.get("prices", ""))
    users = {**own.prices, **(given if options.prices else _listed(own.options.get("prices", "")))}
    usual = _find_price(found, users)
    theirs = _find_price(found, {**users, **folder.prices, **in_file, **given})
    if theirs is None or theirs == usual:
        by_name = usual if usual and not (found.free or find_price(found.endpoint, users)) else None
        return _Priced(
            usual.price if usual else None, f"at the price of {usual}" if by_name else ""
        )
    file = folder.options["prices"] if theirs.name in in_file else folder.path
    if trusted or (usual and theirs.price.is_at_least(usual.price)):
        return _Priced(theirs.price, f"at the price of {theirs}, as {file} says", from_folder=True)
    if usual:
        note = f"at the price of {usual}, not at the lower one in {file}"
        return _Priced(usual.price, note, from_folder=True)
    note = f"without a price, since the one in {file} counts only if you trust the folder"
    return _Priced(None, note, from_folder=True)


def _listed(file: str) -> PriceTable:
    return read_prices(file) if file else {}


def _find_price(found: FoundModel, listed: PriceTable) -> FoundPrice | None:
    """The price at the model's own service, else none for what is free, else that of its name."""
    price = find_price(found.endpoint, listed)
    if price or found.free:
        return price or FoundPrice(found.endpoint.name, FREE)
    return find_price_by_name(found.endpoint, listed)


def _settings(
    chosen: Options, endpoint: Endpoint, price: Price | None, missing_key: str
) -> ModelSettings:
    usual = Parameters()
    deadline = chosen.deadline or max(_DEADLINE, chosen.timeout or 0)
    return ModelSettings(
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
