"""A project as a file."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from assay.app.annotation.exchange.exporting import MEDIA_TYPES, Form, export_project
from assay.app.annotation.exchange.imported import Imported
from assay.studio.answers import described
from assay.studio.dependencies import SignedIn, TheStudio, in_thread
from assay.studio.files import file_answer

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]
_FILES: dict[str, object] = {each: {"schema": {}} for each in MEDIA_TYPES}


@router.get(
    "/api/projects/{slug}/export",
    response_class=Response,
    responses={**described(Imported), 200: {"description": "The file", "content": _FILES}},
)
async def get_export(
    studio: TheStudio, who: SignedIn, slug: Slug, form: Annotated[Form, Query()] = "jsonl"
) -> Response:
    """The project as a file, without drafts and without what is still annotated blind.

    `Assay-Left-Out` counts the items that nobody has judged, where the form cannot tell that.
    """
    export = await in_thread(export_project, studio, who, slug, form)
    disposition = f"attachment; filename*=utf-8''{quote(export.name)}"
    headers = {"Content-Disposition": disposition, "Assay-Left-Out": str(export.left_out)}
    return await file_answer(export.content, export.media_type, headers)
