"""The board of a project."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from assay.app.annotation.figures.boards import Board, board
from assay.studio.answers import answer, described
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()


@router.get("/api/projects/{slug}/board", responses=described(Board))
async def get_board(
    studio: TheStudio, who: SignedIn, slug: Annotated[str, Path(max_length=200)]
) -> Response:
    """Progress, time, agreement, disagreements and labels by model."""
    return answer(await in_thread(board, studio, who, slug))
