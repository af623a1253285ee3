"""Long checks as jobs: accepted, watched, read, cancelled, removed."""

import asyncio
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from assay.app.jobs import Job
from assay.core.codec import encode
from assay.core.errors import AssayError, InputError
from assay.core.problems import Unread
from assay.core.wire import AcceptedRecord, DocumentRecord, JobRecord
from assay.service.bodies import (
    JSON,
    LINES,
    CheckBody,
    read_body,
    read_lines,
    require_type,
    split_lines,
)
from assay.service.checks import problem_record
from assay.service.describing import answers, body_of_check, lines_described
from assay.service.job_results import document_of, lines_of
from assay.service.serving import RunningService, TheService
from assay.web.answers import ErrorAnswer, ErrorRecord, answer

router = APIRouter()
Id = Annotated[str, Path(max_length=64, description="The id of a job.")]
EVENTS = "text/event-stream"
_IN_MEMORY = 2**20  # bytes of a body, before it goes to a file
_LOOK = 0.5  # seconds between two looks at a job
_BEAT = 15.0  # seconds after which a line tells that the connection is alive


class JobsRecord(msgspec.Struct):
    """The latest jobs, the newest first."""

    jobs: list[JobRecord]


@router.post(
    "/v1/jobs",
    status_code=202,
    responses=answers(AcceptedRecord, 408, 413, 415, 422, status=202),
    openapi_extra=body_of_check(LINES),
    response_model=None,
)
async def post_job(
    request: Request,
    service: TheService,
    detector: Annotated[str, Query(max_length=200, description="For lines: who judges.")] = "",
    language: Annotated[str, Query(max_length=40, description="For lines: their language.")] = "",
) -> Response:
    """Accepts a long check; once this answers, the job is kept whatever happens to the service.

    The body is that of a check, or lines of JSON with one example each.
    """
    headers = request.headers
    kind = require_type(
        headers.get("content-type", ""), headers.get("content-encoding", ""), JSON, LINES
    )
    with SpooledTemporaryFile(_IN_MEMORY) as spool:
        async for chunk in request.stream():
            spool.write(chunk)
        spool.seek(0)
        if kind == LINES:
            job, unread = await _submit_lines(request, service, spool, detector, language)
        else:
            job, unread = await _submit_body(request, service, spool, detector)
    request.state.job = job.id
    made = answer(accepted(job, unread), status=202)
    made.headers["Location"] = f"/v1/jobs/{job.id}"
    return made


async def _submit_lines(
    request: Request, service: RunningService, spool: IO[bytes], detector: str, language: str
) -> tuple[Job, Unread]:
    rows = service.limited_for_job(read_lines(split_lines(spool, service.limits.body), language))
    chosen = service.detectors.choose(detector)
    return await service.jobs.submit(rows, chosen, owner_of(request))


async def _submit_body(
    request: Request, service: RunningService, spool: IO[bytes], detector: str
) -> tuple[Job, Unread]:
    def read() -> CheckBody:
        return read_body(spool.read(), service.limited_for_job)

    asked = await service.jobs.do(read)
    if not asked.rows:
        raise InputError("there are no examples", field="examples")
    chosen = service.detectors.choose(asked.detector or detector)
    return await service.jobs.submit(asked.rows, chosen, owner_of(request))


@router.get("/v1/jobs", responses=answers(JobsRecord, 422), response_model=None)
async def get_jobs(
    request: Request,
    service: TheService,
    most: Annotated[int, Query(ge=1, le=1000, description="The most jobs to list.")] = 100,
) -> Response:
    """Lists the latest jobs of the key, the newest first."""
    found = await service.jobs.list(owner_of(request), most)
    return answer(JobsRecord(list(map(recorded, found))))


@router.get("/v1/jobs/{id}", responses=answers(JobRecord, 404, 422), response_model=None)
async def get_job(request: Request, service: TheService, id: Id) -> Response:
    """Tells how far a job is."""
    return answer(recorded(await service.jobs.find(id, owner_of(request))))


@router.get(
    "/v1/jobs/{id}/events",
    responses=answers(str, 404, 422, form=EVENTS),
    response_model=None,
)
async def get_events(request: Request, service: TheService, id: Id) -> Response:
    """Tells how far a job is whenever it gets further, as server-sent events.

    Events are called `progress`, and the last one `end`; the data of each is the job.
    """
    job = await service.jobs.find(id, owner_of(request))
    return StreamingResponse(_events(service, job), media_type=EVENTS)


async def _events(service: RunningService, job: Job) -> AsyncIterator[bytes]:
    clock = asyncio.get_running_loop().time
    told, at = None, clock()
    try:
        while True:
            if job != told:
                yield _event("end" if job.has_ended else "progress", recorded(job))
                told, at = job, clock()
            if job.has_ended or service.admission.is_closing:
                return
            if clock() - at > _BEAT:
                yield b": the job goes on\n\n"
                at = clock()
            await asyncio.sleep(_LOOK)
            job = await service.jobs.find(job.id, job.owner)
    except AssayError as error:  # it was removed, or the place of the jobs is out of reach
        yield _event("error", ErrorAnswer(ErrorRecord(error.code, _plain(error), error.field)))


def _plain(error: AssayError) -> str:
    return error.message if isinstance(error, InputError) else "the job cannot be read now"


def _event(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), encode(data))


@router.get(
    "/v1/jobs/{id}/results",
    responses=lines_described(answers(DocumentRecord, 404, 409, 422)),
    response_model=None,
)
async def get_results(
    request: Request,
    service: TheService,
    id: Id,
    after: Annotated[
        int, Query(ge=-1, le=2**31 - 1, description="Only those after this position.")
    ] = -1,
    most: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="The most results to give.")
    ] = None,
) -> Response:
    """Gives the results that are there, in order, while the job runs and after its end.

    With `Accept: application/json` they are a document. Otherwise each is a line; the last line
    tells how far the job is, and as `after` the position of the last result.
    """
    owner = owner_of(request)
    job = await service.jobs.find(id, owner)
    manifest = await service.manifest(job)
    unread = await service.jobs.unread(id, owner)
    results = service.jobs.results(id, owner, after, most)
    wanted = request.headers.get("accept", "")
    if JSON in wanted and LINES not in wanted:
        return StreamingResponse(document_of(job, manifest, results, unread), media_type=JSON)
    return StreamingResponse(lines_of(job, manifest, results, unread, after), media_type=LINES)


@router.post("/v1/jobs/{id}/cancel", responses=answers(JobRecord, 404, 422), response_model=None)
async def cancel_job(request: Request, service: TheService, id: Id) -> Response:
    """Ends a job that waits at once, and one that runs soon; what was judged stays."""
    return answer(recorded(await service.jobs.cancel(id, owner_of(request))))


@router.delete(
    "/v1/jobs/{id}",
    status_code=204,
    responses={**answers(str, 404, 409, 422), 204: {"description": "It is gone"}},
    response_model=None,
)
async def delete_job(request: Request, service: TheService, id: Id) -> Response:
    """Removes a job with its texts and its results; one that runs has to be cancelled first."""
    await service.jobs.remove(id, owner_of(request))
    return Response(status_code=204)


def owner_of(request: Request) -> str:
    """The name of the key that the request carries."""
    return str(request.state.owner)


def recorded(job: Job) -> JobRecord:
    """A job as it is shown."""
    return JobRecord(*(getattr(job, name) for name in JobRecord.__struct_fields__))


def accepted(job: Job, unread: Unread) -> AcceptedRecord:
    """A new job as it is shown."""
    said = msgspec.structs.asdict(recorded(job))
    return AcceptedRecord(**said, problems=list(map(problem_record, unread.first)))
