"""What is served, and whether it works: detectors, health, readiness, figures, description."""

from typing import Any

import msgspec
from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from assay.service.describing import answers, description
from assay.service.detectors import BusyError
from assay.service.serving import TheService
from assay.web.answers import answer

router = APIRouter()


class StateRecord(msgspec.Struct):
    """The state of the service."""

    state: str


@router.get("/healthz", responses=answers(StateRecord), response_model=None)
async def get_health() -> Response:
    """Tells that the process answers."""
    return answer(StateRecord("alive"))


@router.get("/readyz", responses=answers(StateRecord), response_model=None)
async def get_readiness(service: TheService) -> Response:
    """Tells whether checks are answered now."""
    service.gate.require_room()
    if not service.detectors.is_open:
        raise BusyError("the detectors are being loaded")
    return answer(StateRecord("ready"))


@router.get(
    "/metrics",
    responses={200: {"description": "The figures", "content": {"text/plain": {}}}},
    response_model=None,
)
async def get_metrics(service: TheService) -> Response:
    """All figures, as Prometheus reads them."""
    return Response(service.metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})


@router.get("/openapi.json", responses=answers(dict[str, Any]), response_model=None)
async def get_description(request: Request) -> Response:
    """This description."""
    return answer(description(request.app))
