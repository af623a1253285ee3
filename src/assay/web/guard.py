"""Checks of every request, and headers of every answer."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.web.answers import ErrorRecord
from assay.web.errors import Failures

MEBIBYTE = 2**20
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK_NAME = "localhost"
# What no page needs: frames, other sites, files that a browser takes for something else.
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Entrance:
    """The requests that an application lets in, and its answers to the rest.

    `name` is what it calls itself, and `hosts` are the names that it answers to beside numbers and
    the name of this computer. `limit` is the largest body of a request, which has `seconds` to
    arrive. Where only browsers come, every change `needs_origin`; otherwise an origin has to be our
    own where there is one.
    """

    name: str
    hosts: Iterable[str]
    policy: str  # of content, unless an answer has one of its own
    limit: Callable[[str, Headers], int]
    failures: Failures
    needs_origin: bool = True
    seconds: float | None = None


class RequestGuard:
    """Checks host, origin and size of each request, and puts the headers on each answer.

    An error that nobody expected ends here: it is logged, and the answer tells its number only.
    """

    def __init__(self, app: ASGIApp, *, entrance: Entrance) -> None:
        self._app = app
        self._entrance = entrance
        self._hosts = {_LOOPBACK_NAME, *(each.lower() for each in entrance.hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, headers, has_begun = scope["path"], Headers(scope=scope), False
        state: dict[str, object] = scope.setdefault("state", {})
        request, entrance = Request(scope), self._entrance

        async def sending(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                _dress(path, MutableHeaders(scope=message), state, entrance.policy)
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await entrance.failures.failure(request, *refusal)(scope, receive, sending)
            return
        body = _measured(receive, entrance.limit(path, headers), entrance.seconds)
        try:
            await self._app(scope, body, sending)
        except ClientDisconnect:  # nobody waits for an answer
            return
        except Exception as error:  # the one place where nothing gets past
            if has_begun:
                raise
            await entrance.failures.accident(request, error)(scope, receive, sending)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, ErrorRecord] | None:
        entrance = self._entrance
        (host,) = hosts if len(hosts := headers.getlist("host")) == 1 else ("",)
        if not self._is_ours(_name_of(host)):
            message = f"{entrance.name} does not answer to the name '{_name_of(host)}'"
            return 400, ErrorRecord("host", message, "")
        if b"%00" in scope.get("raw_path", b"") or b"%00" in scope.get("query_string", b""):
            return 400, ErrorRecord("input", "the address has a character U+0000", "")
        if not self._is_from_us(scope["method"], headers.get("origin"), host):
            message = f"the request does not come from a page of {entrance.name}"
            return 403, ErrorRecord("origin", message, "")
        most, declared = entrance.limit(scope["path"], headers), headers.get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > most:
            return 413, ErrorRecord("too-large", _too_large(most), "")
        return None

    def _is_ours(self, name: str) -> bool:
        """True if a request may call the application by that name.

        A page of another site can make its own name point here, but no number.
        """
        return name in self._hosts or _is_number(name)

    def _is_from_us(self, method: str, origin: str | None, host: str) -> bool:
        if self._entrance.needs_origin:
            return method in SAFE_METHODS or _place_of(origin or "") == host.lower()
        return origin is None or _place_of(origin) == host.lower()


def is_loopback(host: str) -> bool:
    """True if only this computer reaches an address."""
    return host == _LOOPBACK_NAME or (_is_number(host) and ip_address(host).is_loopback)


def _dress(path: str, headers: MutableHeaders, state: Mapping[str, object], policy: str) -> None:
    headers.setdefault("Content-Security-Policy", policy)
    for name, value in HEADERS.items():
        headers[name] = value
    headers["Cache-Control"] = "no-cache" if path.startswith("/static/") else "no-store"
    if isinstance(cookie := state.get("cookie"), str):
        headers.append("Set-Cookie", cookie)


def _measured(receive: Receive, most: int, seconds: float | None) -> Receive:
    """The body of a request, up to its limit, and as long as it may take."""
    length = 0
    is_whole = seconds is None
    end = asyncio.get_running_loop().time() + (seconds or 0)

    async def receiving() -> Message:
        nonlocal length, is_whole
        if is_whole:
            message = await receive()
        else:
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                text = f"the request did not arrive within {seconds:g} seconds"
                raise HTTPException(408, text) from None
            is_whole = not message.get("more_body", False)
        length += len(message.get("body", b""))
        if length > most:
            raise HTTPException(413, _too_large(most))
        return message

    return receiving


def _too_large(most: int) -> str:
    size = f"{most // MEBIBYTE} MiB" if most >= MEBIBYTE else f"{most} bytes"
    return f"the request is larger than {size}"


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _place_of(origin: str) -> str:
    return origin.partition("://")[2].lower()
