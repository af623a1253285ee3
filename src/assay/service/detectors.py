"""The detectors that are served: opened once, while the service already answers that it waits."""

import asyncio
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial

from assay import CheckRequest
from assay.app.checker import Checker
from assay.core.errors import AssayError, UnknownNameError
from assay.service.metrics import ServiceMetrics

_GRACE = 1.0  # seconds for a batch that nobody waits for any more


class BusyError(AssayError):
    """The service cannot do it now; `retry_after` is the number of seconds to wait."""

    code = "busy"

    def __init__(self, message: str, retry_after: int = 1, *, code: str = "") -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class ServedDetector:
    """The facts about a detector that clients may know; `labels` go from low to high."""

    name: str
    is_default: bool
    unit: str
    taxonomy: str
    labels: tuple[str, ...]
    summary: str


class ServedDetectors:
    """The detectors by name; clients choose among these, and the first is the default."""

    def __init__(self, requests: Mapping[str, CheckRequest], metrics: ServiceMetrics) -> None:
        self.requests = dict(requests)
        self._metrics = metrics
        self.checkers: dict[str, Checker] = {}  # once they are loaded
        self.default = next(iter(requests))
        self.is_open = False
        self._opened = AsyncExitStack()
        self._loading = ThreadPoolExecutor(1, "loading")  # which an end need not wait for

    async def open(self) -> None:
        """Loads the models and opens the clients."""
        for name, request in self.requests.items():
            on_batch = partial(self._metrics.add_batch, name)
            make = partial(Checker, request, on_batch)  # which may load a model
            checker = await asyncio.get_running_loop().run_in_executor(self._loading, make)
            self.checkers[name] = await self._opened.enter_async_context(checker)
        self.is_open = True

    async def close(self) -> None:
        """Closes them all; a batch that takes long is not waited for."""
        self.is_open = False
        self._loading.shutdown(wait=False)
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                await self._opened.aclose()

    def choose(self, name: str) -> str:
        """The name of a detector that is served; an empty one is the default."""
        if name and name not in self.requests:
            raise UnknownNameError("detector", name[:100], self.requests, field="detector")
        return name or self.default

    def require_open(self) -> None:
        """Raises while the models are loaded."""
        if not self.is_open:
            raise BusyError("the detectors are being loaded")

    def checker(self, name: str) -> Checker:
        """An opened detector; while the models are loaded, there is none."""
        chosen = self.choose(name)
        self.require_open()
        return self.checkers[chosen]

    def lines(self) -> Iterator[ServedDetector]:
        """The facts about each detector."""
        for name, request in self.requests.items():
            can = request.detector.capabilities
            yield ServedDetector(
                name,
                name == self.default,
                can.unit_kind,
                can.taxonomy.name,
                can.taxonomy.names,
                request.detector.type.summary,
            )
