"""The studio served: on this computer for one person, or for a team with accounts."""

import os
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

from assay.annotation.people.accounts import has_accounts
from assay.annotation.studio import Studio
from assay.core.errors import InputError
from assay.studio.application import Serving, create_app
from assay.studio.security import new_token
from assay.web.guard import is_loopback
from assay.web.listening import address_of, listen

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


def serve(
    studio: Studio,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    serving: Serving | None = None,
    open_browser: bool = False,
    tell: Callable[[str], None],
) -> None:
    """Serves a studio until it is interrupted; `tell` is given the address to open.

    Without accounts the address carries a key that signs in once, and only this computer is served.
    Port 0 is any that is free.
    """
    serving = serving or Serving()
    if not has_accounts(studio):
        require_loopback(host)
        serving = replace(serving, key=new_token())
    with listen(host, port) as listening:
        address = studio_address(host, listening.getsockname()[1], serving)
        app = create_app(studio, serving)
        config = uvicorn.Config(
            app,
            log_level="warning",
            ws="none",
            server_header=False,
            proxy_headers=serving.is_proxied,
            timeout_graceful_shutdown=5,
        )
        tell(address)
        with _leading_to(address) if open_browser else nullcontext() as shown:
            if shown:
                threading.Thread(target=webbrowser.open, args=(shown,), daemon=True).start()
            try:
                uvicorn.Server(config).run([listening])
            except KeyboardInterrupt:  # the usual way to end it
                return


@contextmanager
def _leading_to(address: str) -> Iterator[str]:
    """The address that a browser is told to open.

    Everybody on the computer sees the arguments of its programs, so an address with a key stands in
    a page that only its owner can read. It is in the home folder, since browsers that are confined
    read neither the folder of temporary files nor hidden ones.
    """
    if "#" not in address:
        yield address
        return
    home = Path.home()
    folder = home if os.access(home, os.W_OK) else None
    with TemporaryDirectory(prefix="assay-studio-", dir=folder) as own:
        page = Path(own) / "open.html"
        target = f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
        page.write_text(f"<!doctype html>{target}", encoding="utf-8")
        yield page.as_uri()


def require_loopback(host: str) -> None:
    """Raises where a studio without accounts would be open to other computers."""
    if not is_loopback(host):
        raise InputError(
            f"the studio has no account of an administrator, so it is not served on {host}, where "
            "others can reach it; make one with: assay studio account NAME",
            code="no-accounts",
            field="host",
        )


def studio_address(host: str, port: int, serving: Serving) -> str:
    """The address to open; the key stands behind a #, which browsers send to nobody."""
    name = next(iter(serving.hosts), host) if not is_loopback(host) else host
    return address_of(name, port) + (f"login#key={serving.key}" if serving.key else "")
