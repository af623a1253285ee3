"""The proxy on the way to a server, as the usual environment variables name it."""

from ipaddress import ip_address
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from assay.core.errors import InputError


def find_proxy(url: URL) -> str | None:
    """The proxy for an address, looked up once; there is never one to this machine itself."""
    host = url.host or ""
    found = getproxies().get(url.scheme)
    if not found or _is_here(host) or proxy_bypass(host):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if not proxy.startswith(("http://", "https://")):
        raise InputError(
            f"{url.scheme}_proxy names a {proxy.split(':')[0]} proxy: only http proxies can be used"
        )
    return proxy


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
