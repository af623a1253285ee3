"""Detectors that judge the items of a project."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.exchange.judging import Judging, ProjectDetectors, project_detectors
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]


class DetectorWanted(Body):
    """The detector that is to judge the items."""

    name: str = Field(min_length=1, max_length=100)


def the_judging(request: Request, studio: TheStudio) -> Judging:
    """Who has detectors judge, once for the whole application."""
    state = request.app.state
    if not hasattr(state, "judging"):
        state.judging = Judging(studio)
    judging: Judging = state.judging
    return judging


@router.get("/api/projects/{slug}/detectors", responses=described(ProjectDetectors))
async def get_project_detectors(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """How far the detectors of a project are, and which can be asked."""
    return answer(await in_thread(project_detectors, studio, who, slug))


@router.post("/api/projects/{slug}/detectors", responses=described(ProjectDetectors))
async def post_detector(
    request: Request, studio: TheStudio, who: SignedIn, slug: Slug, body: DetectorWanted
) -> Response:
    """Has a detector that needs no model judge the items, in the background."""
    judging = the_judging(request, studio)
    return answer(await in_thread(judging.ask, who, slug, body.name))
