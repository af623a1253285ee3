"""One's own work on an item: every change is saved at once."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from assay.annotation.items import work
from assay.annotation.items.drafts import EditKind, edits_from
from assay.annotation.items.history import History, work_history
from assay.annotation.items.work import Progress, Saved
from assay.annotation.items.work_queue import Finished, NextItem, finish, skip
from assay.annotation.team.discussion import Held, hold
from assay.studio.dependencies import SignedIn, TheStudio
from assay.studio.routing import LARGEST, Body, Number, api

router = APIRouter()
Version = Annotated[int, Field(ge=0, le=LARGEST)]
Seconds = Annotated[int, Field(ge=0, le=LARGEST)]


class UnitChange(Body):
    """The new content of a unit; null to remove it."""

    id: str
    unit: dict[str, Any] | None = None


class Changes(Body):
    """Edits of a draft that was seen at version `base`.

    `id` is the sender's own name for them: sent again, they have the same answer as before.
    """

    base: Version
    kind: EditKind
    changes: list[UnitChange]
    id: Annotated[str, Field(max_length=work.LONGEST_REQUEST)] = ""


class Submission(Body):
    """A draft at version `base` that is finished, and the seconds of activity in all."""

    base: Version
    seconds: Seconds = 0


class Skipping(Body):
    """The reason to leave an item for later, if somebody wants to give one."""

    reason: Annotated[str, Field(max_length=work.LONGEST_REASON)] = ""


class Activity(Body):
    """The seconds of activity on a work in all."""

    seconds: Seconds


@api(router, "POST", "/api/work/{work_id}/changes", 409)
def post_changes(studio: TheStudio, who: SignedIn, work_id: Number, body: Changes) -> Saved:
    """Saves edits; where another change came before, 409 tells all that came since `base`."""
    edits = edits_from([each.model_dump() for each in body.changes])
    return work.change(studio, who, work_id, body.base, body.kind, edits, request=body.id)


@api(router, "POST", "/api/work/{work_id}/submit", 409)
def post_submit(studio: TheStudio, who: SignedIn, work_id: Number, body: Submission) -> Finished:
    """Submits a draft; where it is not finished, 422 tells the problems of each unit."""
    return finish(studio, who, work_id, body.base, body.seconds)


@api(router, "POST", "/api/work/{work_id}/seconds")
def post_seconds(studio: TheStudio, who: SignedIn, work_id: Number, body: Activity) -> Progress:
    """Notes how long somebody has been active on an item."""
    return work.add_seconds(studio, who, work_id, body.seconds)


@api(router, "POST", "/api/work/{work_id}/skip")
def post_skip(
    studio: TheStudio, who: SignedIn, work_id: Number, body: Skipping | None = None
) -> NextItem:
    """Leaves an item for the end of one's queue; the answer is the item to go on with."""
    return skip(studio, who, work_id, body.reason if body else "")


@api(router, "POST", "/api/work/{work_id}/reopen")
def post_reopen(studio: TheStudio, who: SignedIn, work_id: Number) -> Progress:
    """Takes up submitted work again, while its item allows that."""
    return work.reopen(studio, who, work_id)


@api(router, "POST", "/api/work/{number}/hold")
def post_hold(studio: TheStudio, who: SignedIn, number: Number) -> Held:
    """Lets a judgement stand in a discussion."""
    return hold(studio, who, number)


@api(router, "GET", "/api/work/{work_id}/history")
def get_work_history(studio: TheStudio, who: SignedIn, work_id: Number) -> History:
    """The changes of a work, latest first."""
    return work_history(studio, who, work_id)
