"""The page for people: paste a source and a response, and see what is said of each sentence."""

import asyncio
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app.rows import text_example
from assay.core.errors import AssayError
from assay.report.pages.page import html_of
from assay.service.admission import client_of
from assay.service.bodies import FORM, CheckBody, read_form, require_type
from assay.service.pages import Start, check_page, start_page
from assay.service.routes.checks import begin, judge_all
from assay.service.serving import RunningService, TheService, unless_left
from assay.web.description import page_described
from assay.web.errors import is_private, status_of

router = APIRouter(include_in_schema=False)


@router.get("/", responses=page_described(), response_model=None)
async def get_start(service: TheService) -> Response:
    """The page with the form."""
    return start_page(_start(service))


@router.post("/", responses=page_described(), response_model=None)
async def post_start(request: Request, service: TheService) -> Response:
    """The page of a check of what was pasted; or the form again, and what is wrong with it."""
    admission, client = service.admission, client_of(request.scope)
    try:
        admission.require_room()
        admission.count(client)
        arriving = admission.stream(client)  # the room is for those who have a key
    except AssayError as error:
        admission.metrics.add_refusal(error.code)
        return _again(request, service, {}, error)
    with arriving:
        filled = await _read(request)
    try:
        admit(request, service, filled.pop("key", ""))
        with admission.room():
            html = await unless_left(request, _checked(request, service, filled))
    except AssayError as error:
        return _again(request, service, filled, error)
    return check_page(html)


async def _read(request: Request) -> dict[str, str]:
    headers = request.headers
    require_type(headers.get("content-type", ""), headers.get("content-encoding", ""), FORM)
    return read_form(await request.body())


def _again(
    request: Request, service: RunningService, filled: dict[str, str], error: AssayError
) -> Response:
    """The form as it was filled in, and what is wrong."""
    if is_private(error):
        raise error
    request.state.error = error.code
    told = error.message[:1].upper() + error.message[1:] + "."
    made = start_page(_start(service), filled, error=told, status=status_of(error))
    if (waits := getattr(error, "retry_after", None)) is not None:
        made.headers["Retry-After"] = str(waits)
    return made


def _start(service: RunningService) -> Start:
    requests = service.detectors.requests
    return Start(
        tuple(requests),
        has_keys=bool(service.admission.keys),
        sends_texts=any(each.detector.capabilities.asks_model for each in requests.values()),
        logs_texts=service.logs_texts,
    )


def admit(request: Request, service: RunningService, key: str) -> None:
    """Lets in whoever has a key, and not too often; their address is counted already."""
    admission = service.admission
    request.state.owner = owner = admission.keys.owner(key) if admission.keys else ""
    if owner:
        admission.count(owner)


async def _checked(request: Request, service: RunningService, filled: dict[str, str]) -> str:
    texts = {name: filled.get(name, "").replace("\r\n", "\n") for name in _TEXTS}
    row = text_example(texts["source"], texts["response"], texts["question"], None)
    asked = CheckBody(list(service.limited([row])), filled.get("detector", ""))
    checking = begin(request, service, asked)
    await judge_all(service, checking, request)
    made = partial(html_of, checking.results, checking.checker.manifest, back="/")
    return await asyncio.to_thread(made)


_TEXTS = ("source", "response", "question")
