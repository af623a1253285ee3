"""The service on its socket, from its start to an orderly end."""

import time
from types import FrameType

import uvicorn
from fastapi import FastAPI

from assay.core.errors import InputError
from assay.service.application import PATIENCE, create_service
from assay.service.connections import LimitedProtocol
from assay.service.keys import Keys, read_keys
from assay.service.logs import log_to_stderr, tell
from assay.service.request import ServeRequest
from assay.service.serving import RunningService
from assay.web.guard import is_loopback
from assay.web.listening import address_of, listen


def serve(request: ServeRequest) -> int:
    """Serves until a signal asks it to end, and gives the number of the signal.

    Requests under way are answered then, and new ones turned away; what keeps the service from
    beginning raises.
    """
    keys = read_keys(request.keys)
    require_keys(keys, request.host)
    with listen(request.host, request.port) as listening:
        server = ServiceServer(create_service(request, keys), is_proxied=request.behind_proxy)
        log_to_stderr()
        tell("started", address=address_of(request.host, listening.getsockname()[1]))
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
                timeout_graceful_shutdown=round(PATIENCE),
            )
        )
        self.service: RunningService = app.state.service
        self.signal = 0
        self._until = float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begins to end; asked again, it ends at once."""
        if self.signal:
            self.should_exit = self.force_exit = True
        self.signal = sig
        self.service.admission.is_closing = True
        self._until = min(self._until, time.monotonic() + PATIENCE)

    async def on_tick(self, counter: int) -> bool:
        """True if it is time to end."""
        if self.service.fault is not None:
            return True
        admission = self.service.admission
        is_done = admission.is_closing and not admission.under_way
        return is_done or time.monotonic() > self._until or await super().on_tick(counter)


def require_keys(keys: Keys, host: str) -> None:
    """Raises where a service without keys would be open to other computers."""
    if not keys and not is_loopback(host):
        raise InputError(
            f"the service has no keys, so it is not served on {host}, where others can reach it",
            code="no-keys",
            field="host",
        )
