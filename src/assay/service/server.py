"""The service on its socket, from its start to an orderly end."""

import math
import socket
import time
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from assay.core.errors import InputError
from assay.service.application import create_service
from assay.service.connections import LimitedProtocol
from assay.service.keys import Keys, read_keys
from assay.service.logs import log_to_stderr, tell
from assay.service.request import ServeRequest
from assay.service.serving import PATIENCE, RunningService
from assay.web.guard import is_loopback
from assay.web.listening import address_of, listen

_LAST = 2  # seconds in which answers leave after the requests are cut off


def serve(request: ServeRequest, on_start: Callable[[str], None] = lambda address: None) -> int:
    """Serves until a signal asks it to end, and gives the number of the signal.

    Requests under way are answered then, and new ones turned away; what keeps the service from
    beginning raises. `on_start` is told the address.
    """
    keys = read_keys(request.keys)
    require_keys(keys, request.host)
    with listen(request.host, request.port) as listening:
        server = ServiceServer(create_service(request, keys), is_proxied=request.behind_proxy)
        log_to_stderr()
        address = address_of(request.host, listening.getsockname()[1])
        on_start(address)
        tell("started", address=address)
        server.run([listening])
    tell("stopped")
    if server.service.fault is not None:
        raise server.service.fault
    return server.signal


class ServiceServer(uvicorn.Server):
    """Ends when requests under way are answered, or when they take too long for that."""

    def __init__(self, app: FastAPI, *, is_proxied: bool = False) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=LimitedProtocol,
                log_config=None,
                access_log=False,
                ws="none",
                server_header=False,
                proxy_headers=is_proxied,
                timeout_graceful_shutdown=_LAST,
            )
        )
        self.service: RunningService = app.state.service
        self.signal = 0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begins to end; asked again, it ends at once."""
        self.force_exit = bool(self.signal)
        self.service.stop(0 if self.signal else PATIENCE)
        self.signal = sig

    async def on_tick(self, counter: int) -> bool:
        """True if it is time to end."""
        if self.service.fault is not None:
            return True
        admission = self.service.admission
        if not admission.is_closing:
            return await super().on_tick(counter)
        self.service.jobs.stop()
        left = self.service.until - time.monotonic()
        if left <= 0:
            admission.end()
        self.config.timeout_graceful_shutdown = max(_LAST, math.ceil(left))
        is_done = left <= 0 or not admission.under_way
        return is_done or await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the connections, and then the service, also where it ends at once."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()


def require_keys(keys: Keys, host: str) -> None:
    """Raises where a service without keys would be open to other computers."""
    if not keys and not is_loopback(host):
        raise InputError(
            f"the service has no keys, so it is not served on {host}, where others can reach it",
            code="no-keys",
            field="host",
        )
