"""Asks servers outside, with care: only public ones, not too often, not for long, not for much."""

import asyncio
import codecs
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp
from yarl import URL

from assay import __version__
from assay.core.errors import InputError
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
_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_NO_PAGES = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape"})
_HEAD = 4096  # bytes of a page in which it says how it is written


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """An answer; `address` is where it really came from, and `type` one of `TYPES`."""

    address: str
    status: int
    type: str
    charset: str
    body: bytes
    retrieved: str
    rest: float = 0.0  # seconds that the server wants to be left alone

    @property
    def text(self) -> str:
        """The body as text, read as the server or the page says; what does not fit is marked."""
        return self.body.decode(self._encoding(), "replace").removeprefix("\ufeff")

    def json(self) -> Any:
        """The body as JSON; anything else raises."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise FetchError("answer", f"{self.address} does not answer with JSON") from None

    def _encoding(self) -> str:
        stated = _CHARSET.search(self.body, 0, _HEAD) if self.type == "text/html" else None
        for name in (self.charset, stated[1].decode() if stated else "", "utf-8"):
            with suppress(LookupError, ValueError):
                if name and codecs.lookup(name).name not in _NO_PAGES and b"a".decode(name):
                    return name
        return "utf-8"


_SENT_ON = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much is asked: seconds and bytes of an answer, redirects, requests a second to a host.

    `attempts` is how often a server is asked that wants to be left alone for a while.
    """

    seconds: float = 20.0
    bytes: int = 2 * 2**20
    redirects: int = 5
    per_second: float = 1.0
    attempts: int = 3

    def __post_init__(self) -> None:
        for name in ("seconds", "bytes", "per_second"):
            if not getattr(self, name) > 0:
                raise InputError(f"the limit '{name}' is more than 0, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request. A page is read as the site's robots.txt allows; a service has other terms of use.

    One that carries a key in its headers is never sent on to another address.
    """

    address: str
    value: Any = None  # sent as JSON, if there is one
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_page: bool = False


class Fetcher:
    """Asks servers over pooled connections; `async with` keeps them open, and may be nested.

    `allow` says which IP addresses may be asked. The environment variable ASSAY_CONTACT, a mail or
    web address, is told to every server, as some of them wish.
    """

    def __init__(self, limits: FetchLimits | None = None, allow: Allow = is_public) -> None:
        self.limits = limits or FetchLimits()
        self.allow = allow
        contact = " ".join(os.environ.get("ASSAY_CONTACT", "").split())
        who = f" ({contact})" if contact and contact.isascii() and contact.isprintable() else ""
        self._agent = f"assay/{__version__}{who}"
        self._pace = HostPace(self.limits.per_second)
        self._robots = Robots(self._robots_file, "assay")
        self._session: aiohttp.ClientSession | None = None
        self._entries = 0

    async def fetch(self, ask: WebRequest) -> WebAnswer:
        """The answer, whatever its status; redirects are followed, each as careful as the first.

        A server that has had enough is left alone for as long as it wants, then asked again.
        """
        url = read_address(ask.address, self.allow)
        async with self:
            answer = await self._follow(ask, url)
            for _ in range(self.limits.attempts - 1):
                if not answer.rest or answer.rest > LONGEST_REST:
                    break
                answer = await self._follow(ask, url)
            return answer

    async def page(self, address: str) -> WebAnswer:
        """A page that its site lets programs read; one that is not there raises."""
        answer = await self.fetch(WebRequest(address, is_page=True))
        if answer.status != 200:
            status = answer.status
            raise FetchError("status", f"{answer.address} answers {status}", status=status)
        return answer

    async def _robots_file(self, url: URL) -> tuple[int, str]:
        answer = await self._follow(WebRequest(str(url)), url)
        return answer.status, answer.text

    async def _follow(self, ask: WebRequest, url: URL) -> WebAnswer:
        left = self.limits.seconds
        for _ in range(self.limits.redirects + 1):
            if ask.is_page:
                self._pace.slow_down(str(url.host), await self._robots.pause(url))
            await self._pace.turn(str(url.host))
            began = asyncio.get_running_loop().time()
            answer = await self._exchange(ask, url, left)
            if isinstance(answer, WebAnswer):
                return answer
            if ask.headers:
                raise FetchError("refused", f"{url.host} sends on to {answer}, which gets no key")
            left -= asyncio.get_running_loop().time() - began
            url = next_address(url, answer, self.allow)
        most = self.limits.redirects
        raise FetchError("refused", f"{ask.address} sends on more than {most} times")

    async def _exchange(self, ask: WebRequest, url: URL, seconds: float) -> WebAnswer | str:
        """One answer, or where it sends on to; what goes wrong below HTTP is an error of ours."""
        host = url.host
        try:
            async with asyncio.timeout(seconds):
                return await self._send(ask, url)
        except TimeoutError:
            total = f"{self.limits.seconds:g} s"
            failure = FetchError("timeout", f"{host} gave no whole answer within {total}")
        except aiohttp.ClientConnectorCertificateError:
            failure = FetchError("unreached", f"cannot reach {host}: its certificate does not hold")
        except aiohttp.ClientConnectorDNSError:
            failure = FetchError("unreached", f"there is no host {host}, or no network")
        except aiohttp.ClientConnectorError as error:
            what = error.os_error.strerror or "no connection"
            failure = FetchError("unreached", f"cannot reach {host}: {what}")
        except aiohttp.ClientPayloadError:
            failure = FetchError("unreached", f"{host} broke off in the middle of an answer")
        except (aiohttp.ClientError, ValueError):
            failure = FetchError("unreached", f"{host} sent something that is no answer")
        raise failure  # not from within: aiohttp's errors hold the headers, and so the key

    async def _send(self, ask: WebRequest, url: URL) -> WebAnswer | str:
        if self._session is None:
            raise InputError("this fetcher is closed")
        body = None if ask.value is None else json.dumps(ask.value).encode()
        headers = {**ask.headers, **({} if body is None else {"Content-Type": "application/json"})}
        method = "GET" if body is None else "POST"
        async with self._session.request(
            method, url, data=body, headers=headers, allow_redirects=False
        ) as response:
            if response.status in _SENT_ON and "Location" in response.headers:
                return response.headers["Location"]
            rest = rest_wanted(response.status, response.headers)
            if rest:
                self._pace.rest(str(url.host), rest)
            return WebAnswer(
                str(url),
                response.status,
                response.content_type,
                response.charset or "",
                await self._read(response, url),
                utc_now(),
                rest,
            )

    async def _read(self, response: aiohttp.ClientResponse, url: URL) -> bytes:
        """The body, as far as it is of a kind that is read and no longer than the limit."""
        if response.content_type not in TYPES:
            if response.status != 200:
                return b""
            wanted = ", ".join(TYPES)
            kind = response.content_type
            raise FetchError("type", f"{url} is {kind}, which is not read (only {wanted})")
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
                timeout=aiohttp.ClientTimeout(total=None),  # counted over all redirects instead
            )
        self._entries += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._entries -= 1
        if self._entries == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()
