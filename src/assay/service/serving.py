"""What the routes of a running service share, found in the state of the application."""

import asyncio
from collections.abc import Awaitable
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect

from assay.service.detectors import ServedDetectors
from assay.service.gate import Gate
from assay.service.metrics import ServiceMetrics
from assay.service.request import ServiceLimits

T = TypeVar("T")


class Service:
    """A running service: its detectors, its gate, its figures and its limits."""

    def __init__(
        self,
        detectors: ServedDetectors,
        gate: Gate,
        metrics: ServiceMetrics,
        limits: ServiceLimits,
        *,
        logs_texts: bool = False,
    ) -> None:
        self.detectors = detectors
        self.gate = gate
        self.metrics = metrics
        self.limits = limits
        self.logs_texts = logs_texts


async def _service(request: Request) -> Service:
    return cast(Service, request.app.state.service)


TheService = Annotated[Service, Depends(_service)]


async def unless_left(request: Request, work: Awaitable[T]) -> T:
    """The result of some work; if the client leaves before, the work is cancelled.

    The body has to be read already, since whatever comes after it is taken to be the end.
    """
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect
    finally:
        for each in (task, leaving):
            each.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)
