"""Well-known services by name, and the address and key of the model that a user names.

If a base URL is given, the model's whole name goes there. Otherwise `provider/model` goes to a
known provider, without the prefix. Otherwise the whole name goes to OPENAI_BASE_URL, or to OpenAI.

Providers are data: those of `providers.toml`, those of a settings file, and those that other
packages offer as entry points of the group `assay.providers`, each a `Provider`. Entry points are
looked up only for a name that is not known otherwise.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from ipaddress import ip_address
from tomllib import loads
from types import MappingProxyType
from typing import Any, get_args
from urllib.parse import urlsplit

from assay.core.errors import InputError, UnknownNameError
from assay.llm.settings.options import Endpoint, ProblemKind
from assay.llm.settings.toml_tables import read_fields, read_table

_KINDS = {"base_url": str, "key_env": list, "needs_key": bool, "free": bool, "errors": dict}
OPENAI_ADDRESS = "OPENAI_BASE_URL"  # the variable that sends everything for OpenAI elsewhere
_OPENAI_KEY = "OPENAI_API_KEY"
_CALL = "/chat/completions"
_ADDRESS_IN_VARIABLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*(?:/[^\s?#]*)?")


@dataclass(frozen=True, slots=True)
class Provider:
    """A service: its address, the variables that may hold its key, and what its errors mean.

    `errors` maps a status, such as "529", or words of an error code or message, in lower case, to
    the kind of problem that they mean. It comes before the rules for all servers: with
    `{"529": "later"}`, calls that are answered 529 are retried.
    """

    name: str
    base_url: str
    key_env: tuple[str, ...] = ()
    needs_key: bool = True
    free: bool = False
    errors: Mapping[str, ProblemKind] = field(default_factory=dict)

    @property
    def address_variable(self) -> str:
        """The environment variable that holds the address, if it is in one."""
        is_variable = self.base_url.startswith("$")
        return self.base_url[1:].partition("/")[0] if is_variable else ""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """The endpoint of a model; `missing_key` is a message if it needs a key and there is none.

    `key_beside` says whether the key is not in the environment itself.
    """

    endpoint: Endpoint
    free: bool = False
    missing_key: str = ""
    key_beside: bool = False


@cache
def known_providers() -> Mapping[str, Provider]:
    """The services that come with the package."""
    text = files("assay.llm.settings").joinpath("providers.toml").read_text(encoding="utf-8")
    return {name: Provider(name, **_fields(each, name)) for name, each in loads(text).items()}


def all_providers() -> Mapping[str, Provider]:
    """The services that come with the package or are offered by other packages."""
    from assay.core.system.plugins import find_plugins

    offered = (_offered(name) for name in find_plugins("assay.providers"))
    return {each.name: each for each in offered if each} | dict(known_providers())


def add_providers(
    table: object, where: str, before: Mapping[str, Provider] | None = None
) -> Mapping[str, Provider]:
    """The known services with those of a user's table, which may also change a known one."""
    providers = dict(known_providers() if before is None else before)
    for name, each in read_table(table, where).items():
        key = name.casefold()
        providers[key] = _changed(providers.get(key), key, each, f"{where}.{name}")
    return providers


def find_provider(name: str, providers: Mapping[str, Provider]) -> Provider | None:
    """The service before the slash in the name of a model; None if it is not a known one."""
    prefix, slash, _ = name.partition("/")
    return (providers.get(prefix.casefold()) or _offered(prefix)) if slash else None


def find_endpoint(
    name: str,
    environ: Mapping[str, str],
    providers: Mapping[str, Provider],
    *,
    base_url: str = "",
    key_env: str = "",
    beside: Mapping[str, str] = MappingProxyType({}),
) -> FoundModel:
    """The address and the key of the model with that name.

    Variables `beside` complete the environment: a key in any variable of the environment comes
    before one in them.
    """
    merged = {**beside, **environ}
    provider, model = _choose(name, base_url, merged, providers)
    if not model:
        raise InputError(
            f"'{name}' names a provider but no model: write '{provider.name}/MODEL'", field="model"
        )
    address = _address(provider, merged)
    variables = (key_env,) if key_env else provider.key_env
    used = _first_set(variables, environ) or _first_set(variables, merged)
    key = merged.get(used, "").strip()
    if not all(" " < letter <= "~" for letter in key):
        raise InputError(
            f"the key in {' or '.join(variables)} contains spaces or characters that no key has",
            field="key_env",
            code="bad-key",
        )
    needs_key = key_env or (provider.needs_key and not is_loopback(address))
    missing = _missing_key(provider, variables) if needs_key and not key else ""
    endpoint = Endpoint(name, model, address, provider.name, key, used, provider.errors)
    return FoundModel(endpoint, provider.free, missing, bool(key) and used not in environ)


def check_base_url(text: str, where: str = "the base URL", *, from_user: bool = False) -> str:
    """The address without the path that clients add; raises if it cannot be used."""
    address = text.strip().rstrip("/").removesuffix(_CALL).rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    problem = ""
    if "@" in address or (usable and (parts.query or parts.fragment)):  # first: it is never shown
        problem = f"{where} must not contain '?', '#', or a name or key before '@'"
    elif not usable or any(letter.isspace() for letter in address):
        problem = f"{where} must be an address like http://localhost:8000/v1, not '{text}'"
    if problem:
        raise InputError(problem, field="base_url" if from_user else "", code="bad-address")
    return address


def is_loopback(address: str) -> bool:
    """True if an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _choose(
    name: str, base_url: str, environ: Mapping[str, str], providers: Mapping[str, Provider]
) -> tuple[Provider, str]:
    """The service, and the model as the service is told."""
    if base_url:
        address = check_base_url(base_url, from_user=True)
        return _at(address, providers), name
    own = environ.get(OPENAI_ADDRESS, "").strip()
    prefix, slash, rest = name.partition("/")
    known = find_provider(name, providers)
    # Whoever sets OPENAI_BASE_URL does not want OpenAI to get the texts, not even by its name.
    if known and not (own and known.name == "openai"):
        return known, rest
    if own:
        return _at(check_base_url(own, OPENAI_ADDRESS), providers), rest if known else name
    if not slash:
        return providers["openai"], name
    menu = UnknownNameError("provider", prefix, {**all_providers(), **providers})
    problem = f"{menu} Any other server needs a base URL"
    raise InputError(problem, field="model", code="unknown-provider")


def _offered(name: str) -> Provider | None:
    """The provider that another package offers under a name, if there is one."""
    from assay.core.system.plugins import (  # reads the metadata of all packages
        find_plugins,
        load_plugin,
    )

    names = {each.casefold(): each for each in find_plugins("assay.providers")}
    if name.casefold() not in names:
        return None
    found = load_plugin("assay.providers", names[name.casefold()], Provider)
    return replace(found, name=name.casefold())


def _at(address: str, providers: Mapping[str, Provider]) -> Provider:
    """The known service at an address, or a nameless one that may not need a key."""
    for provider in providers.values():
        if _same(provider.base_url, address):
            return provider  # with its own key: it must not get any other
    return Provider("", address, (_OPENAI_KEY,), needs_key=False)


def _same(one: str, other: str) -> bool:
    def plain(address: str) -> str:
        return address.replace("//127.0.0.1", "//localhost").casefold()

    return plain(one) == plain(other)


def _address(provider: Provider, environ: Mapping[str, str]) -> str:
    """The base URL; one that begins with $ takes its first part from the environment."""
    variable = provider.address_variable
    if not variable:
        return provider.base_url
    _, slash, path = provider.base_url.partition("/")
    value = environ.get(variable, "").strip().rstrip("/")
    if not value:
        raise InputError(
            f"no address for {provider.name}: set {variable} to the address of your resource",
            code="no-address",
        )
    return check_base_url(value.removesuffix(slash + path) + slash + path, variable)


def _first_set(variables: tuple[str, ...], environ: Mapping[str, str]) -> str:
    return next((each for each in variables if environ.get(each, "").strip()), "")


def _missing_key(provider: Provider, variables: tuple[str, ...]) -> str:
    service = provider.name or provider.base_url
    names = " or ".join(variables)
    return f"no key for {service}: set {names} in the environment or in a .env file"


def _changed(known: Provider | None, name: str, table: object, where: str) -> Provider:
    """A provider from a user's table; without a variable for its key it needs none."""
    fields = _fields(table, where)
    if "base_url" in fields:
        fields["base_url"] = _stated_address(fields["base_url"], f"{where}: base_url")
    else:
        known = known or _offered(name)
    if known:
        return replace(known, **fields)
    if "base_url" not in fields or "/" in name:
        raise InputError(f"{where}: a new provider needs a base_url, and a name without '/'")
    return Provider(name, **{"needs_key": "key_env" in fields, **fields})


def _stated_address(text: str, where: str) -> str:
    """The address in a user's table, which may begin with a variable that holds it."""
    stated = text.strip().rstrip("/")
    return stated if _ADDRESS_IN_VARIABLE.fullmatch(stated) else check_base_url(text, where)


def _fields(table: object, where: str) -> dict[str, Any]:
    """The fields of a provider in a table; `key_env` may be one name or a list."""
    raw = read_table(table, where)
    listed = {"key_env": [raw["key_env"]]} if isinstance(raw.get("key_env"), str) else {}
    fields = read_fields({**raw, **listed}, _KINDS, where)
    if "key_env" in fields:
        fields["key_env"] = tuple(fields["key_env"])
    kinds = get_args(ProblemKind)
    for kind in fields.get("errors", {}).values():
        if kind not in kinds:
            raise InputError(f"{where}: {UnknownNameError('kind of error', str(kind), kinds)}")
    if "errors" in fields:
        fields["errors"] = {sign.lower(): kind for sign, kind in fields["errors"].items()}
    return fields
