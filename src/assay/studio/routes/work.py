"""One's own work on an item: every change is saved at once."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.annotating import work
from assay.app.annotation.annotating.drafts import EditKind, edits_from
from assay.app.annotation.annotating.history import History, work_history
from assay.app.annotation.annotating.items import finish, skip
from assay.app.annotation.annotating.views import Finished, NextItem
from assay.app.annotation.annotating.work import Progress, Saved
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
LARGEST = 2**31 - 1  # of the numbers that every database keeps

WorkId = Annotated[int, Path(ge=1, le=LARGEST)]
Version = Annotated[int, Field(ge=0, le=LARGEST)]
Seconds = Annotated[int, Field(ge=0, le=LARGEST)]


class UnitChange(Body):
    """What the unit of an id becomes; null where it goes."""

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
    """Why somebody leaves an item for later, if they want to say it."""

    reason: Annotated[str, Field(max_length=work.LONGEST_REASON)] = ""


class Activity(Body):
    """The seconds of activity on a work in all."""

    seconds: Seconds


@router.post("/api/work/{work_id}/changes", responses=described(Saved, 409))
async def post_changes(
    studio: TheStudio, who: SignedIn, work_id: WorkId, body: Changes
) -> Response:
    """Saves edits; where another change came before, 409 tells all that came since `base`."""
    edits = edits_from([each.model_dump() for each in body.changes])
    saved = await in_thread(
        work.change, studio, who, work_id, body.base, body.kind, edits, request=body.id
    )
    return answer(saved)


@router.post("/api/work/{work_id}/submit", responses=described(Finished, 409))
async def post_submit(
    studio: TheStudio, who: SignedIn, work_id: WorkId, body: Submission
) -> Response:
    """Submits a draft; where it is not finished, 422 tells the problems of each unit."""
    return answer(await in_thread(finish, studio, who, work_id, body.base, body.seconds))


@router.post("/api/work/{work_id}/seconds", responses=described(Progress))
async def post_seconds(
    studio: TheStudio, who: SignedIn, work_id: WorkId, body: Activity
) -> Response:
    """Notes how long somebody has been active on an item."""
    return answer(await in_thread(work.add_seconds, studio, who, work_id, body.seconds))


@router.post("/api/work/{work_id}/skip", responses=described(NextItem))
async def post_skip(
    studio: TheStudio, who: SignedIn, work_id: WorkId, body: Skipping | None = None
) -> Response:
    """Leaves an item for the end of one's queue; the answer is the item to go on with."""
    reason = body.reason if body else ""
    return answer(await in_thread(skip, studio, who, work_id, reason))


@router.post("/api/work/{work_id}/reopen", responses=described(Progress))
async def post_reopen(studio: TheStudio, who: SignedIn, work_id: WorkId) -> Response:
    """Takes up submitted work again, while its item allows that."""
    return answer(await in_thread(work.reopen, studio, who, work_id))


@router.get("/api/work/{work_id}/history", responses=described(History))
async def get_work_history(studio: TheStudio, who: SignedIn, work_id: WorkId) -> Response:
    """The changes of a work, latest first."""
    return answer(await in_thread(work_history, studio, who, work_id))
