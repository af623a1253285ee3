"""The engines: this process, or workers on Ray."""

import re
from dataclasses import dataclass
from typing import Annotated as With

from assay.core.errors import InputError
from assay.core.options import Option

_MANY = "Many machines"
_ADDRESS = re.compile(r"ray://(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(?P<port>[0-9]{1,5}))?")
CLIENT_PORT = 10001  # where the head of a cluster listens for those outside


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine of a run and its workers; nothing named is this process.

    It is no part of a manifest: whoever judges, the judgements are the same.
    """

    engine: With[
        str,
        Option(
            "Judge on Ray: 'ray' joins the one of this machine or starts it, ray://HOST:PORT is a "
            "cluster.",
            "ray[://HOST:PORT]",
            _MANY,
        ),
    ] = ""
    workers: With[
        int | None,
        Option("Processes that judge; by default as many as there is room for.", "N", _MANY),
    ] = None
    worker_cpus: With[int | None, Option("CPUs of each of them; 1 by default.", "N", _MANY)] = None

    def __post_init__(self) -> None:
        if self.engine not in ("", "ray") and not _ADDRESS.fullmatch(self.engine):
            raise InputError(
                f"the engine is ray or ray://HOST:PORT, not '{self.engine}'", field="engine"
            )
        for name, count in (("workers", self.workers), ("worker_cpus", self.worker_cpus)):
            if count is None:
                continue
            words = name.replace("_", " ")
            if count < 1:
                raise InputError(f"the {words} are 1 or more, not {count}", field=name)
            if not self.engine:
                raise InputError(
                    f"the {words} are those of an engine, and none is named", field=name
                )

    @property
    def address(self) -> str:
        """The address of the cluster, with its port; empty where Ray is to find one itself."""
        found = _ADDRESS.fullmatch(self.engine)
        return f"ray://{found['host']}:{found['port'] or CLIENT_PORT}" if found else ""


THIS_PROCESS = EngineChoice()
