"""Addresses that may be contacted: http and https, by default of public hosts only.

A host is judged by the IP addresses it resolves to, and the connection goes to these very
addresses: a name that resolves differently when it is checked and when it is used gains nothing.
"""

import ipaddress
import socket
from collections.abc import Callable

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from assay.core.errors import InputError
from assay.knowledge.sources import FetchError

Allow = Callable[[str], bool]

# Everything in the registries of special addresses: this host, private and shared networks,
# link-local (cloud metadata too), documentation, benchmarks, multicast, reserved.
_SPECIAL_4 = tuple(
    map(
        ipaddress.IPv4Network,
        """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
        192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
        224.0.0.0/4 240.0.0.0/4""".split(),
    )
)
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
_SPECIAL_6 = tuple(
    map(ipaddress.IPv6Network, "2001::/23 2001:db8::/32 2002::/16 3fff::/20".split())
)
_TRANSLATED_6 = ipaddress.IPv6Network("64:ff9b::/96")  # an IPv4 address behind a translator


def is_public(number: str) -> bool:
    """True if an IP address belongs to the public internet.

    >>> is_public("9.9.9.9"), is_public("169.254.169.254"), is_public("::ffff:9.9.9.9")
    (True, False, False)
    """
    address = ipaddress.ip_address(number)
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _SPECIAL_4)
    if address in _TRANSLATED_6:
        return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
    return address in _GLOBAL_6 and not any(address in network for network in _SPECIAL_6)


def anywhere(number: str) -> bool:
    """Allows every address, for tests and private networks."""
    return bool(number)


def read_address(address: str, allow: Allow) -> URL:
    """An address that may be contacted, as far as that is known before its name is resolved."""
    try:
        url = URL(address).with_fragment(None)
        has_host = bool(url.host)  # decoded, which raises for xn--a
    except ValueError:
        url, has_host = URL(), False
    if url.scheme not in ("http", "https") or not has_host or not url.raw_host:
        raise FetchError("refused", f"'{_shorten(address)}' is not an http or https address")
    if url.user is not None or url.password is not None:
        raise FetchError(
            "refused", f"an address must not contain a user name or password: {url.host}"
        )
    if _looks_numeric(url.raw_host):
        _require_number(url.raw_host, allow)
    if url.raw_host == "localhost":  # a name that always means this host
        _require_number("127.0.0.1", allow, url.raw_host)
    return url


def service_address(address: str, what: str, allow: Allow) -> URL:
    """The address of a service that the user named; an unusable one raises at once."""
    try:
        url = read_address(address, allow)
    except FetchError as error:
        raise InputError(
            f"the address of {what} cannot be used: {error}", code=error.code, field=error.field
        ) from None
    if url.query_string:
        raise InputError(
            f"the address of {what} must not have a query: remove '?' and what follows"
        )
    return url


def next_address(here: URL, location: str, allow: Allow) -> URL:
    """The target of a redirect, which never leads from https to http."""
    try:
        there = here.join(URL(location))
    except ValueError:
        raise FetchError(
            "refused", f"{here.host} redirects to something that is not an address"
        ) from None
    url = read_address(str(there), allow)
    if here.scheme == "https" and url.scheme == "http":
        raise FetchError("refused", f"{here.host} redirects from https to http ({url.host})")
    return url


class CheckedResolver(AbstractResolver):
    """Resolves names, and refuses a name if one of its IP addresses is not allowed."""

    def __init__(self, allow: Allow) -> None:
        self._allow = allow
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The IP addresses of a name, which the connection then uses."""
        found = await self._resolver.resolve(host, port, family)
        for each in found:
            _require_number(each["host"], self._allow, host)
        return found

    async def close(self) -> None:
        """Closes the resolver inside."""
        await self._resolver.close()


def _looks_numeric(host: str) -> bool:
    """True if a host is an IP address rather than a name; these are not resolved."""
    return ":" in host or host.replace(".", "").isdigit()


def _require_number(number: str, allow: Allow, name: str = "") -> None:
    try:
        allowed = allow(str(ipaddress.ip_address(number.partition("%")[0])))
    except ValueError:
        raise FetchError(
            "refused", f"'{number}' is not a host: write an IP address in full"
        ) from None
    if not allowed:
        what = f"{name} ({number})" if name else number
        raise FetchError(
            "refused",
            f"{what} is not a public address",
            code="private-address",
            field="allow_private",
        )


def _shorten(address: str) -> str:
    return address if len(address) <= 100 else address[:100] + "…"
