"""The pages of projects; each shows what its JSON twin answers."""

from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse, HTMLResponse

import assay.report
from assay.annotation import projects
from assay.annotation.access import ROLES
from assay.annotation.audit import audits
from assay.annotation.exchange.detector_jobs import project_detectors
from assay.annotation.figures import boards
from assay.annotation.items import history, item_view, snapshots
from assay.annotation.items.work_queue import ItemChoice, WorkStage, WorkState, list_items
from assay.annotation.people import accounts, members
from assay.annotation.studio import ItemState, Purpose
from assay.annotation.team import adjudication, batches, training
from assay.core.taxonomies import ERROR5, FAITHBENCH, GRAY7
from assay.studio.dependencies import SignedIn, TheStudio, in_thread
from assay.studio.pages import page
from assay.studio.phrases import (
    DECISIONS,
    FORMS,
    MEANINGS,
    MODES,
    STAGES,
    STATES,
    WORK_STATES,
)
from assay.studio.routing import LARGEST, Digest, Number, Slug
from assay.web.description import page_described

router = APIRouter(default_response_class=HTMLResponse)

MENUS = {menu.name: menu.names for menu in (GRAY7, FAITHBENCH)}
_COLOURS = Path(assay.report.__file__).parent / "templates" / "check" / "colours.css"


@router.get("/", responses=page_described())
async def project_list(request: Request, who: SignedIn, studio: TheStudio) -> HTMLResponse:
    """All projects that somebody is a member of."""
    found = await in_thread(projects.list_projects, studio, who)
    may_create = who.role in ROLES["create-project"]
    return page(request, "projects.html", who, projects=found, may_create=may_create, modes=MODES)


@router.get("/projects/{slug}", responses=page_described())
async def project_page(
    request: Request, slug: str, who: SignedIn, studio: TheStudio
) -> HTMLResponse:
    """A project: what somebody has to do there, and how far it is."""
    view = await in_thread(projects.overview, studio, who, slug)
    names: dict[str, Any] = {"modes": MODES, "stages": STAGES, "states": STATES, "forms": FORMS}
    return page(request, "project.html", who, project=slug, view=view, **names)


@router.get("/projects/{slug}/items", responses=page_described())
async def items_page(  # noqa: PLR0913 - the parameters of the request
    request: Request,
    slug: str,
    who: SignedIn,
    studio: TheStudio,
    stage: Annotated[WorkStage | Literal[""], Query()] = "",
    state: Annotated[WorkState | Literal[""], Query()] = "",
    item_state: Annotated[ItemState | Literal[""], Query()] = "",
    skip: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> HTMLResponse:
    """The items that somebody works on or may look at."""
    choice = ItemChoice(stage or None, state or None, item_state or None, skip)
    view = await in_thread(list_items, studio, who, slug, choice)
    query = urlencode({"stage": stage, "state": state, "item_state": item_state})
    names: dict[str, Any] = {"stages": STAGES, "states": STATES, "work_states": WORK_STATES}
    data: dict[str, Any] = {"view": view, "choice": choice, "query": query}
    return page(request, "items.html", who, project=slug, **data, **names)


@router.get("/projects/{slug}/settings", responses=page_described())
async def settings_page(
    request: Request, slug: str, who: SignedIn, studio: TheStudio
) -> HTMLResponse:
    """The settings of a project, its members, batches and detectors."""
    view = await in_thread(projects.overview, studio, who, slug)
    team = await in_thread(members.list_members, studio, who, slug)
    known = await in_thread(accounts.list_people, studio, who)
    given = await in_thread(batches.list_batches, studio, who, slug)
    asked = await in_thread(project_detectors, studio, who, slug)
    here = {each.name for each in team}
    others = [each.name for each in known if each.is_active and each.name not in here]
    more: dict[str, Any] = {
        "team": team,
        "others": others,
        "batches": given,
        "offered": asked.offered,
        "modes": MODES,
        "states": STATES,
    }
    return page(request, "settings.html", who, project=slug, view=view, **more)


@router.get("/projects/{slug}/training", responses=page_described())
async def training_page(
    request: Request, slug: str, who: SignedIn, studio: TheStudio
) -> HTMLResponse:
    """The training examples and the quiz, as far as somebody has done them."""
    view = await in_thread(training.training, studio, who, slug)
    return page(request, "training.html", who, project=slug, view=view)


@router.get("/projects/{slug}/adjudication", responses=page_described())
async def adjudication_page(
    request: Request, slug: str, who: SignedIn, studio: TheStudio
) -> HTMLResponse:
    """The items that wait for an adjudicator."""
    view = await in_thread(adjudication.queue, studio, who, slug)
    return page(request, "adjudication.html", who, project=slug, view=view)


@router.get("/projects/{slug}/audit", responses=page_described())
async def audit_page(
    request: Request,
    slug: str,
    who: SignedIn,
    studio: TheStudio,
    skip: Annotated[int, Query(ge=0, le=audits.DEEPEST)] = 0,
) -> HTMLResponse:
    """The labels that others disagree with, and what was decided about them."""
    view = await in_thread(audits.audit, studio, who, slug, skip=skip)
    names: dict[str, Any] = {
        "decisions": DECISIONS,
        "meanings": MEANINGS,
        "menus": MENUS,
        "kinds": ERROR5.labels,
    }
    return page(request, "audit.html", who, project=slug, view=view, skip=skip, **names)


@router.get("/projects/{slug}/board", responses=page_described())
async def board_page(request: Request, slug: str, who: SignedIn, studio: TheStudio) -> HTMLResponse:
    """The progress of a project, and the agreement of its annotators."""
    view = await in_thread(boards.board, studio, who, slug)
    return page(request, "board.html", who, project=slug, view=view, states=STATES)


@router.get("/projects/{slug}/history", responses=page_described())
async def history_page(
    request: Request,
    slug: str,
    who: SignedIn,
    studio: TheStudio,
    item: Annotated[str, Query(pattern=r"^\d{0,9}$")] = "",
    skip: Annotated[int, Query(ge=0, le=history.DEEPEST)] = 0,
) -> HTMLResponse:
    """The history of a project, or of one of its items."""
    number = int(item or 0)
    if number:
        view = await in_thread(history.item_history, studio, who, slug, number)
    else:
        view = await in_thread(history.project_history, studio, who, slug, skip=skip)
    return page(request, "history.html", who, project=slug, view=view, item=number)


@router.get("/projects/{slug}/items/{position}", responses=page_described())
async def item_page(
    request: Request,
    studio: TheStudio,
    who: SignedIn,
    slug: Slug,
    position: Number,
    purpose: Purpose = "real",
) -> HTMLResponse:
    """An item with its two texts; the page fetches the rest from the API."""
    view = await in_thread(item_view.open_item, studio, who, slug, position, purpose)
    at, kind = view.position, view.purpose
    is_settled = view.stage == "adjudicate"
    place = "Training" if kind != "real" else "Adjudication" if is_settled else ""
    return page(request, "item.html", who, project=slug, place=place, position=at, purpose=kind)


@router.get("/projects/{slug}/adjudication/{position}", responses=page_described())
async def adjudicated_item_page(
    request: Request, studio: TheStudio, who: SignedIn, slug: Slug, position: Number
) -> HTMLResponse:
    """The same page, reached from the queue of items that people differ about."""
    return await item_page(request, studio, who, slug, position)


@router.get("/snapshots/{digest}", responses=page_described())
async def snapshot_page(
    request: Request, studio: TheStudio, who: SignedIn, digest: Digest
) -> HTMLResponse:
    """The words of a page from outside, as they were when it was cited."""
    view = await in_thread(snapshots.snapshot, studio, who, digest)
    return page(request, "snapshot.html", who, view=view)


@router.get("/static/colours.css", include_in_schema=False)
async def colours() -> FileResponse:
    """The colours of labels, the same in reports and here."""
    return FileResponse(_COLOURS, headers={"Cache-Control": "no-cache"})
