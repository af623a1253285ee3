"""Fetches from servers: public ones only, not too often, not for long, not too much."""

import asyncio
import codecs
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self

import aiohttp
from yarl import URL

from assay import __version__
from assay.core.errors import InputError
from assay.core.system.notices import notify
from assay.core.system.secrets import Secrets
from assay.knowledge.sources import FetchError, utc_now
from assay.knowledge.web.addresses import (
    Allow,
    CheckedResolver,
    is_public,
    next_address,
    read_address,
)
from assay.knowledge.web.politeness import LONGEST_REST, HostPace, Robots, rest_wanted

TYPES = ("text/html", "text/plain", "application/json")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHARSET = re.compile(
    rb"<meta[^<>]{0,200}?charset\s*+=\s*+[\"']?+\s*+([\w.:-]{1,40})", re.IGNORECASE
)
_NO_PAGES = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape"})
_HEAD = 4096  # bytes of a page in which it declares its encoding


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """An answer; `address` is where it finally came from, and `type` one of `TYPES`."""

    address: str
    status: int
    type: str
    charset: str
    body: bytes
    retrieved: str
    rest: float = 0.0  # seconds for which the server asks not to be contacted

    @property
    def text(self) -> str:
        """The body, decoded as the server or the page declares; invalid bytes are replaced."""
        return self.body.decode(self._encoding(), "replace").removeprefix("\ufeff")

    def json(self) -> Any:
        """The body as JSON, which is UTF-8; anything else raises."""
        try:
            return json.loads(self.body.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            raise FetchError("answer", f"{self.address} did not answer with JSON") from None

    def _encoding(self) -> str:
        stated = _CHARSET.search(self.body, 0, _HEAD) if self.type == "text/html" else None
        for name in (self.charset, stated[1].decode() if stated else "", "utf-8"):
            with suppress(LookupError, ValueError):
                if name and codecs.lookup(name).name not in _NO_PAGES and b"a".decode(name):
                    return name
        return "utf-8"


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits on one answer (seconds, bytes, redirects) and on the requests per second to a host.

    `attempts` is how often a request is sent if the server asks for a pause.
    """

    seconds: float = 20.0
    bytes: int = 2 * 2**20
    redirects: int = 5
    per_second: float = 1.0
    attempts: int = 3

    def __post_init__(self) -> None:
        for name in ("seconds", "bytes", "per_second"):
            if not getattr(self, name) > 0:
                raise InputError(
                    f"{name} must be more than 0, not {getattr(self, name)}", field=name
                )


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request. A page is read only if the site's robots.txt allows it; a service has other terms.

    A request with a key in its headers never follows a redirect, and no answer to it has the key.
    """

    address: str
    value: Any = None  # sent as JSON, if given
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_page: bool = False


class Fetcher:
    """Fetches over pooled connections; `async with` keeps them open, and may be nested.

    `allow` says which IP addresses may be contacted. The environment variable ASSAY_CONTACT, a mail
    or web address, is sent to every server, as some of them request.
    """

    def __init__(
        self,
        limits: FetchLimits | None = None,
        allow: Allow = is_public,
        pace: HostPace | None = None,
    ) -> None:
        self.limits = limits or FetchLimits()
        self.allow = allow
        contact = " ".join(os.environ.get("ASSAY_CONTACT", "").split())
        who = f" ({contact})" if contact and contact.isascii() and contact.isprintable() else ""
        self._agent = f"assay/{__version__}{who}"
        self._pace = pace or HostPace(self.limits.per_second)
        self._robots = Robots(self._robots_file, "assay")
        self._named: set[URL] = set()  # the services that the user was told of
        self._session: aiohttp.ClientSession | None = None
        self._entries = 0

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """The answer, whatever its status; redirects are followed under the same rules.

        If a server asks for a pause, the request is repeated after it.
        """
        url = read_address(request.address, self.allow)
        if not request.is_page and url.origin() not in self._named:
            self._named.add(url.origin())
            notify(f"searches go to {url.origin()}")
        async with self:
            answer = await self._follow(request, url)
            for _ in range(self.limits.attempts - 1):
                if not answer.rest or answer.rest > LONGEST_REST:
                    break
                answer = await self._follow(request, url)
            return answer

    async def page(self, address: str) -> WebAnswer:
        """A page that its site lets programs read; any status other than 200 raises."""
        answer = await self.fetch(WebRequest(address, is_page=True))
        if answer.status != 200:
            status = answer.status
            raise FetchError(
                "status", f"{answer.address} answered with status {status}", status=status
            )
        return answer

    async def _robots_file(self, url: URL) -> tuple[int, str]:
        answer = await self._follow(WebRequest(str(url)), url)
        return answer.status, answer.text

    async def _follow(self, request: WebRequest, url: URL) -> WebAnswer:
        left = self.limits.seconds
        for _ in range(self.limits.redirects + 1):
            if request.is_page:
                self._pace.slow_down(str(url.host), await self._robots.pause(url))
            await self._pace.turn(str(url.host))
            began = asyncio.get_running_loop().time()
            answer = await self._exchange(request, url, left)
            if isinstance(answer, WebAnswer):
                return answer
            if request.headers:
                raise FetchError(
                    "refused", f"{url.host} redirects to {answer}, which must not get the key"
                )
            left -= asyncio.get_running_loop().time() - began
            url = next_address(url, answer, self.allow)
        most = self.limits.redirects
        raise FetchError("refused", f"{request.address} redirects more than {most} times")

    async def _exchange(self, request: WebRequest, url: URL, seconds: float) -> WebAnswer | str:
        """One answer, or where it redirects to; a failure below HTTP becomes a `FetchError`."""
        host = url.host
        try:
            async with asyncio.timeout(seconds):
                return await self._send(request, url)
        except TimeoutError:
            total = f"{self.limits.seconds:g} s"
            failure = FetchError("timeout", f"{host} did not answer in full within {total}")
        except aiohttp.ClientConnectorCertificateError:
            failure = FetchError("unreached", f"cannot reach {host}: its certificate is not valid")
        except aiohttp.ClientConnectorDNSError:
            failure = FetchError("unreached", f"cannot resolve {host}: no such host, or no network")
        except aiohttp.ClientConnectorError as error:
            what = error.os_error.strerror or "no connection"
            failure = FetchError("unreached", f"cannot reach {host}: {what}")
        except aiohttp.ClientPayloadError:
            failure = FetchError(
                "unreached", f"{host} broke off the connection in the middle of an answer"
            )
        except (aiohttp.ClientError, ValueError):
            failure = FetchError("unreached", f"{host} sent an invalid answer")
        raise failure  # without context: aiohttp's errors contain the headers, and so the key

    async def _send(self, request: WebRequest, url: URL) -> WebAnswer | str:
        if self._session is None:
            raise InputError("this fetcher is closed")
        body = None if request.value is None else json.dumps(request.value).encode()
        headers = {
            **request.headers,
            **({} if body is None else {"Content-Type": "application/json"}),
        }
        method, secrets = (
            "GET" if body is None else "POST",
            _secrets(tuple(request.headers.values())),
        )
        async with self._session.request(
            method, url, data=body, headers=headers, allow_redirects=False
        ) as response:
            if response.status in _REDIRECTS and "Location" in response.headers:
                return secrets.hide(response.headers["Location"])
            rest = rest_wanted(response.status, response.headers)
            if rest:
                self._pace.rest(str(url.host), rest)
            return WebAnswer(
                str(url),
                response.status,
                response.content_type,
                response.charset or "",
                secrets.hide_bytes(await self._read(response, url, secrets)),
                utc_now(),
                rest,
            )

    async def _read(self, response: aiohttp.ClientResponse, url: URL, secrets: Secrets) -> bytes:
        """The body; one of another type or beyond the limit raises."""
        if response.content_type not in TYPES:
            if response.status != 200:
                return b""
            wanted = ", ".join(TYPES)
            kind = secrets.hide(response.content_type)
            raise FetchError("type", f"{url} has type {kind}; only {wanted} are read")
        most = self.limits.bytes
        if (response.content_length or 0) > most:
            raise FetchError("too_large", f"{url} has more than {most:,} bytes")
        pieces, size = [], 0
        async for piece in response.content.iter_chunked(2**16):
            size += len(piece)
            if size > most:
                raise FetchError("too_large", f"{url} has more than {most:,} bytes")
            pieces.append(piece)
        return b"".join(pieces)

    async def __aenter__(self) -> Self:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=CheckedResolver(self.allow), use_dns_cache=False
                ),
                headers={"User-Agent": self._agent, "Accept": ", ".join(TYPES)},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),  # measured over all redirects instead
            )
        self._entries += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._entries -= 1
        if self._entries == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()


@lru_cache(maxsize=8)
def _secrets(headers: tuple[str, ...]) -> Secrets:
    """The keys in the headers of a request, without the word before them."""
    return Secrets(*(each.rpartition(" ")[2] for each in headers))
