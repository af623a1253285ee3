"""Cookies that nobody can forge, and keys that open once."""

import hashlib
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest, token_urlsafe
from threading import Lock

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers

from assay.annotation.people.sessions import LIFETIME, digest

TOKEN_HEADER = "X-Assay-Token"


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
        """The token of a page before anybody is signed in; it fits one browser only."""
        return self.signed("form token", digest(visit))

    def fits(self, visit: str, shown: str) -> bool:
        """True if a form's token was made for this browser."""
        return bool(visit) and is_same(self.form_token(visit), shown)


def new_token() -> str:
    """A token that nobody guesses."""
    return token_urlsafe(32)


def is_same(secret: str, shown: str) -> bool:
    """Compares secrets in a time that does not tell how much was right."""
    return compare_digest(secret.encode(), shown.encode(errors="surrogatepass"))


class OneTimeKey:
    """A key that opens once; an empty one never does."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._lock = Lock()

    def open(self, shown: str) -> bool:
        """True if this is the key, which then opens no more."""
        with self._lock:
            fits = bool(self._key) and is_same(self._key, shown)
            if fits:
                self._key = ""
        return fits
