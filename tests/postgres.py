"""A PostgreSQL server for tests: Debian's, on loopback, in a temporary folder."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

USER = "assay"
ADVICE = "PostgreSQL is not installed: apt-get install postgresql"


@dataclass(frozen=True)
class Server:
    """A server that can go away, and come back with all that was committed."""

    address: str
    control: tuple[str | Path, ...]
    settings: tuple[str | Path, ...]

    def start(self) -> None:
        """Lets it begin, or begin again."""
        _call(*self.control, *self.settings, "start")

    def stop(self) -> None:
        """Ends it at once, as if its machine had failed: connections break."""
        _call(*self.control, "-m", "immediate", "stop")

    def is_running(self) -> bool:
        """True if it has not been stopped."""
        return Path(self.control[2], "postmaster.pid").exists()


@contextmanager
def server() -> Iterator[str]:
    """The address of a new server, which ends afterwards; where there is none the test skips."""
    with fickle_server() as made:
        yield made.address


@contextmanager
def fickle_server() -> Iterator[Server]:
    """The same server, for tests that end it and start it again."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="assay-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        port = _free_port()
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
        open_to_all = ("-U", USER, "-A", "trust", "-E", "UTF8", "-N")
        _call(programs / "initdb", "-D", folder / "data", *open_to_all)
        settings = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off -c full_page_writes=off"
        control = (programs / "pg_ctl", "-D", folder / "data", "-w")
        address = f"postgresql://{USER}@127.0.0.1:{port}"
        made = Server(address, control, ("-l", folder / "log", "-o", settings))
        made.start()
        try:
            yield made
        finally:
            if made.is_running():
                made.stop()


@contextmanager
def database(address: str) -> Iterator[str]:
    """The URL of an empty database, which is dropped afterwards."""
    import psycopg

    name = f"test_{uuid4().hex}"
    with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield f"{address}/{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def _programs() -> Path:
    """The folder of the server's programs."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    on_path = shutil.which("initdb")
    if not installed and not on_path:
        pytest.skip(ADVICE)
    return installed[-1].parent if installed else Path(str(on_path)).parent


def _version(program: Path) -> float:
    return float(program.parents[1].name)


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _call(*command: str | Path) -> None:
    as_user = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()
    done = subprocess.run(
        [*as_user, *map(str, command)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
