"""Items as annotators see them: texts, passages, detectors, evidence, comments, adjudication."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field

from assay.annotation.items import item_view, work_queue
from assay.annotation.items.guide import Guide, guide
from assay.annotation.items.history import MOST, History, item_history, project_history
from assay.annotation.items.item_view import DetectorView, ItemView
from assay.annotation.items.related import Related, Selection, related
from assay.annotation.items.snapshots import KeptLink, SnapshotView, keep_external, snapshot
from assay.annotation.items.work_queue import MOST as MOST_ITEMS
from assay.annotation.items.work_queue import ItemChoice, ItemList, NextItem, WorkState, list_items
from assay.annotation.studio import ItemState, Purpose
from assay.annotation.team.adjudication import DisputeQueue, ItemCase, Taken, case, queue, take
from assay.annotation.team.discussion import Discussion, add_comment, discussion
from assay.studio.dependencies import SignedIn, TheStudio, in_threads
from assay.studio.routing import LARGEST, Body, Digest, Number, Slug, api

router = APIRouter()
Place = Annotated[int | None, Query(ge=0, le=LARGEST)]
Skip = Annotated[int, Query(ge=0, le=LARGEST)]
_ITEM = "/api/projects/{slug}/items/{position}"
_CASE = "/api/projects/{slug}/adjudication/{position}"

# A page may take seconds to come; nobody else waits for it.
_fetching = ThreadPoolExecutor(4, "fetching")


class CitedPage(Body):
    """A page that somebody wants to cite."""

    address: str


class Wish(Body):
    """The kind of work that somebody wants to go on with; empty for whatever comes next."""

    stage: work_queue.WorkStage | Literal[""] = ""


class NewComment(Body):
    """A comment on a unit, or on the item if the unit is empty."""

    text: str = Field(max_length=20_000)
    unit: str = Field("", max_length=80)


class Beginning(Body):
    """The author whose judgement an adjudication begins with; empty for what all agree on."""

    author: str = Field("", max_length=200)


@api(router, "POST", "/api/projects/{slug}/next")
def post_next(studio: TheStudio, who: SignedIn, slug: Slug, body: Wish | None = None) -> NextItem:
    """Gives whoever asks their next item, of one stage where they name it."""
    return work_queue.next_item(studio, who, slug, body.stage if body else "")


@api(router, "GET", "/api/projects/{slug}/guide")
def get_guide(studio: TheStudio, who: SignedIn, slug: Slug) -> Guide:
    """Labels, questions, examples and guidelines."""
    return guide(studio, who, slug)


@api(router, "GET", "/api/projects/{slug}/items")
def get_items(  # noqa: PLR0913 - the parameters of the request
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    stage: work_queue.WorkStage | None = None,
    state: WorkState | None = None,
    item_state: ItemState | None = None,
    skip: Skip = 0,
    most: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 100,
) -> ItemList:
    """The items that one has work on, and how far that is; seniors also have those to look at.

    `stage` and `state` are those of one's own work, `item_state` is that of the item.
    """
    return list_items(studio, who, slug, ItemChoice(stage, state, item_state, skip, most))


@api(router, "GET", _ITEM)
def get_item(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Number, purpose: Purpose = "real"
) -> ItemView:
    """An item with one's own work on it, which begins with the first look."""
    return item_view.open_item(studio, who, slug, position, purpose)


@api(router, "GET", f"{_ITEM}/related")
def get_related(  # noqa: PLR0913 - the parameters of the request
    request: Request,
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    position: Number,
    unit: Annotated[str, Query(max_length=80)] = "",
    start: Place = None,
    end: Place = None,
    purpose: Purpose = "real",
) -> tuple[Related, ...]:
    """The passages of the source that matter for a unit, or for a stretch of the response."""
    wanted, looking = Selection(unit, start, end), request.app.state.looking
    return related(studio, who, (slug, position, purpose), wanted, looking=looking)


@api(router, "GET", f"{_ITEM}/detectors")
def get_detectors(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Number, purpose: Purpose = "real"
) -> tuple[DetectorView, ...]:
    """The judgements of detectors on an item, if the project shows them."""
    return item_view.detectors(studio, who, slug, position, purpose)


@api(router, "POST", f"{_ITEM}/external", run=partial(in_threads, _fetching))
def post_external(  # noqa: PLR0913 - the parameters of the request
    request: Request,
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    position: Number,
    body: CitedPage,
    purpose: Purpose = "real",
) -> KeptLink:
    """Keeps a snapshot of a page from outside, to be cited."""
    state = request.app.state
    options = {"allow": state.allow_address} if hasattr(state, "allow_address") else {}
    return keep_external(studio, who, (slug, position, purpose), body.address, **options)


@api(router, "GET", "/api/snapshots/{digest}")
def get_snapshot(studio: TheStudio, who: SignedIn, digest: Digest) -> SnapshotView:
    """The words of a page as they were when it was cited."""
    return snapshot(studio, who, digest)


@api(router, "GET", "/api/projects/{slug}/history")
def get_history(
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    item: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    skip: Skip = 0,
    most: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> History:
    """The history of an item, or of the whole project."""
    if item is not None:
        return item_history(studio, who, slug, item)
    return project_history(studio, who, slug, skip=skip, most=most)


@api(router, "GET", f"{_ITEM}/comments")
def get_comments(studio: TheStudio, who: SignedIn, slug: Slug, position: Number) -> Discussion:
    """The comments on an item, and how its discussion stands."""
    return discussion(studio, who, slug, position)


@api(router, "POST", f"{_ITEM}/comments")
def post_comment(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Number, body: NewComment
) -> Discussion:
    """Writes a comment."""
    return add_comment(studio, who, slug, position, text=body.text, unit=body.unit)


@api(router, "GET", "/api/projects/{slug}/adjudication")
def get_queue(studio: TheStudio, who: SignedIn, slug: Slug) -> DisputeQueue:
    """The items that wait for an adjudicator."""
    return queue(studio, who, slug)


@api(router, "GET", _CASE)
def get_case(studio: TheStudio, who: SignedIn, slug: Slug, position: Number) -> ItemCase:
    """Everything that was said of an item."""
    return case(studio, who, slug, position)


@api(router, "POST", _CASE)
def post_case(
    studio: TheStudio, who: SignedIn, slug: Slug, position: Number, body: Beginning
) -> Taken:
    """Begins an adjudication, or goes on with one."""
    return take(studio, who, slug, position, body.author)
