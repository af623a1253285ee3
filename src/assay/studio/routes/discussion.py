"""Comments on items, and judgements that are held."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.team.discussion import Discussion, Held, add_comment, discussion, hold
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]
Position = Annotated[int, Path(ge=1, le=2**31 - 1)]
WorkId = Annotated[int, Path(ge=1, le=2**31 - 1)]


class NewComment(Body):
    """What somebody says of a unit, or of the item where the unit is empty."""

    text: str = Field(max_length=20_000)
    unit: str = Field("", max_length=80)


@router.get("/api/projects/{slug}/items/{position}/comments", responses=described(Discussion))
async def get_comments(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Position
) -> Response:
    """The comments on an item, and how its discussion stands."""
    return answer(await in_thread(discussion, studio, who, slug, position))


@router.post("/api/projects/{slug}/items/{position}/comments", responses=described(Discussion))
async def post_comment(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Position, body: NewComment
) -> Response:
    """Writes a comment."""
    return answer(
        await in_thread(add_comment, studio, who, slug, position, text=body.text, unit=body.unit)
    )


@router.post("/api/work/{number}/hold", responses=described(Held))
async def post_hold(studio: TheStudio, who: SignedIn, number: WorkId) -> Response:
    """Lets a judgement stand in a discussion."""
    return answer(await in_thread(hold, studio, who, number))
