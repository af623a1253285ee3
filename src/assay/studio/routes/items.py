"""Items as annotators see them: texts, related passages, detectors, outside evidence, history."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from assay.app.annotation.annotating import items
from assay.app.annotation.annotating.external import Kept, SnapshotView, keep_external, snapshot
from assay.app.annotation.annotating.guide import Guide, guide
from assay.app.annotation.annotating.history import MOST, History, item_history, project_history
from assay.app.annotation.annotating.item_list import MOST as MOST_ITEMS
from assay.app.annotation.annotating.item_list import ItemChoice, ItemList, WorkState, list_items
from assay.app.annotation.annotating.related import Looking, Related, Selection, related
from assay.app.annotation.annotating.views import DetectorView, ItemView, NextItem
from assay.app.annotation.studio import ItemState, Purpose
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
LARGEST = 2**31 - 1  # of the numbers that every database keeps

Slug = Annotated[str, Path(max_length=80)]
Position = Annotated[int, Path(ge=1, le=LARGEST)]
Place = Annotated[int | None, Query(ge=0, le=LARGEST)]

# A page may take seconds to come; nobody else waits for it.
_fetching = ThreadPoolExecutor(4, "fetching")


class Link(Body):
    """A page that somebody wants to cite."""

    address: str


class Wish(Body):
    """The kind of work that somebody wants to go on with; empty for whatever comes next."""

    stage: items.WorkStage | Literal[""] = ""


def the_looking(request: Request, studio: TheStudio) -> Looking:
    """Who works out where the network looks in an item, once for the whole application."""
    state = request.app.state
    if not hasattr(state, "looking"):
        state.looking = Looking(studio)
    looking: Looking = state.looking
    return looking


@router.post("/api/projects/{slug}/next", responses=described(NextItem))
async def post_next(
    studio: TheStudio, who: SignedIn, slug: Slug, body: Wish | None = None
) -> Response:
    """Gives whoever asks their next item, of one stage where they name it."""
    stage = body.stage if body else ""
    return answer(await in_thread(items.next_item, studio, who, slug, stage))


@router.get("/api/projects/{slug}/guide", responses=described(Guide))
async def get_guide(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """Labels, questions, examples and guidelines."""
    return answer(await in_thread(guide, studio, who, slug))


@router.get("/api/projects/{slug}/items", responses=described(ItemList))
async def get_items(  # noqa: PLR0913 - the parameters of the request
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    stage: items.WorkStage | None = None,
    state: WorkState | None = None,
    item_state: ItemState | None = None,
    skip: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    most: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 100,
) -> Response:
    """The items that one has work on, and how far that is; seniors also have those to look at.

    `stage` and `state` are those of one's own work, `item_state` is that of the item.
    """
    choice = ItemChoice(stage, state, item_state, skip, most)
    return answer(await in_thread(list_items, studio, who, slug, choice))


@router.get("/api/projects/{slug}/items/{position}", responses=described(ItemView))
async def get_item(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Position, purpose: Purpose = "real"
) -> Response:
    """An item with one's own work on it, which begins with the first look."""
    return answer(await in_thread(items.open_item, studio, who, slug, position, purpose))


@router.get("/api/projects/{slug}/items/{position}/related", responses=described(list[Related]))
async def get_related(  # noqa: PLR0913 - the parameters of the request
    request: Request,
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    position: Position,
    unit: Annotated[str, Query(max_length=80)] = "",
    start: Place = None,
    end: Place = None,
    purpose: Purpose = "real",
) -> Response:
    """The passages of the source that matter for a unit, or for a stretch of the response."""
    found = await in_thread(
        related,
        studio,
        who,
        (slug, position, purpose),
        Selection(unit, start, end),
        looking=the_looking(request, studio),
    )
    return answer(found)


@router.get(
    "/api/projects/{slug}/items/{position}/detectors", responses=described(list[DetectorView])
)
async def get_detectors(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Position, purpose: Purpose = "real"
) -> Response:
    """What detectors say of an item, where the project shows it."""
    return answer(await in_thread(items.detectors, studio, who, slug, position, purpose))


@router.post("/api/projects/{slug}/items/{position}/external", responses=described(Kept))
async def post_external(  # noqa: PLR0913 - the parameters of the request
    request: Request,
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    position: Position,
    body: Link,
    purpose: Purpose = "real",
) -> Response:
    """Keeps a snapshot of a page from outside, to be cited."""
    state = request.app.state
    options = {"allow": state.allow_address} if hasattr(state, "allow_address") else {}
    place = (slug, position, purpose)
    keep = partial(keep_external, studio, who, place, body.address, **options)
    return answer(await asyncio.get_running_loop().run_in_executor(_fetching, keep))


@router.get("/api/snapshots/{digest}", responses=described(SnapshotView))
async def get_snapshot(
    studio: TheStudio, who: SignedIn, digest: Annotated[str, Path(max_length=64)]
) -> Response:
    """The words of a page as they were when it was cited."""
    return answer(await in_thread(snapshot, studio, who, digest))


@router.get("/api/projects/{slug}/history", responses=described(History))
async def get_history(
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    item: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    skip: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    most: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> Response:
    """What happened to an item, or in the whole project."""
    if item is not None:
        return answer(await in_thread(item_history, studio, who, slug, item))
    return answer(await in_thread(project_history, studio, who, slug, skip=skip, most=most))
