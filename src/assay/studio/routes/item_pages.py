"""The page on which an item is annotated, discussed, reviewed or adjudicated."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse

from assay.app.annotation.annotating import external, items
from assay.app.annotation.studio import Purpose
from assay.studio.answers import page_described
from assay.studio.dependencies import SignedIn, TheStudio, in_thread
from assay.studio.pages import page

router = APIRouter(default_response_class=HTMLResponse)

Slug = Annotated[str, Path(max_length=80)]
Position = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/projects/{slug}/items/{position}", responses=page_described())
async def item_page(
    request: Request,
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    position: Position,
    purpose: Purpose = "real",
) -> HTMLResponse:
    """An item with its two texts; the page fetches the rest from the API."""
    view = await in_thread(items.open_item, studio, who, slug, position, purpose)
    at, kind = view.position, view.purpose
    is_settled = view.stage == "adjudicate"
    place = "Training" if kind != "real" else "Adjudication" if is_settled else ""
    return page(request, "item.html", who, project=slug, place=place, position=at, purpose=kind)


@router.get("/projects/{slug}/adjudication/{position}", responses=page_described())
async def adjudication_page(
    request: Request, studio: TheStudio, who: SignedIn, slug: Slug, position: Position
) -> HTMLResponse:
    """The same page, reached from the queue of items that people differ about."""
    return await item_page(request, studio, who, slug, position)


@router.get("/snapshots/{digest}", responses=page_described())
async def snapshot_page(
    request: Request, studio: TheStudio, who: SignedIn, digest: Annotated[str, Path(max_length=64)]
) -> HTMLResponse:
    """The words of a page from outside, as they were when it was cited."""
    view = await in_thread(external.snapshot, studio, who, digest)
    return page(request, "snapshot.html", who, view=view)
