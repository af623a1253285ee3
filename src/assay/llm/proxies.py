"""The proxy on the way to a server, as the usual environment variables name it."""

from urllib.request import getproxies, proxy_bypass

from yarl import URL

from assay.core.errors import InputError
from assay.llm.providers import is_loopback


def find_proxy(url: URL) -> str | None:
    """The proxy for an address, looked up once; there is never one to this machine itself."""
    found = getproxies().get(url.scheme)
    if not found or is_loopback(str(url)) or proxy_bypass(url.host or ""):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if not proxy.startswith(("http://", "https://")):
        raise InputError(
            f"{url.scheme}_proxy names a {proxy.split(':')[0]} proxy: only http proxies can be used"
        )
    return proxy
