"""The application: all routes behind one admission and one guard."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module

from fastapi import FastAPI
from starlette.datastructures import Headers

from assay.app.jobs import Jobs
from assay.service.admission import Admission, Admitted
from assay.service.bodies import LINES
from assay.service.detectors import ServedDetectors
from assay.service.errors import ServiceFailures
from assay.service.jobs import ServedJobs
from assay.service.keys import Keys
from assay.service.metrics import ServiceMetrics
from assay.service.observing import Observed
from assay.service.request import ServeRequest, ServiceLimits
from assay.service.routes import ROUTERS
from assay.service.serving import RunningService
from assay.web.errors import add_handlers
from assay.web.guard import MEBIBYTE, Entrance, RequestGuard

PLACE = "ASSAY_JOBS"
_USUAL_PLACE = "assay-jobs"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def create_service(request: ServeRequest, keys: Keys) -> FastAPI:
    """The web application of a service; what is wrong with the request raises."""
    limits, metrics = request.limits, ServiceMetrics()
    detectors = ServedDetectors(request.detectors.requests(), metrics)
    admission = Admission(keys, limits, metrics)
    app = FastAPI(
        title="Assay service",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_running,
    )
    place = request.store or os.environ.get(PLACE) or _USUAL_PLACE
    jobs = ServedJobs(
        Jobs(place, detectors.requests, workers=request.workers),
        most=limits.queue,
        keep_days=request.keep_jobs,
    )
    metrics.watch("jobs", "Jobs that are kept.", "state", jobs.counts)
    app.state.service = RunningService(detectors, jobs, admission, metrics, request)
    routers = [import_module(f"assay.service.routes.{name}").router for name in ROUTERS]
    for router in routers:
        app.include_router(router)
    app.state.routes = [route for router in routers for route in router.routes]
    failures = ServiceFailures()
    add_handlers(app, failures)
    entrance = Entrance(
        "the service",
        request.public_name,
        _POLICY,
        _limit(limits),
        failures,
        needs_origin=False,
        seconds=limits.upload_seconds,
    )
    app.add_middleware(Admitted, admission=admission, failures=failures)
    app.add_middleware(RequestGuard, entrance=entrance)
    app.add_middleware(Observed, metrics=metrics)
    return app


def _limit(limits: ServiceLimits) -> Callable[[str, Headers], int]:
    def limit(path: str, headers: Headers) -> int:
        are_lines = headers.get("content-type", "").lower().startswith(LINES)
        most = limits.job_body if path == "/v1/jobs" and are_lines else limits.body
        return most * MEBIBYTE

    return limit


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """Opens everything while requests are answered already, and closes it at the end."""
    service: RunningService = app.state.service
    opening = asyncio.create_task(service.open())
    try:
        yield
    finally:
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        await service.close()
