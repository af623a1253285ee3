"""Checks that are answered at once, as a document or line by line."""

import asyncio
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from assay import Result
from assay.core.errors import AssayError, InputError
from assay.core.wire import DocumentRecord
from assay.service.bodies import JSON, LINES, CheckBody, read_body, require_type
from assay.service.checks import CheckUnderWay
from assay.service.describing import answers, body_of_check, lines_described
from assay.service.serving import RunningService, TheService, unless_left

router = APIRouter()
_LARGE = 2**16  # bytes of a body from which it is read, and its answer written, in a thread


@router.post(
    "/v1/check",
    responses=lines_described(answers(DocumentRecord, 408, 413, 415, 422)),
    openapi_extra=body_of_check(),
    response_model=None,
)
async def post_check(request: Request, service: TheService) -> Response:
    """Judges one example, or several, by their sources.

    The answer is the document that `assay check --json` prints. With `Accept:
    application/x-ndjson` it has a line for each result, as soon as it is there, and a last one
    that tells how it ended.
    """
    asked, is_large = await read_check(request, service)
    checking = begin(request, service, asked)
    if LINES in request.headers.get("accept", ""):
        return await _streamed(request, service, checking)
    await unless_left(request, judge_all(service, checking, request))
    make = checking.document
    return Response(await asyncio.to_thread(make) if is_large else make(), media_type=JSON)


async def read_check(request: Request, service: RunningService) -> tuple[CheckBody, bool]:
    """The rows of a request, and True if it is a large one."""
    headers = request.headers
    require_type(headers.get("content-type", ""), headers.get("content-encoding", ""), JSON)
    body = await request.body()
    if len(body) > _LARGE:
        return await asyncio.to_thread(read_body, body, service.limited), True
    return read_body(body, service.limited), False


def begin(request: Request, service: RunningService, asked: CheckBody) -> CheckUnderWay:
    """A check of what is asked, if it is within the limits."""
    detector = service.detectors.choose(asked.detector)
    rows, most = len(asked.rows), service.limits.examples
    if not rows:
        raise InputError("there are no examples", field="examples")
    if rows > most:
        message = f"{rows:,} examples, of up to {most:,} in one check; send them as a job"
        raise InputError(message, field="examples", code="too-large")
    problems = len(asked.problems)
    request.state.detector, request.state.examples = detector, rows
    request.state.problems = problems or None
    if service.logs_texts:
        request.state.texts = [
            {"source": each.source.text, "response": each.response.text} for each in asked.examples
        ]
    service.metrics.add_problems(detector, problems)
    end = asyncio.get_running_loop().time() + service.limits.seconds
    return CheckUnderWay(service.detectors.checker(detector), asked, end)


async def judge_all(service: RunningService, checking: CheckUnderWay, request: Request) -> None:
    """Judges to the end."""
    async for result in checking.judge():
        service.metrics.add_result(request.state.detector, result)


async def _streamed(
    request: Request, service: RunningService, checking: CheckUnderWay
) -> StreamingResponse:
    """The results line by line; an error before the first of them is an answer of its own."""
    results = checking.judge()
    first = await unless_left(request, _following(results))

    async def lines() -> AsyncIterator[bytes]:
        result = first
        try:
            while result is not None:
                service.metrics.add_result(request.state.detector, result)
                yield result.to_json() + b"\n"
                result = await _following(results)
        except AssayError as error:
            checking.state, checking.message = "stopped", error.message
        finally:
            await results.aclose()  # type: ignore[attr-defined]
        yield checking.last_line()

    return StreamingResponse(lines(), media_type=LINES)


async def _following(results: AsyncIterator[Result]) -> Result | None:
    return await anext(results, None)
