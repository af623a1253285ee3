"""The socket that a server listens on, and the address to open."""

import socket

from assay.core.errors import InputError


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; one that cannot be had raises."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(2048)  # whoever is quicker than the server waits
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", "") or str(error)
        raise InputError(f"cannot listen on {host}, port {port}: {reason}", field="port") from None
    return made


def address_of(host: str, port: int) -> str:
    """The address to open."""
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/"
