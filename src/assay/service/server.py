"""The service on its socket, from its start to an orderly end."""

import uvicorn

from assay.core.errors import InputError
from assay.service.application import create_service
from assay.service.keys import Keys, read_keys
from assay.service.logs import log_to_stderr, tell
from assay.service.request import ServeRequest
from assay.web.guard import is_loopback
from assay.web.listening import address_of, listen


def serve(request: ServeRequest) -> None:
    """Serves until it is asked to end."""
    keys = read_keys(request.keys)
    require_keys(keys, request.host)
    app = create_service(request, keys)
    log_to_stderr()
    with listen(request.host, request.port) as listening:
        address = address_of(request.host, listening.getsockname()[1])
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
            proxy_headers=request.behind_proxy,
            timeout_graceful_shutdown=10,
        )
        tell("started", address=address)
        uvicorn.Server(config).run([listening])


def require_keys(keys: Keys, host: str) -> None:
    """Raises where a service without keys would be open to other computers."""
    if not keys and not is_loopback(host):
        raise InputError(
            f"the service has no keys, so it is not served on {host}, where others can reach it",
            code="no-keys",
            field="host",
        )
