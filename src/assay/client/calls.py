"""Requests to a service over HTTP: tried again where that may help, and its errors as ours."""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import aiohttp
import msgspec

from assay.core.errors import AssayError, BudgetError, InputError, ServiceError

JSON, LINES = "application/json", "application/x-ndjson"
ATTEMPTS = 4
FIRST_PAUSE = 0.5  # seconds, doubled with each attempt
LONGEST_PAUSE = 60.0  # that a service may ask for; whoever waits longer than that is told at once
CONNECTING = 10.0  # seconds
LONGEST_LINE = 256 * 2**20  # bytes
CUT_OFF = "cut-off"

# Codes of errors that another attempt would only repeat.
_FINAL = frozenset({"budget", "service", "missing-extra", "disk-full", "damaged"})
Repeats = Literal["always", "if-refused"]  # what was refused was not begun


class ToldError(msgspec.Struct):
    """The reason that a service gives for a failure."""

    code: str = ""
    message: str = ""
    field: str = ""
    request_id: str = ""


class _Failed(msgspec.Struct):
    error: ToldError


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed attempt: the error, whether the request was not begun, and how long to wait."""

    error: AssayError
    is_refusal: bool = False
    is_final: bool = False
    wait: float = 0.0


class ServiceCalls:
    """Requests to one service; between `open` and `close` they share connections."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        if not timeout > 0:
            raise InputError(
                f"timeout must be more than 0 seconds, not {timeout:g}", field="timeout"
            )
        self.url = _address(url)
        word = _word(key or "")
        self._headers = {"Authorization": f"Bearer {word}"} if word else {}
        self._timeout = aiohttp.ClientTimeout(None, sock_connect=CONNECTING, sock_read=timeout)
        self.seconds = timeout
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def open(self) -> None:
        """From now on connections are kept."""
        if self._session is None:
            self._session, self._loop = self._new(), asyncio.get_running_loop()

    async def close(self) -> None:
        """Closes the connections; a forked child leaves those of its parent alone."""
        session, self._session = self._session, None
        if session and self._loop is asyncio.get_running_loop():
            await session.close()

    async def read(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        kind: str = JSON,
        query: Mapping[str, str | int] | None = None,
        repeats: Repeats = "always",
    ) -> bytes:
        """The whole body of an answer."""
        headers = {"Accept": JSON, "Content-Type": kind}
        async with self._answer(method, path, body, headers, query, repeats) as response:
            with self._reading():
                return await response.read()

    async def lines(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        query: Mapping[str, str | int] | None = None,
    ) -> AsyncIterator[bytes]:
        """The lines of an answer, as they come; one that ends within a line raises."""
        headers = {"Accept": LINES, "Content-Type": JSON}
        async with self._answer(method, path, body, headers, query, "always") as response:
            rest, size = list[bytes](), 0
            with self._reading():
                async for piece in response.content.iter_any():
                    begun, *others = piece.split(b"\n")
                    rest.append(begun)
                    size += len(begun)
                    for other in others:
                        yield b"".join(rest)
                        rest, size = [other], len(other)
                    if size > LONGEST_LINE:
                        raise self._strange("a line without end")
            if size:
                raise self.cut_off()

    @asynccontextmanager
    async def _answer(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        query: Mapping[str, str | int] | None,
        repeats: Repeats,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A good answer, once there is one."""
        async with self._connected() as session:
            for attempt in range(1, ATTEMPTS + 1):
                got = await self._try(session, method, path, body, headers, query)
                if isinstance(got, aiohttp.ClientResponse):
                    break
                may_repeat = not got.is_final and (got.is_refusal or repeats == "always")
                if not may_repeat or attempt == ATTEMPTS or got.wait > LONGEST_PAUSE:
                    raise got.error
                await pause(got.wait + random.uniform(0, FIRST_PAUSE * 2 ** (attempt - 1)))
            assert isinstance(got, aiohttp.ClientResponse)
            async with got:
                yield got

    async def _try(
        self,
        session: aiohttp.ClientSession,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        query: Mapping[str, str | int] | None,
    ) -> "aiohttp.ClientResponse | _Failure":
        try:
            response = await session.request(
                method,
                self.url + path,
                data=body,
                headers=headers,
                params=query,
                allow_redirects=False,  # the key is for this address
            )
            if response.status < 300:
                return response
            async with response:
                return self._failure(response, await response.content.read(2**20))
        except aiohttp.ClientConnectorError as error:
            number = error.os_error.errno or 0  # negative where a name has no address
            why = os.strerror(number) if number > 0 else error.os_error.strerror or "no answer"
            return _Failure(self._error(f"cannot be reached: {why}", "unreachable"), True)
        except aiohttp.ConnectionTimeoutError:
            return _Failure(self._error(f"cannot be reached in {CONNECTING:g} s", "timeout"), True)
        except TimeoutError:  # what was sent is worked on, and asked again it would be paid again
            late = self._error(f"did not answer within {self.seconds:g} s", "timeout")
            return _Failure(late, is_final=body is not None)
        except aiohttp.ClientError as error:  # whose text may hold headers, and so the key
            return _Failure(self._error(f"broke off ({type(error).__name__})", "unreachable"))

    def _failure(self, response: aiohttp.ClientResponse, body: bytes) -> _Failure:
        status, after = response.status, response.headers.get("Retry-After", "")
        wait = float(after) if after.isdecimal() and len(after) < 9 else 0.0
        try:
            told = msgspec.json.decode(body, type=_Failed).error
        except (msgspec.MsgspecError, UnicodeDecodeError):
            what = f"{status} {response.reason or ''}".strip()
            # A proxy says 502 and its like while the service behind it is away.
            strange = self._strange(what, "not-assay" if status < 500 else "unreachable")
            return _Failure(strange, False, status < 500, wait)
        is_refusal = status == 429 or told.code in ("busy", "closing", "queue-full")
        if status < 500 and status != 429:
            refusal = InputError(told.message, code=told.code, field=told.field)
            return _Failure(refusal, is_final=True)
        kind = BudgetError if told.code == "budget" else ServiceError
        named = f" (request {told.request_id})" if told.request_id else ""
        error = kind(f"{told.message}{named}", code=told.code, field=told.field)
        return _Failure(error, is_refusal, told.code in _FINAL, wait)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[aiohttp.ClientSession]:
        """The connections that are kept, or else some for one request."""
        if self._session and self._loop is asyncio.get_running_loop():
            yield self._session
        else:
            async with self._new() as session:
                yield session

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Errors of a body on its way, as ours."""
        try:
            yield
        except TimeoutError:
            raise self._error(f"sent nothing for {self.seconds:g} s", CUT_OFF) from None
        except aiohttp.ClientError:
            raise self.cut_off() from None

    def _new(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(limit=0)
        jar = aiohttp.DummyCookieJar()
        return aiohttp.ClientSession(
            connector=connector, timeout=self._timeout, headers=self._headers, cookie_jar=jar
        )

    def _error(self, what: str, code: str) -> ServiceError:
        return ServiceError(f"the service at {self.url} {what}", code=code)

    def _strange(self, what: str, code: str = "not-assay") -> ServiceError:
        return self._error(f"does not answer as Assay does: {what}", code)

    def cut_off(self) -> ServiceError:
        """The error for an answer whose end is missing."""
        return self._error("broke off before its answer was complete", CUT_OFF)


async def pause(seconds: float) -> None:
    """Waits before the next attempt."""
    await asyncio.sleep(seconds)


def _address(url: str) -> str:
    if "@" in url:  # it may hold a password, which nobody is shown
        raise InputError(
            "the address of a service has no user name and no password; give the key apart",
            field="url",
        )
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or parts.query or parts.fragment:
        raise InputError(
            f"{url!r} is no address of a service; write it as in http://localhost:8766", field="url"
        )
    return url.rstrip("/").removesuffix("/v1")


def _word(key: str) -> str:
    """The key as it is sent, without the end of a line of the file that it was read from."""
    word = key.strip()
    if not word.isascii() or not word.isprintable() or " " in word:
        raise InputError("the key has spaces, or characters that no key has", field="key")
    return word
