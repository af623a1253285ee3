"""Files into a project."""

import re
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi import Path as PathParameter
from fastapi.routing import APIRoute
from starlette.responses import Response

from assay import Columns
from assay.app.annotation.exchange.imported import Imported, ImportOptions
from assay.app.annotation.exchange.importing import import_file, require_importer
from assay.app.annotation.studio import Person, Purpose, Studio
from assay.studio.answers import answer, described
from assay.studio.dependencies import (
    SignedIn,
    TheStudio,
    in_thread,
    signed_in_session,
    the_studio,
)


class _Upload(APIRoute):
    """A route that asks who somebody is, and what they may, before it takes their file."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request; the handler of the class above reads the body first of all."""
        taking = super().get_route_handler()

        async def asking(request: Request) -> Response:
            session = await signed_in_session(request)
            slug = request.path_params["slug"]
            await in_thread(require_importer, the_studio(request), session.person, slug)
            return await taking(request)

        return asking


router = APIRouter(route_class=_Upload)
Slug = Annotated[str, PathParameter(max_length=200)]
Column = Annotated[str, Form(max_length=200)]
_CHUNK = 2**20
_ODD = re.compile(r"[^\w.-]")


@router.post("/api/projects/{slug}/import", responses=described(Imported))
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
    """Adds the examples of a file, or what detectors say of them; bad rows are told."""
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
