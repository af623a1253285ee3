"""What every request has to get past, and what every answer carries."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest, token_urlsafe
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.app.annotation.sessions import LIFETIME
from assay.studio.answers import ErrorRecord
from assay.studio.errors import accident, failure

TOKEN_HEADER = "X-Assay-Token"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
MEBIBYTE = 2**20
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
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
    """How large the body of a request may be, in bytes: an import, and any other."""

    upload: int = 256 * MEBIBYTE
    body: int = MEBIBYTE


class Cookies:
    """Signs and reads the two cookies: of a session, and of a form before anybody is signed in.

    Their names carry a mark of the studio, since a browser does not tell the ports of a computer
    apart and two studios on one would sign each other out.
    """

    def __init__(self, secret: str, *, is_secure: bool = False) -> None:
        mark = hashlib.sha256(b"name " + secret.encode()).hexdigest()[:8]
        prefix = "__Host-" if is_secure else ""
        self._secret = secret
        self.is_secure = is_secure
        self.session = f"{prefix}assay-{mark}"
        self.form = f"{prefix}assay-form-{mark}"

    def signed(self, name: str, token: str) -> str:
        """The value of a cookie for a token."""
        return URLSafeSerializer(self._secret, salt=name).dumps(token)

    def token(self, name: str, headers: Headers) -> str:
        """The token in a request's cookie of that name; empty where it is not one of ours."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(name)
            read = URLSafeSerializer(self._secret, salt=name).loads(found.value) if found else ""
        except (BadSignature, CookieError):
            return ""
        return read if isinstance(read, str) else ""

    def header(self, name: str, token: str) -> str:
        """The header that gives a cookie to a browser; without a token, that takes it away."""
        age = int(LIFETIME.total_seconds()) if token else 0
        secure = "; Secure" if self.is_secure else ""
        value = self.signed(name, token) if token else ""
        return f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"

    def form_token(self, visit: str) -> str:
        """What a page shows before anybody is signed in; it fits one browser only."""
        return self.signed("form token", digest_of(visit))

    def fits(self, visit: str, shown: str) -> bool:
        """Whether a form's token was made for this browser."""
        return bool(visit) and compare_digest(self.form_token(visit), shown)


def digest_of(token: str) -> str:
    """A token in a form that may be shown."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """A token that nobody guesses."""
    return token_urlsafe(32)


class Guard:
    """Checks host, origin and size of each request, and puts the headers on each answer.

    An error that nobody expected ends here: it is logged, and the answer tells its number only.
    """

    def __init__(
        self, app: ASGIApp, *, cookies: Cookies, hosts: Iterable[str] = (), limits: Limits
    ) -> None:
        self._app = app
        self._cookies = cookies
        self._hosts = LOOPBACK_NAMES | {each.lower() for each in hosts}
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, headers, has_begun = scope["path"], Headers(scope=scope), False
        state: dict[str, object] = scope.setdefault("state", {})

        async def sending(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._dress(path, MutableHeaders(scope=message), state)
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            status, told = refusal
            await failure(path, status, told)(scope, receive, sending)
            return
        try:
            await self._app(scope, _measured(receive, self._limit(path, headers)), sending)
        except Exception as error:  # the one place where nothing gets past
            if has_begun:
                raise
            await accident(path, error)(scope, receive, sending)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, ErrorRecord] | None:
        host = headers.get("host", "")
        if _name_of(host) not in self._hosts:
            message = f"the studio does not answer to the name '{_name_of(host)}'"
            return 400, ErrorRecord("host", message, "")
        if scope["method"] not in _SAFE and _place_of(headers.get("origin", "")) != host.lower():
            message = "the request does not come from a page of the studio"
            return 403, ErrorRecord("origin", message, "")
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > self._limit(scope["path"], headers):
            message = _too_large(self._limit(scope["path"], headers))
            return 413, ErrorRecord("too-large", message, "")
        return None

    def _limit(self, path: str, headers: Headers) -> int:
        is_upload = path.startswith("/api/projects/") and path.endswith("/import")
        if is_upload and self._cookies.token(self._cookies.session, headers):
            return self._limits.upload
        return self._limits.body

    def _dress(self, path: str, headers: MutableHeaders, state: dict[str, object]) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        kept = "no-cache" if path.startswith("/static/") else "no-store"
        headers["Cache-Control"] = kept
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


def _name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _place_of(origin: str) -> str:
    return origin.partition("://")[2].lower()
