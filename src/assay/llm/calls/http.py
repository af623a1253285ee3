"""One asynchronous client for every server that speaks the OpenAI chat protocol."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, replace
from io import BytesIO
from typing import Any, Self
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from assay.core.codec import encode
from assay.core.errors import InputError
from assay.core.system.notices import notify
from assay.core.system.secrets import Secrets
from assay.core.system.traces import Attributes, current_call
from assay.llm.calls.answers import HttpAnswer, read_problem, read_reply
from assay.llm.calls.dialect import Dialect
from assay.llm.calls.server_errors import ServerErrors
from assay.llm.client import CONCURRENCY, Reply, Request, Setting
from assay.llm.settings.options import Endpoint, Parameters
from assay.llm.settings.providers import is_loopback


def find_proxy(url: URL) -> str | None:
    """The proxy for an address according to the environment; none for this machine itself."""
    found = getproxies().get(url.scheme)
    if not found or is_loopback(str(url)) or proxy_bypass(url.host or ""):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if not proxy.startswith(("http://", "https://")):
        kind = proxy.split(":")[0]
        raise InputError(
            f"{url.scheme}_proxy names a {kind} proxy: only HTTP proxies are supported"
        )
    return proxy


MOST_BYTES = 16 * 2**20  # no reply is longer, unless a server never stops sending
LARGE = 2**20  # bytes; a longer body is sent in pieces, so that the loop stays responsive
CONNECTING = 15.0  # seconds after which a host that does not accept connections is unreachable

_UNREACHED = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)


class HttpClient:
    """Asks a model over pooled connections; `timeout` is for one attempt, in seconds.

    `async with` keeps the connections open; it may be nested and used by many tasks of one event
    loop. Outside of it, the client connects for each call.
    """

    def __init__(
        self, endpoint: Endpoint, parameters: Parameters, *, timeout: float = 120.0
    ) -> None:
        if not timeout > 0:
            raise InputError(
                f"timeout must be more than 0 seconds, not {timeout:g}", field="timeout"
            )
        self.model = endpoint.name
        self._endpoint = endpoint
        self._parameters = parameters
        self._timeout = timeout
        self._errors = ServerErrors(endpoint)
        self._secrets = Secrets(endpoint.key)
        self._url = self._errors.url
        self._proxy = find_proxy(self._url)
        self._dialect = Dialect()
        self._named = False  # whether the user has been told where texts go
        self._known = False  # whether the server has answered in the way of a model's server
        self._replied = False  # whether it has answered a call with a reply
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._entries = 0

    @property
    def concurrency(self) -> int:
        """The usual number; it sets no limit of its own."""
        return CONCURRENCY

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Settings that the server rejects, and what was sent instead, in short sentences."""
        return self._dialect.sentences

    def describe(self) -> Mapping[str, Setting]:
        """Everything that affects its answers; an effort only where one is chosen."""
        settings = asdict(self._parameters)
        if not settings["reasoning_effort"]:
            del settings["reasoning_effort"]
        return {"model": self._endpoint.model, "base_url": self._endpoint.base_url, **settings}

    async def ask(self, request: Request) -> Reply:
        """The reply; if the server rejects a setting, the request is sent again without it."""
        reply, _ = await self.exchange(request)
        return reply

    async def exchange(self, request: Request) -> tuple[Reply, Mapping[str, Any]]:
        """The reply, and the whole JSON that it came in."""
        if self._session is None:
            async with self:
                return await self.exchange(request)
        if not self._named:
            self._named = True
            notify(f"texts go to {self._endpoint.place}", from_folder=self._endpoint.from_folder)
        dialect = self._dialect
        while True:
            body = dialect.body(self._endpoint.model, self._parameters, request)
            answer = await self._send(self._session, encode(body))
            data = answer.json()
            if answer.status != 200 or not isinstance(data, dict) or _is_error(data):
                dialect = self._adapted(dialect, answer, data, body)
                continue
            self._known = True
            reply = self._without_key(read_reply(data, request))
            self._replied = True
            if record := current_call():
                record.set(_answered_by(data))
            if dialect is not self._dialect:  # it got a reply, so it is worth keeping
                self._dialect = self._dialect.learnt(*dialect.steps)
            return reply, data

    def _adapted(
        self, dialect: Dialect, answer: HttpAnswer, data: Any, body: dict[str, Any]
    ) -> Dialect:
        """The dialect without what the server rejects; raises if that is not the problem."""
        problem = read_problem(answer, data, self._endpoint.errors)
        known, self._known = self._known, self._known or not problem.foreign
        if answer.status == 200 and not isinstance(data, dict):
            raise self._errors.unreadable(answer, known=known)
        step = dialect.step(problem, body)
        if step is None:
            raise self._errors.error(problem, answer, known=known, replied=self._replied)
        return dialect.learnt(step)

    async def _send(self, session: aiohttp.ClientSession, body: bytes) -> HttpAnswer:
        """One exchange; whatever goes wrong on the way raises an error of ours."""
        if asyncio.get_running_loop() is not self._loop:
            raise _other_loop()
        failure: Exception
        data = body if len(body) < LARGE else BytesIO(body)
        try:
            async with session.post(
                self._url, data=data, allow_redirects=False, proxy=self._proxy
            ) as response:
                content = await self._read(response.content)
                return self._answer(response, content)
        except _UNREACHED as error:
            failure = self._errors.unreached(error, known=self._known)
        except TimeoutError:
            failure = self._errors.lost(f"did not answer within {self._timeout:g} s")
        except aiohttp.ClientResponseError:
            failure = self._errors.garbled(known=self._known)
        except aiohttp.ClientPayloadError:
            failure = self._errors.lost("broke off in the middle of an answer")
        except aiohttp.ClientError:
            failure = self._errors.lost("closed the connection without an answer")
        raise failure  # not inside the except: aiohttp's errors hold the headers, and so the key

    def _answer(self, response: aiohttp.ClientResponse, content: bytes) -> HttpAnswer:
        """The answer, in which the key is hidden before anything is read from it or cut off."""
        headers = response.headers.copy()
        for name, value in response.headers.items():
            if (hidden := self._secrets.hide(value)) != value:
                headers[name] = hidden
        return HttpAnswer(response.status, headers, self._secrets.hide_bytes(content))

    def _without_key(self, reply: Reply) -> Reply:
        """The reply without the key, also where it came in an encoding of its own or in tokens."""
        hide, said = self._secrets.hide, "".join(token.text for token in reply.tokens)
        text, refusal, thoughts = map(hide, (reply.text, reply.refusal, reply.thoughts))
        shown = (reply.text, reply.refusal, reply.thoughts)
        if hide(said) == said and (text, refusal, thoughts) == shown:
            return reply
        return replace(reply, text=text, refusal=refusal, tokens=(), thoughts=thoughts)

    async def _read(self, content: aiohttp.StreamReader) -> bytes:
        pieces, size = [], 0
        while piece := await content.readany():
            size += len(piece)
            if size > MOST_BYTES:
                raise self._errors.lost(f"sent more than {MOST_BYTES // 2**20} MiB without an end")
            pieces.append(piece)
            if content.at_eof():
                break
        return b"".join(pieces)

    async def __aenter__(self) -> Self:
        if self._session is None:
            self._session = self._open()
            self._loop = asyncio.get_running_loop()
        elif self._loop is not asyncio.get_running_loop():
            raise _other_loop()
        self._entries += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._entries -= 1
        if self._entries == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._endpoint.key:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),
            timeout=aiohttp.ClientTimeout(
                total=self._timeout, sock_connect=min(self._timeout / 2, CONNECTING)
            ),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
        )


def _other_loop() -> InputError:
    return InputError("this client is in use in another event loop; make one for each loop")


def _answered_by(data: Mapping[str, Any]) -> Attributes:
    """The model and the id that a server says its reply has, for traces."""
    given = {"gen_ai.response.model": data.get("model"), "gen_ai.response.id": data.get("id")}
    return {name: value for name, value in given.items() if isinstance(value, str)}


def _is_error(data: Mapping[str, Any]) -> bool:
    """True if an error comes with a good status, as gateways send it."""
    return "error" in data and "choices" not in data
