"""The server that is asked, as messages speak of it: what went wrong there, and what to do."""

from socket import gaierror

import aiohttp
from yarl import URL

from assay.core.errors import InputError, ServiceError
from assay.llm.answers import HttpAnswer, ServerProblem, unusable, wanted_wait
from assay.llm.client import CallError
from assay.llm.options import Endpoint

_SLOW = frozenset({408, 504, 524})  # somebody on the way gave up; the server may have worked on


class ServerErrors:
    """An address that is checked, and the errors of calls to it; none of them shows the key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.url = _address(endpoint.base_url)
        self.host = self.url.authority
        if not endpoint.key.isascii() or not all("!" <= sign <= "~" for sign in endpoint.key):
            raise InputError(
                f"{self._variable} holds a key with a space, a line break or an accent"
            )

    def hide(self, text: str) -> str:
        """The text without the key; words too short to be one are left."""
        key = self._endpoint.key
        return text.replace(key, "***") if len(key) > 3 else text

    def error(
        self, problem: ServerProblem, answer: HttpAnswer, *, known: bool, replied: bool = False
    ) -> CallError | ServiceError:
        """What an answer without a reply means.

        `known`: the server has answered well before; `replied`: even with replies, so key and
        model are right, and what is refused now, such as by a rule about the text, is one call.
        """
        kind, said = problem.kind, self.hide(problem.said)
        if _is_foreign(problem, answer):
            return self._foreign(answer, known=known)
        if kind == "later":
            return CallError(
                "transport",
                f"{self.host} answers {said}",
                raw=self.hide(answer.text),
                worth_retrying=True,
                wait=wanted_wait(answer.headers),
                maybe_charged=problem.status in _SLOW,
            )
        if kind == "refused" or kind == "too_long":
            return CallError(kind, f"{self.host} answers {said}", raw=self.hide(answer.text))
        if kind == "rejected" or (replied and problem.status in (403, 404)):
            detail = f"{self.host} rejects the call ({said})"
            return CallError("transport", detail, raw=self.hide(answer.text))
        return ServiceError(self._setup(problem, said))

    def unreadable(self, answer: HttpAnswer, *, known: bool) -> CallError | ServiceError:
        """A good status, and no JSON below it."""
        if answer.meant_as_json:
            return unusable(
                f"{self.host} sends JSON that is cut off or no object", self.hide(answer.text)
            )
        return self._foreign(answer, known=known)

    def unreached(self, error: aiohttp.ClientError, *, known: bool) -> CallError | ServiceError:
        """No connection: passing trouble of a server that is known, else a wrong address."""
        what = _reason(error)
        if known:
            return CallError("transport", f"cannot reach {self.host}: {what}", worth_retrying=True)
        return ServiceError(f"cannot reach {self.host}: {what}; check --base-url, {_hint(error)}")

    def garbled(self, *, known: bool) -> CallError | ServiceError:
        """Something answers that does not speak HTTP."""
        if known:
            return self.lost("sends what is not HTTP")
        return ServiceError(
            f"{self.host} does not speak HTTP: check --base-url, and whether it is http or https"
        )

    def lost(self, what: str) -> CallError:
        """A call that went out and brought nothing back; the server may have done the work."""
        detail = f"{self.host} {what}"
        return CallError("transport", detail, worth_retrying=True, maybe_charged=True)

    def _foreign(self, answer: HttpAnswer, *, known: bool) -> CallError | ServiceError:
        what = "a web page" if answer.is_page else "no JSON"
        if 300 <= answer.status < 400:
            what = f"it leads to {self._target(answer.headers.get('Location', ''))}"
        if known:
            detail = f"{self.host} answers {answer.status}: {what}"
            return unusable(detail, self.hide(answer.text))
        return ServiceError(
            f"{self._endpoint.base_url} does not look like an OpenAI-compatible address "
            f"({answer.status}: {what}); base URLs usually end in /v1: check --base-url"
        )

    def _setup(self, problem: ServerProblem, said: str) -> str:
        """What is wrong for every call, in one line."""
        if problem.kind == "unpaid":
            return f"{self.host} wants to be paid first ({said}): check the account's balance"
        if problem.kind == "unknown":
            model, base = self._endpoint.model, self._endpoint.base_url
            return (
                f"{self.host} does not know the model '{model}' or the address {base} ({said}): "
                "check --model and --base-url"
            )
        if not self._endpoint.key:
            return f"{self.host} wants a key ({said}): put yours into {self._variable}"
        return f"{self.host} does not accept the key ({said}): check {self._variable}"

    def _target(self, location: str) -> str:
        """Where a redirect leads, without what may be secret in it."""
        try:
            target = self.url.join(URL(location)).with_query(None).with_user(None)
        except ValueError:
            return "another address"
        return str(target).removesuffix("/chat/completions")

    @property
    def _variable(self) -> str:
        name = self._endpoint.key_env
        return f"the environment variable {name}" if name else "the variable that --key-env names"


def _address(base_url: str) -> URL:
    """Where calls go; an address that cannot be one raises."""
    try:
        url = URL(base_url)
    except ValueError:
        url = URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise InputError(f"'{base_url}' is no address: it begins with http:// or https://")
    if url.user or url.password:
        raise InputError(
            f"an address holds no user name or password: give {url.host} a key instead"
        )
    return url.with_path(url.path.rstrip("/") + "/chat/completions", keep_query=True)


def _is_foreign(problem: ServerProblem, answer: HttpAnswer) -> bool:
    """Whether the answer is not from a model's server at all, but from something in its place."""
    if 300 <= answer.status < 400:
        return True
    if not problem.foreign or answer.status == 401:
        return False
    return problem.kind in ("unknown", "key") or (problem.kind == "rejected" and answer.is_page)


def _hint(error: aiohttp.ClientError) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "or name a file of certificates that you trust in SSL_CERT_FILE"
    secure = isinstance(error, aiohttp.ClientSSLError)
    return "and whether it is http or https" if secure else "and that the server runs"


def _reason(error: aiohttp.ClientError) -> str:
    match error:
        case aiohttp.ConnectionTimeoutError():
            return "no connection in time"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy of the environment refuses ({error.status})"
        case aiohttp.ClientProxyConnectionError():
            return "the proxy of the environment does not answer"
        case aiohttp.ClientConnectorCertificateError():
            return f"its certificate is not trusted ({error.certificate_error})"
        case aiohttp.ClientSSLError():
            return f"no secure connection ({getattr(error.os_error, 'reason', error.strerror)})"
        case aiohttp.ClientConnectorError(os_error=gaierror()):
            return "there is no host of that name, or no network"
    return str(getattr(error, "strerror", None) or "no connection")
