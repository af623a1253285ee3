"""Files into a project and out of it."""

import re
import shutil
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi import Path as PathParameter
from starlette.responses import Response

from assay import Columns
from assay.app.annotation.exporting import MEDIA_TYPES, export_project
from assay.app.annotation.exporting import Form as ExportForm
from assay.app.annotation.imported import Imported, ImportOptions
from assay.app.annotation.importing import import_file
from assay.app.annotation.studio import Person, Purpose, Studio
from assay.studio.answers import answer, described
from assay.studio.dependencies import SignedIn, TheStudio, in_thread
from assay.studio.files import file_answer

router = APIRouter()
Slug = Annotated[str, PathParameter(max_length=200)]
Column = Annotated[str, Form(max_length=200)]
_CHUNK = 2**20
_ODD = re.compile(r"[^\w.-]")
_FILES: dict[str, object] = {each: {"schema": {}} for each in MEDIA_TYPES}


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


@router.get(
    "/api/projects/{slug}/export",
    response_class=Response,
    responses={**described(Imported), 200: {"description": "The file", "content": _FILES}},
)
async def get_export(
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    form: Annotated[ExportForm, Query()] = "jsonl",
) -> Response:
    """The project as a file, without drafts and without what is still annotated blind.

    `Assay-Left-Out` counts the items that nobody has judged, where the form cannot tell that.
    """
    export = await in_thread(export_project, studio, who, slug, form)
    disposition = f"attachment; filename*=utf-8''{quote(export.name)}"
    headers = {"Content-Disposition": disposition, "Assay-Left-Out": str(export.left_out)}
    return await file_answer(export.content, export.media_type, headers)


def _safe_name(given: str) -> str:
    """The name of an upload without folders; its ending says what is in it."""
    name = _ODD.sub("_", PurePosixPath(given.replace("\\", "/")).name)[-100:].lstrip(".")
    return name or "upload"
