"""Around every request: its id, its line in the log, its figures, and the trace it belongs to."""

import re
import time
from secrets import token_hex

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.core.system import traces
from assay.service.logs import tell
from assay.service.metrics import ServiceMetrics

REQUEST_ID = "X-Request-Id"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LEFT = 499  # what servers log for clients that did not wait for the answer
_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})  # asked all the time
# What routes and the admission note for the log.
_NOTED = ("owner", "error", "detector", "examples", "problems", "job", "texts")


class Observed:
    """Gives each request an id, and tells what became of it."""

    def __init__(self, app: ASGIApp, *, metrics: ServiceMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, status, began = Headers(scope=scope), _LEFT, time.perf_counter()
        state = scope.setdefault("state", {})
        given = headers.get(REQUEST_ID, "")
        named = given if _WELL_FORMED.fullmatch(given) else token_hex(8)
        state["request_id"] = named

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = named
            await send(message)

        try:
            with traces.joined(headers):
                await self._app(scope, receive, sending)
        finally:
            self._tell(scope, status, time.perf_counter() - began)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if route != "other" else ""
        self._metrics.add_request(route, method, status, seconds)
        if route in _QUIET and status < 400:
            return
        state = scope["state"]
        client = scope.get("client") or ("",)
        tell(
            "request",
            request_id=state["request_id"],
            method=scope["method"][:20],
            path=scope["path"][:200],
            status=status,
            ms=round(1000 * seconds, 2),
            client=client[0],
            **{name: state.get(name) for name in _NOTED},
        )
