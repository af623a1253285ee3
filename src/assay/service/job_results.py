"""The results of a job, as they are read: lines, or a document."""

import io
from collections.abc import AsyncIterator

from assay import Manifest, __version__
from assay.app.jobs import Job
from assay.core.codec import DocumentWriter
from assay.core.errors import AssayError
from assay.core.problems import Unread
from assay.core.records import manifest_record
from assay.core.wire import SCHEMA, CountsRecord, EndingRecord, EndRecord, EndState
from assay.service.checks import end_line, problem_record

Lines = AsyncIterator[tuple[int, bytes]]

_STATES: dict[str, EndState] = {
    "queued": "new",
    "running": "running",
    "done": "complete",
    "failed": "stopped",
    "cancelled": "interrupted",
}


async def lines_of(
    job: Job, manifest: Manifest, results: Lines, unread: Unread, after: int
) -> AsyncIterator[bytes]:
    """A line for each result, and one that tells how far the job was when they were asked for."""
    count, ending = 0, ending_of(job)
    try:
        async for position, line in results:
            after, count = position, count + 1
            yield line + b"\n"
    except AssayError:  # the place of the jobs is out of reach
        ending = EndingRecord("stopped", "the other results cannot be read now")
    yield end_line(
        EndRecord(
            SCHEMA,
            __version__,
            manifest_record(manifest),
            list(map(problem_record, unread.first)),
            ending,
            CountsRecord(job.examples + unread.count, count, unread.count),
            after,
        )
    )


async def document_of(
    job: Job, manifest: Manifest, results: Lines, unread: Unread
) -> AsyncIterator[bytes]:
    """The document, piece by piece."""
    stream = io.StringIO()
    writer = DocumentWriter(stream, manifest, __version__)
    async for _, line in results:
        writer.add(line)
        yield _taken(stream)
    for problem in unread.first:
        writer.add_problem(problem.where, problem.message)
    ending = ending_of(job)
    writer.end(ending.state, ending.message)
    writer.close()
    yield _taken(stream)


def ending_of(job: Job) -> EndingRecord:
    """The state of a job as documents have it."""
    state: EndState = "budget" if job.code == "budget" else _STATES[job.state]
    return EndingRecord(state, job.error)


def _taken(stream: io.StringIO) -> bytes:
    """The text written so far, which is not kept."""
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text.encode()
