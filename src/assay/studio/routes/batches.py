"""Batches: items given out to annotators."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.team.batches import Batch, BatchRequest, give_out, list_batches
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]


class BatchesWanted(Body):
    """How items are given out; without names all annotators of the project take part."""

    size: int = Field(ge=1, le=10_000)
    k: int | None = Field(None, ge=1, le=9)
    annotators: list[str] = Field(default=[], max_length=1000)
    seed: int = Field(0, ge=0, le=2**53 - 1)
    per_batch: bool = False


@router.get("/api/projects/{slug}/batches", responses=described(list[Batch]))
async def get_batches(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """The batches of a project and how far they are."""
    return answer(await in_thread(list_batches, studio, who, slug))


@router.post("/api/projects/{slug}/batches", responses=described(list[Batch]))
async def post_batches(
    studio: TheStudio, who: SignedIn, slug: Slug, body: BatchesWanted
) -> Response:
    """Gives out the items that nobody has."""
    wish = BatchRequest(body.size, body.k, tuple(body.annotators), body.seed, body.per_batch)
    return answer(await in_thread(give_out, studio, who, slug, wish))
