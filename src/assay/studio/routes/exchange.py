"""A project as a file, and files into a project.

A file that is sent is written to its end first, so that no database waits for a slow reader.
"""

import re
import shutil
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from tempfile import SpooledTemporaryFile, TemporaryDirectory
from typing import IO, Annotated, Any, BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assay import Columns
from assay.annotation.exchange import export_forms
from assay.annotation.exchange.exports import export_project
from assay.annotation.exchange.imports import import_file, require_importer
from assay.annotation.exchange.new_items import Imported, ImportOptions
from assay.annotation.studio import Person, Purpose, Studio
from assay.studio.dependencies import (
    SignedIn,
    TheStudio,
    in_thread,
    in_threads,
    signed_in_session,
    the_studio,
)
from assay.studio.routing import Slug, described
from assay.web.answers import answer

_CHUNK = 2**18
_IN_MEMORY = 2**20  # bytes; what is longer is on the disk
_writing = ThreadPoolExecutor(2, "exports")  # others wait, and whoever wants a page does not


async def file_answer(
    write: Callable[[], Iterable[bytes]], media_type: str, headers: dict[str, str]
) -> Response:
    """A file as the answer to a request; an error while it is written is raised here."""
    file = await in_threads(_writing, _written, write)
    return _Sent(file, media_type, headers)


def _written(write: Callable[[], Iterable[bytes]]) -> IO[bytes]:
    file = SpooledTemporaryFile(_IN_MEMORY, prefix="assay-export-")  # noqa: SIM115 - who sends it
    try:
        file.writelines(write())
    except BaseException:
        file.close()
        raise
    return file


class _Sent(Response):
    """A file that is deleted when it was sent, or when its reader is gone."""

    def __init__(self, file: IO[bytes], media_type: str, headers: dict[str, str]) -> None:
        length = {"Content-Length": str(file.tell())}
        super().__init__(None, media_type=media_type, headers=headers | length)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it piece by piece."""
        with self._file as file:
            start = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **start})
            file.seek(0)
            while piece := await in_thread(file.read, _CHUNK):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Upload(APIRoute):
    """A route that asks who somebody is, and what they may, before it takes their file."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of requests; that of the base class would read the body first."""
        taking = super().get_route_handler()

        async def asking(request: Request) -> Response:
            session = await signed_in_session(request)
            slug = request.path_params["slug"]
            await in_thread(require_importer, the_studio(request), session.person, slug)
            return await taking(request)

        return asking


router = APIRouter()
FormName = Annotated[export_forms.Form, Query()]
Column = Annotated[str, Form(max_length=200)]
_ODD = re.compile(r"[^\w.-]")
_FILES: dict[str, object] = {
    form.media_type: {"schema": {}} for form in export_forms.EXPORT_FORMS.values()
}


@router.get(
    "/api/projects/{slug}/export",
    response_class=Response,
    responses={**described(Imported), 200: {"description": "The file", "content": _FILES}},
)
async def get_export(
    studio: TheStudio, who: SignedIn, slug: Slug, form: FormName = "jsonl"
) -> Response:
    """The project as a file, without drafts and without what is still annotated blind.

    `Assay-Left-Out` counts the items that nobody has judged, where the form cannot tell that.
    """
    export = await in_thread(export_project, studio, who, slug, form)
    disposition = f"attachment; filename*=utf-8''{quote(export.name)}"
    headers = {"Content-Disposition": disposition, "Assay-Left-Out": str(export.left_out)}
    return await file_answer(export.content, export.media_type, headers)


async def post_import(  # noqa: PLR0913 - what a form says, each by its name
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    file: Annotated[UploadFile, File()],
    purpose: Annotated[Purpose, Form()] = "real",
    again: Annotated[bool, Form()] = False,
    source_column: Column = "",
    response_column: Column = "",
    question_column: Column = "",
) -> Response:
    """Adds the examples of a file, or judgements of them; bad rows are reported."""
    columns = Columns(source_column.strip(), response_column.strip(), question_column.strip())
    options = ImportOptions(_safe_name(file.filename or ""), purpose, again, columns)
    return answer(await in_thread(_import, studio, who, slug, file.file, options))


def _import(
    studio: Studio, who: Person, slug: str, upload: BinaryIO, options: ImportOptions
) -> Imported:
    """Gives an upload a name on the disk for as long as it is read."""
    with TemporaryDirectory(prefix="assay-upload-") as folder:
        path = Path(folder) / options.name
        with path.open("wb") as out:
            shutil.copyfileobj(upload, out, _CHUNK)
        return import_file(studio, who, slug, str(path), options)


def _safe_name(given: str) -> str:
    """The name of an upload without folders; its ending says what is in it."""
    name = _ODD.sub("_", PurePosixPath(given.replace("\\", "/")).name)[-100:].lstrip(".")
    return name or "upload"


router.add_api_route(
    "/api/projects/{slug}/import",
    post_import,
    methods=["POST"],
    responses=described(Imported),
    route_class_override=_Upload,
)
