"""Errors of calls to a server, in words that say what went wrong and what to check."""

from socket import gaierror

import aiohttp
from yarl import URL

from assay.core.errors import InputError, ServiceError
from assay.llm.calls.answers import HttpAnswer, ServerProblem, unusable, wanted_wait
from assay.llm.client import CallError
from assay.llm.settings.options import Endpoint

_SLOW = frozenset({408, 504, 524})  # a gateway gave up; the server behind it may have gone on


class ServerErrors:
    """The errors of calls to one address, which is checked; answers reach it without the key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.url = _address(endpoint.base_url)
        self.host = self.url.authority
        if not endpoint.key.isascii() or not all("!" <= sign <= "~" for sign in endpoint.key):
            raise InputError(
                f"the key in {self._variable} contains a space, a line break or an accented letter",
                field="key_env",
                code="bad-key",
            )

    def error(
        self, problem: ServerProblem, answer: HttpAnswer, *, known: bool, replied: bool = False
    ) -> CallError | ServiceError:
        """The error for an answer without a reply.

        `known`: the server has answered properly before. `replied`: it has even sent replies, so
        key and model are right, and what it rejects now concerns this call only.
        """
        kind, said = problem.kind, problem.said
        if _is_foreign(problem, answer):
            return self._foreign(answer, known=known)
        if kind == "later":
            return CallError(
                "transport",
                f"{self.host} answered {said}",
                raw=answer.text,
                worth_retrying=True,
                wait=wanted_wait(answer.headers),
                maybe_charged=problem.status in _SLOW,
            )
        if kind == "refused" or kind == "too_long":
            return CallError(kind, f"{self.host} answered {said}", raw=answer.text)
        if kind == "rejected" or (replied and problem.status in (403, 404)):
            detail = f"{self.host} rejected the call ({said})"
            return CallError("transport", detail, raw=answer.text)
        return self._setup(problem, said)

    def unreadable(self, answer: HttpAnswer, *, known: bool) -> CallError | ServiceError:
        """A good status without a JSON object."""
        if answer.meant_as_json:
            detail = f"{self.host} sent JSON that is cut off or not an object"
            return unusable(detail, answer.text)
        return self._foreign(answer, known=known)

    def unreached(self, error: aiohttp.ClientError, *, known: bool) -> CallError | ServiceError:
        """No connection: a passing problem of a known server, else a wrong address."""
        problem = f"cannot reach {self.host}: {_reason(error)}"
        if known:
            return CallError("transport", problem, worth_retrying=True)
        problem = f"{problem}; check the base URL, {_hint(error)}"
        return ServiceError(problem, field="base_url", code="unreachable")

    def garbled(self, *, known: bool) -> CallError | ServiceError:
        """An answer that is not HTTP."""
        if known:
            return self.lost("sent something that is not HTTP")
        problem = (
            f"{self.host} does not speak HTTP: check the base URL, and whether it is http or https"
        )
        return ServiceError(problem, field="base_url", code="bad-address")

    def lost(self, what: str) -> CallError:
        """A call that was sent and never answered; the server may have done the work."""
        detail = f"{self.host} {what}"
        return CallError("transport", detail, worth_retrying=True, maybe_charged=True)

    def _foreign(self, answer: HttpAnswer, *, known: bool) -> CallError | ServiceError:
        what = "a web page" if answer.is_page else "no JSON"
        if 300 <= answer.status < 400:
            what = f"a redirect to {self._target(answer.headers.get('Location', ''))}"
        if known:
            detail = f"{self.host} answered {answer.status}: {what}"
            return unusable(detail, answer.text)
        problem = (
            f"{self._endpoint.base_url} does not look like an OpenAI-compatible address "
            f"({answer.status}: {what}); check the base URL, which usually ends in /v1"
        )
        return ServiceError(problem, field="base_url", code="bad-address")

    def _setup(self, problem: ServerProblem, said: str) -> ServiceError:
        """A problem that every call would have."""
        if problem.kind == "unpaid":
            message = f"{self.host} reports insufficient credit ({said}): check your account"
            return ServiceError(message, code="no-credit")
        if problem.kind == "unknown":
            message = (
                f"{self.host} does not know the model '{self._endpoint.model}' or the address "
                f"{self._endpoint.base_url} ({said}): check the model and the base URL"
            )
            return ServiceError(message, field="model", code="unknown-model")
        if not self._endpoint.key:
            message = f"{self.host} requires a key ({said}): set {self._variable}"
            return ServiceError(message, field="key_env", code="no-key")
        message = f"{self.host} does not accept the key ({said}): check {self._variable}"
        return ServiceError(message, field="key_env", code="bad-key")

    def _target(self, location: str) -> str:
        """The target of a redirect, without what may be secret in it."""
        try:
            target = self.url.join(URL(location)).with_query(None).with_user(None)
        except ValueError:
            return "another address"
        return str(target).removesuffix("/chat/completions")

    @property
    def _variable(self) -> str:
        return f"the environment variable {self._endpoint.key_env or 'OPENAI_API_KEY'}"


def _address(base_url: str) -> URL:
    """The address that calls go to; raises if the base URL cannot be used."""
    try:
        url = URL(base_url)
    except ValueError:
        url = URL()
    problem = ""
    if url.scheme not in ("http", "https") or not url.host:
        problem = f"'{base_url}' is not an address: it must begin with http:// or https://"
    elif url.user or url.password:
        problem = (
            f"a base URL must not contain a user name or password: use a key for {url.host} instead"
        )
    if problem:
        raise InputError(problem, field="base_url", code="bad-address")
    return url.with_path(url.path.rstrip("/") + "/chat/completions", keep_query=True)


def _is_foreign(problem: ServerProblem, answer: HttpAnswer) -> bool:
    """True if the answer does not come from a model's server at all."""
    if 300 <= answer.status < 400:
        return True
    if not problem.foreign or answer.status == 401:
        return False
    return problem.kind in ("unknown", "key") or (problem.kind == "rejected" and answer.is_page)


def _hint(error: aiohttp.ClientError) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "or set SSL_CERT_FILE to a file of certificates that you trust"
    secure = isinstance(error, aiohttp.ClientSSLError)
    return "and whether it is http or https" if secure else "and that the server is running"


def _reason(error: aiohttp.ClientError) -> str:
    match error:
        case aiohttp.ConnectionTimeoutError():
            return "no connection in time"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy set in the environment refused ({error.status})"
        case aiohttp.ClientProxyConnectionError():
            return "the proxy set in the environment does not answer"
        case aiohttp.ClientConnectorCertificateError():
            return f"its certificate is not trusted ({error.certificate_error})"
        case aiohttp.ClientSSLError():
            return f"no secure connection ({getattr(error.os_error, 'reason', error.strerror)})"
        case aiohttp.ClientConnectorError(os_error=gaierror()):
            return "there is no host of that name, or no network"
    return str(getattr(error, "strerror", None) or "no connection")
