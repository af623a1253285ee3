"""Checks of every request, and headers of every answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.studio.errors import accident, failure
from assay.studio.routing import ErrorRecord
from assay.studio.security import SAFE_METHODS, Cookies

MEBIBYTE = 2**20
_LOOPBACK_NAME = "localhost"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest body of a request in bytes: of an import, and of any other."""

    upload: int = 256 * MEBIBYTE
    body: int = MEBIBYTE


class RequestGuard:
    """Checks host, origin and size of each request, and puts the headers on each answer.

    An error that nobody expected ends here: it is logged, and the answer tells its number only.
    """

    def __init__(
        self, app: ASGIApp, *, cookies: Cookies, hosts: Iterable[str], limits: Limits
    ) -> None:
        self._app = app
        self._cookies = cookies
        self._hosts = {_LOOPBACK_NAME, *(each.lower() for each in hosts)}
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, headers, has_begun = scope["path"], Headers(scope=scope), False
        state: dict[str, object] = scope.setdefault("state", {})
        request = Request(scope)

        async def sending(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                _dress(path, MutableHeaders(scope=message), state)
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await failure(request, *refusal)(scope, receive, sending)
            return
        try:
            await self._app(scope, _measured(receive, self._limit(path, headers)), sending)
        except Exception as error:  # the one place where nothing gets past
            if has_begun:
                raise
            await accident(request, error)(scope, receive, sending)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, ErrorRecord] | None:
        host = headers.get("host", "")
        if not self._is_ours(_name_of(host)):
            message = f"the studio does not answer to the name '{_name_of(host)}'"
            return 400, ErrorRecord("host", message, "")
        if b"%00" in scope.get("raw_path", b"") or b"%00" in scope.get("query_string", b""):
            return 400, ErrorRecord("input", "the address has a character U+0000", "")
        is_change = scope["method"] not in SAFE_METHODS
        if is_change and _place_of(headers.get("origin", "")) != host.lower():
            message = "the request does not come from a page of the studio"
            return 403, ErrorRecord("origin", message, "")
        most, declared = self._limit(scope["path"], headers), headers.get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > most:
            return 413, ErrorRecord("too-large", _too_large(most), "")
        return None

    def _is_ours(self, name: str) -> bool:
        """True if a request may call the studio by that name.

        A page of another site can make its own name point here, but no number.
        """
        return name in self._hosts or _is_number(name)

    def _limit(self, path: str, headers: Headers) -> int:
        is_upload = path.startswith("/api/projects/") and path.endswith("/import")
        if is_upload and self._cookies.token(self._cookies.session, headers):
            return self._limits.upload
        return self._limits.body


def is_loopback(host: str) -> bool:
    """True if only this computer reaches an address."""
    return host == _LOOPBACK_NAME or (_is_number(host) and ip_address(host).is_loopback)


def _dress(path: str, headers: MutableHeaders, state: dict[str, object]) -> None:
    for name, value in _HEADERS.items():
        headers[name] = value
    headers["Cache-Control"] = "no-cache" if path.startswith("/static/") else "no-store"
    if isinstance(cookie := state.get("cookie"), str):
        headers.append("Set-Cookie", cookie)


def _measured(receive: Receive, most: int) -> Receive:
    """The body of a request, up to its limit."""
    length = 0

    async def receiving() -> Message:
        nonlocal length
        message = await receive()
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
