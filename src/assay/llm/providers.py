"""Well-known services by name, and the address and key of the model that a user names.

A base URL that the user gives wins, and the name is sent whole. Otherwise `provider/model` with a
known provider goes there, without its prefix. Otherwise the whole name goes to OPENAI_BASE_URL,
or else to OpenAI.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from ipaddress import ip_address
from tomllib import loads
from urllib.parse import urlsplit

from assay.core.errors import InputError, UnknownNameError
from assay.llm.options import Endpoint
from assay.llm.tables import read_fields, read_table

_KINDS = {"base_url": str, "key_env": list, "needs_key": bool, "free": bool}
_OPENAI_KEY = "OPENAI_API_KEY"
_CALL = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Provider:
    """A service: its address, the variables that may hold its key, and what it asks for."""

    name: str
    base_url: str
    key_env: tuple[str, ...] = ()
    needs_key: bool = True
    free: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A model's endpoint; `missing_key` says what to do where a key is needed and there is none."""

    endpoint: Endpoint
    free: bool = False
    missing_key: str = ""


@cache
def known_providers() -> Mapping[str, Provider]:
    """The services that come with the package."""
    text = files("assay.llm").joinpath("providers.toml").read_text(encoding="utf-8")
    return {
        name: Provider(name, **{**each, "key_env": tuple(each["key_env"])})
        for name, each in loads(text).items()
    }


def add_providers(table: object, where: str) -> Mapping[str, Provider]:
    """The known services with those of a user's table, which may also change a known one."""
    providers = dict(known_providers())
    for name, each in read_table(table, where).items():
        key = name.casefold()
        providers[key] = _changed(providers.get(key), key, each, f"{where}.{name}")
    return providers


def find_endpoint(
    name: str,
    environ: Mapping[str, str],
    providers: Mapping[str, Provider],
    *,
    base_url: str = "",
    key_env: str = "",
) -> Found:
    """Where the model of that name is, and with which key it is asked."""
    provider, model = _choose(name, base_url, environ, providers)
    if not model:
        raise InputError(f"'{name}' names a provider and no model: write '{provider.name}/MODEL'")
    address = _address(provider, environ)
    variables = (key_env,) if key_env else provider.key_env
    used = next((each for each in variables if environ.get(each, "").strip()), "")
    key = environ.get(used, "").strip()
    if not all(" " < letter <= "~" for letter in key):
        raise InputError(f"the key in {' or '.join(variables)} has spaces or letters no key has")
    needs_key = key_env or (provider.needs_key and not is_loopback(address))
    missing = _missing_key(provider, variables) if needs_key and not key else ""
    return Found(Endpoint(name, model, address, provider.name, key, used), provider.free, missing)


def check_base_url(text: str, where: str = "the base URL") -> str:
    """The address without what clients add to it; one that cannot be used raises."""
    address = text.strip().rstrip("/").removesuffix(_CALL).rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(letter.isspace() for letter in address):
        example = "http://localhost:8000/v1"
        raise InputError(f"{where} must be an address like {example}, not '{text}'")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise InputError(f"{where} must have no '?', no '#' and no name or key before an '@'")
    return address


def is_loopback(address: str) -> bool:
    """Whether an address is on this very machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _choose(
    name: str, base_url: str, environ: Mapping[str, str], providers: Mapping[str, Provider]
) -> tuple[Provider, str]:
    """The service that is asked, and the model as it is told."""
    own = environ.get("OPENAI_BASE_URL", "").strip()
    prefix, slash, rest = name.partition("/")
    known = providers.get(prefix.casefold()) if slash else None
    if base_url:
        return _at(base_url, "the base URL", providers), name
    # Who sets OPENAI_BASE_URL does not want OpenAI to get the texts, also under its own name.
    if known and not (own and known.name == "openai"):
        return known, rest
    if own:
        return _at(own, "OPENAI_BASE_URL", providers), rest if known else name
    if slash:
        menu = UnknownNameError("provider", prefix, providers)
        raise InputError(f"{menu} For another server, give its address with --base-url.")
    return providers["openai"], name


def _at(base_url: str, where: str, providers: Mapping[str, Provider]) -> Provider:
    """The known service at an address, or a nameless one that may do without a key."""
    address = check_base_url(base_url, where)
    for provider in providers.values():
        if _same(provider.base_url, address):
            return provider  # with its own key: another one is none of its business
    return Provider("", address, (_OPENAI_KEY,), needs_key=False)


def _same(one: str, other: str) -> bool:
    def plain(address: str) -> str:
        return address.replace("//127.0.0.1", "//localhost").casefold()

    return plain(one) == plain(other)


def _address(provider: Provider, environ: Mapping[str, str]) -> str:
    """The base URL, its first part from the environment where the table says so."""
    if not provider.base_url.startswith("$"):
        return provider.base_url
    variable, slash, path = provider.base_url[1:].partition("/")
    value = environ.get(variable, "").strip().rstrip("/")
    if not value:
        raise InputError(f"no address for {provider.name}: set {variable} to that of your resource")
    return check_base_url(value.removesuffix(slash + path) + slash + path, variable)


def _missing_key(provider: Provider, variables: tuple[str, ...]) -> str:
    service = provider.name or provider.base_url
    return (
        f"no key for {service}: set {' or '.join(variables)} in the environment or in a .env file, "
        "or name the variable that holds it with --key-env"
    )


def _changed(known: Provider | None, name: str, table: object, where: str) -> Provider:
    """A provider from a user's table; without a variable for a key it needs none."""
    raw = read_table(table, where)
    listed = {"key_env": [raw["key_env"]]} if isinstance(raw.get("key_env"), str) else {}
    fields = read_fields({**raw, **listed}, _KINDS, where)
    if "key_env" in fields:
        fields["key_env"] = tuple(fields["key_env"])
    if "base_url" in fields:
        fields["base_url"] = check_base_url(fields["base_url"], f"{where}: base_url")
    if known:
        return replace(known, **fields)
    if "base_url" not in fields or "/" in name:
        raise InputError(f"{where}: a new provider needs a base_url, and a name without '/'")
    return Provider(name, **{"needs_key": "key_env" in fields, **fields})
