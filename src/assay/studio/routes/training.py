"""Training examples and the quiz."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from assay.app.annotation.team.exercises import add_shipped
from assay.app.annotation.team.training import Training, begin_quiz, begin_training, training
from assay.studio.answers import answer, described
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]


@router.get("/api/projects/{slug}/training", responses=described(Training))
async def get_training(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """Where somebody stands with training and quiz."""
    return answer(await in_thread(training, studio, who, slug))


@router.post("/api/projects/{slug}/training", responses=described(Training))
async def post_training(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """Begins the training, or gives what was added to it since."""
    return answer(await in_thread(begin_training, studio, who, slug))


@router.post("/api/projects/{slug}/quiz", responses=described(Training))
async def post_quiz(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """Begins the quiz, or another attempt at it."""
    return answer(await in_thread(begin_quiz, studio, who, slug))


@router.post("/api/projects/{slug}/training/shipped", responses=described(dict[str, int]))
async def post_shipped(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """Gives a project the training and the quiz that come with Assay."""
    return answer(await in_thread(add_shipped, studio, who, slug))
