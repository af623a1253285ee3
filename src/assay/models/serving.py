"""Asks a server for a file from some byte on, and says in words why it does not come."""

import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from socket import gaierror

import aiohttp
from yarl import URL

from assay import __version__

SILENCE = 60.0  # seconds without a byte after which a connection is given up
_CONNECTING = 30.0
_CHUNK = 1 << 20
_MOST_REDIRECTS = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_REST = 120.0
_RANGE = re.compile(r"bytes (\d{1,20})-\d{1,20}/(\d{1,20}|\*)")


class BrokenOffError(Exception):
    """No file, or not all of it; `passing` says that it may come if it is asked for again."""

    def __init__(self, reason: str, *, passing: bool, rest: float = 0.0) -> None:
        super().__init__(reason)
        self.passing = passing
        self.rest = rest  # seconds for which the server asks to be left alone


class UnreachedError(BrokenOffError):
    """Nobody answers at that address."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, passing=False)


class NotThereError(BrokenOffError):
    """The server has nothing from that byte on."""

    def __init__(self) -> None:
        super().__init__("the server does not have that part of the file", passing=True)


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """A server's answer: its first byte, the size of the whole file, and its version."""

    start: int
    total: int | None
    tag: str  # a strong ETag, or nothing
    _content: aiohttp.StreamReader = field(repr=False)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes as they come."""
        with _told():
            async for chunk in self._content.iter_chunked(_CHUNK):
                yield chunk


def open_session() -> aiohttp.ClientSession:
    """A session that goes through the proxies that the environment names, and keeps no cookies."""
    return aiohttp.ClientSession(
        headers={"User-Agent": f"assay/{__version__}", "Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECTING, sock_read=SILENCE),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=True,
    )


@asynccontextmanager
async def ask(
    session: aiohttp.ClientSession, address: str, start: int = 0, tag: str = ""
) -> AsyncIterator[FileAnswer]:
    """Ask for a file from a byte on; if its version has changed, all of it comes."""
    headers = {"Range": f"bytes={start}-"} if start else {}
    if start and tag:
        headers["If-Range"] = tag
    with _told():
        response = await _follow(session, URL(address), headers)
    try:
        yield _read_head(response, start)
    finally:
        response.close()


async def _follow(
    session: aiohttp.ClientSession, url: URL, headers: dict[str, str]
) -> aiohttp.ClientResponse:
    """The answer at the end of all redirects, none of which leads from HTTPS to plain HTTP."""
    for _ in range(_MOST_REDIRECTS):
        response = await session.get(url, headers=headers, allow_redirects=False)
        target = response.headers.get("Location")
        if response.status not in _REDIRECTS or not target:
            return response
        response.close()
        there = url.join(URL(target, encoded=True))
        if there.scheme not in ("https", url.scheme):
            raise BrokenOffError(
                f"it redirects to {there.origin()}, which is not secure", passing=False
            )
        url = there
    raise BrokenOffError(f"it redirects more than {_MOST_REDIRECTS} times", passing=False)


def _read_head(response: aiohttp.ClientResponse, start: int) -> FileAnswer:
    status, headers = response.status, response.headers
    tag = headers.get("ETag", "")
    tag = tag if tag.startswith('"') else ""  # a weak one vouches for no single byte
    if status == 206:
        found = _RANGE.fullmatch(headers.get("Content-Range", ""))
        if not found or int(found[1]) != start:
            raise NotThereError
        total = None if found[2] == "*" else int(found[2])
        return FileAnswer(start, total, tag, response.content)
    if status == 200:
        return FileAnswer(0, response.content_length, tag, response.content)
    if status == 416:
        raise NotThereError
    asked = headers.get("Retry-After", "")
    absent = ": the file is not there" if status in (404, 410) else ""
    raise BrokenOffError(
        f"the server says {status} {response.reason or ''}".rstrip() + absent,
        passing=status in _PASSING,
        rest=min(float(asked), _LONGEST_REST) if asked.isdecimal() else 0.0,
    )


@contextmanager
def _told() -> Iterator[None]:
    """Turns what goes wrong on the way into words."""
    try:
        yield
    except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError) as error:
        raise UnreachedError(_reason(error)) from None
    except (aiohttp.ClientError, OSError) as error:  # also a timeout
        is_invalid = isinstance(error, aiohttp.InvalidURL)
        raise BrokenOffError(_reason(error), passing=not is_invalid) from None
    except ValueError:
        raise BrokenOffError("no valid answer", passing=False) from None


def _reason(error: Exception) -> str:
    match error:
        case aiohttp.ClientHttpProxyError():
            return f"the proxy set in the environment refused ({error.status})"
        case aiohttp.ClientProxyConnectionError():
            return "the proxy set in the environment does not answer"
        case aiohttp.ClientConnectorCertificateError():
            return f"its certificate is not trusted ({error.certificate_error})"
        case aiohttp.ClientConnectorError(os_error=gaierror()):
            return "there is no host of that name, or no network"
        case aiohttp.ConnectionTimeoutError():
            return "no connection in time"
        case TimeoutError():
            return f"nothing came for {SILENCE:.0f} s"
        case aiohttp.ClientConnectorError():
            number = error.os_error.errno  # its own words are those of the socket
            return os.strerror(number) if number else "no connection"
        case aiohttp.ClientPayloadError() | aiohttp.ServerDisconnectedError() | ConnectionError():
            return "the connection broke off"
    return f"no valid answer ({type(error).__name__})"
