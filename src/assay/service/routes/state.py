"""The state of the service: detectors, health, readiness, figures, description."""

from typing import Any

import msgspec
from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from assay.service.describing import answers, description
from assay.service.detectors import ServedDetector
from assay.service.serving import TheService
from assay.web.answers import answer

router = APIRouter()


class StateRecord(msgspec.Struct):
    """The state of the service."""

    state: str


class DetectorRecord(msgspec.Struct):
    """A detector that is served: the units it judges, its labels from low to high, what it is."""

    name: str
    default: bool
    unit: str
    taxonomy: str
    labels: list[str]
    summary: str


class DetectorsRecord(msgspec.Struct):
    """The detectors that are served, the default first."""

    detectors: list[DetectorRecord]


@router.get("/v1/detectors", responses=answers(DetectorsRecord), response_model=None)
async def get_detectors(service: TheService) -> Response:
    """Lists the detectors that a request may name."""
    return answer(DetectorsRecord(list(map(_record, service.detectors.lines()))))


def _record(line: ServedDetector) -> DetectorRecord:
    return DetectorRecord(
        line.name, line.is_default, line.unit, line.taxonomy, list(line.labels), line.summary
    )


@router.get("/healthz", responses=answers(StateRecord), response_model=None)
async def get_health() -> Response:
    """Tells that the process answers."""
    return answer(StateRecord("alive"))


@router.get("/readyz", responses=answers(StateRecord), response_model=None)
async def get_readiness(service: TheService) -> Response:
    """Tells whether checks are answered now."""
    service.admission.require_room()
    service.detectors.require_open()
    await service.jobs.require_reachable()
    return answer(StateRecord("ready"))


@router.get(
    "/metrics",
    responses={200: {"description": "The figures", "content": {"text/plain": {}}}},
    response_model=None,
)
async def get_metrics(service: TheService) -> Response:
    """All figures, as Prometheus reads them."""
    figures = await service.jobs.do(service.metrics.text)  # the jobs are counted for it
    return Response(figures, headers={"Content-Type": CONTENT_TYPE_LATEST})


@router.get("/openapi.json", responses=answers(dict[str, Any]), response_model=None)
async def get_description(request: Request) -> Response:
    """This description."""
    return answer(description(request.app))
