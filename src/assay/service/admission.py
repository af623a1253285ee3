"""Admission of requests: by key, not too often, not too many at once, and not at the end."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.core.errors import AssayError
from assay.service.detectors import BusyError
from assay.service.errors import ServiceFailures
from assay.service.keys import Keys, NoAccessError
from assay.service.metrics import ServiceMetrics
from assay.service.request import ServiceLimits
from assay.web.errors import answer_error

_MOST_BUCKETS = 10_000  # beyond them, whoever asked the longest ago is forgotten
_CLOSING_WAIT = 5  # seconds, after which another instance may be there
_STREAM_WAIT = 5  # seconds, after which one of the open connections may have ended
_STREAMS = ("/events", "/results")  # of a job, which go on for as long as they are read


class ThrottledKeyError(AssayError):
    """More requests than a key may make, or more of them at once."""

    code = "throttled"

    def __init__(self, retry_after: int, what: str = "requests") -> None:
        super().__init__(f"too many {what}; the header Retry-After says when to come again")
        self.retry_after = retry_after


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Rates:
    """A bucket of tokens for each client: as many as requests a minute, refilled evenly."""

    def __init__(self, a_minute: int | None) -> None:
        self._most = a_minute
        self._buckets: dict[str, _Bucket] = {}

    def count(self, client: str, now: float | None = None) -> None:
        """Takes a token; without one it raises."""
        if self._most is None:
            return
        now = time.monotonic() if now is None else now
        each_second = self._most / 60
        bucket = self._buckets.pop(client, None)
        if bucket is None:
            bucket = _Bucket(self._most, now)
            if len(self._buckets) >= _MOST_BUCKETS:
                del self._buckets[next(iter(self._buckets))]
        self._buckets[client] = bucket  # the last, so that the first has waited the longest
        bucket.tokens = min(self._most, bucket.tokens + (now - bucket.at) * each_second)
        bucket.at = now
        if bucket.tokens < 1:
            raise ThrottledKeyError(math.ceil((1 - bucket.tokens) / each_second))
        bucket.tokens -= 1


class Admission:
    """Decides about each request before its body is read."""

    def __init__(self, keys: Keys, limits: ServiceLimits, metrics: ServiceMetrics) -> None:
        self.keys = keys
        self.is_closing = False
        self.under_way = 0  # with the streams, which take no room
        self._rates = Rates(limits.rate)
        self._rooms = limits.requests
        self._most_streams = limits.streams
        self._streams = Counter[str]()
        self._has_ended = False
        self._limits = set[asyncio.Timeout]()  # of the requests under way
        self.metrics = metrics

    def owner(self, headers: Headers) -> str:
        """The name of the key that a request carries; empty where the service has no keys."""
        return self.keys.owner(_key_in(headers)) if self.keys else ""

    def count(self, who: str) -> None:
        """Counts a request of somebody, who may have made too many."""
        self._rates.count(who)

    def require_room(self) -> None:
        """Raises where no more requests are worked on now."""
        self._require_open()
        if self.under_way - self._streams.total() >= self._rooms:
            raise BusyError("the service is busy with other requests")

    def _require_open(self) -> None:
        if self.is_closing:
            raise _stopped()

    def room(self) -> AbstractContextManager[None]:
        """A place among the requests that are worked on; without one it raises."""
        self.require_room()
        return self._under_way()

    def stream(self, who: str) -> AbstractContextManager[None]:
        """A place among what somebody reads or sends for long, so that it takes nobody's room."""
        self._require_open()
        if self._streams[who] >= self._most_streams:
            raise ThrottledKeyError(_STREAM_WAIT, "connections are open")
        return self._streaming(who)

    @contextmanager
    def _streaming(self, who: str) -> Iterator[None]:
        self._streams[who] += 1
        try:
            with self._under_way():
                yield
        finally:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        self.under_way += 1
        self.metrics.under_way.inc()
        try:
            yield
        finally:
            self.under_way -= 1
            self.metrics.under_way.dec()

    @asynccontextmanager
    async def until_end(self) -> AsyncIterator[None]:
        """Cuts off what is done inside when the service ends; that raises."""
        try:
            async with asyncio.timeout(0 if self._has_ended else None) as limit:
                self._limits.add(limit)
                try:
                    yield
                finally:
                    self._limits.discard(limit)
        except TimeoutError:
            if not limit.expired():
                raise
            raise _stopped() from None

    def end(self) -> None:
        """Cuts off the requests under way."""
        self._has_ended = True
        for limit in self._limits:
            limit.reschedule(0)
        self._limits.clear()


class Admitted:
    """Lets requests of the API in, and turns the others away; pages ask for a key themselves."""

    def __init__(self, app: ASGIApp, *, admission: Admission, failures: ServiceFailures) -> None:
        self._app = app
        self._admission = admission
        self._failures = failures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            room = self._admit(scope)
        except AssayError as error:
            self._admission.metrics.add_refusal(error.code)
            await answer_error(self._failures, Request(scope), error)(scope, receive, send)
            return
        with room:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Has a request answered, unless the service ends before; a begun answer is cut off."""
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            async with self._admission.until_end():
                await self._app(scope, receive, sending)
        except BusyError as error:
            if not has_begun:
                await answer_error(self._failures, Request(scope), error)(scope, receive, send)

    def _admit(self, scope: Scope) -> AbstractContextManager[None]:
        """The room for a request; whoever may not come in is told so."""
        path = scope["path"]
        if not needs_key(path):
            return nullcontext()  # the page takes its room once it has seen a key
        owner = scope["state"]["owner"] = self._owner(scope)
        if not path.startswith("/v1/"):
            return nullcontext()
        who = owner or client_of(scope)
        self._admission.count(who)
        is_stream = path.startswith("/v1/jobs/") and path.endswith(_STREAMS)
        return self._admission.stream(who) if is_stream else self._admission.room()

    def _owner(self, scope: Scope) -> str:
        """The name of the key of a request; those without a good one are counted too."""
        try:
            return self._admission.owner(Headers(scope=scope))
        except NoAccessError:
            self._admission.count(client_of(scope))
            raise


def _stopped() -> BusyError:
    return BusyError("the service is being stopped", _CLOSING_WAIT, code="closing")


def needs_key(path: str) -> bool:
    """True if a path is for those who have a key, where there are keys."""
    return path.startswith("/v1/") or path in ("/v1", "/metrics")


def client_of(scope: Scope) -> str:
    """The address that a request comes from, as no key is called."""
    client = scope.get("client")
    return f"@{client[0]}" if client else "@"


def _key_in(headers: Headers) -> str:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
