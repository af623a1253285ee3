"""The queue of items that people differ about, and each of them in full."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.team.adjudication import Case, DisputeQueue, Taken, case, queue, take
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]
Position = Annotated[int, Path(ge=1, le=2**31 - 1)]


class Beginning(Body):
    """Whose judgement an adjudication begins with; empty for what all agree on."""

    author: str = Field("", max_length=200)


@router.get("/api/projects/{slug}/adjudication", responses=described(DisputeQueue))
async def get_queue(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """The items that wait for an adjudicator."""
    return answer(await in_thread(queue, studio, who, slug))


@router.get("/api/projects/{slug}/adjudication/{position}", responses=described(Case))
async def get_case(studio: TheStudio, who: SignedIn, slug: Slug, position: Position) -> Response:
    """Everything that was said of an item."""
    return answer(await in_thread(case, studio, who, slug, position))


@router.post("/api/projects/{slug}/adjudication/{position}", responses=described(Taken))
async def post_case(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Position, body: Beginning
) -> Response:
    """Begins an adjudication, or goes on with one."""
    return answer(await in_thread(take, studio, who, slug, position, body.author))
