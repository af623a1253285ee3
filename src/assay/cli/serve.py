"""`assay serve`: checks and jobs over HTTP."""

import os
import sys
import threading
from signal import SIGTERM
from typing import Annotated

from assay.cli.errors import INTERRUPTED, TERMINATED, say
from assay.core.errors import MissingExtraError
from assay.core.options import Option
from assay.core.system.signals import Terminated
from assay.service.request import ServeRequest

_EXTRA = ("fastapi", "prometheus_client", "pydantic", "starlette", "uvicorn")
_LAST = 1.0  # seconds for threads that still compute what nobody waits for


def serve(
    request: ServeRequest,
    new_key: Annotated[
        str | None,
        Option("Print a new key and its line for the file of keys, and serve nothing.", "NAME"),
    ] = None,
) -> int:
    """Serve checks and jobs over HTTP until Ctrl-C or SIGTERM.

    Without keys only this computer is served. Requests under way are finished before it ends.

    Exit code: 0 for a new key, 2 if it cannot begin, 130 ended by Ctrl-C, 143 by SIGTERM.
    """
    if new_key is not None:
        return _print_key(new_key)
    try:
        from assay.service.server import serve as serve_it
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtraError("the service", "service") from None
    try:
        ended_by = serve_it(request, lambda address: _tell_address(address, request))
    except KeyboardInterrupt as error:  # before the service listens for it
        return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
    code = TERMINATED if ended_by == SIGTERM else INTERRUPTED
    _end_soon(code)
    return code


def _tell_address(address: str, request: ServeRequest) -> None:
    """Tells a person where the service is; programs read the log."""
    if sys.stderr.isatty():
        say(
            f"{', '.join(request.detectors.names)}: open {address} in a browser; "
            f"the API is described at {address}openapi.json; Ctrl-C ends the service"
        )


def _end_soon(code: int) -> None:
    """Has the process end with this code, even if a thread computes: all is kept by now."""
    ending = threading.Timer(_LAST, os._exit, (code,))
    ending.daemon = True
    ending.start()


def _print_key(name: str) -> int:
    from assay.service.keys import new_key

    key, line = new_key(name)
    sys.stdout.write(f"{key}\n")
    sys.stderr.write(f"# the key is shown this once; its line for the file of keys:\n{line}\n")
    return 0
