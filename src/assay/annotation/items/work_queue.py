"""The items of one person: what they go on with, and a list of what they have of each.

They go on with their own, and then with those that still lack an annotator. Nobody else's work is
in the list. Whoever may look at items that are no longer annotated blind has these in it as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.annotation import access
from assay.annotation.items import work
from assay.annotation.items.drafts import first_draft, read_item, read_units
from assay.annotation.items.work import PASS_QUIZ
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import flow, training
from assay.core.errors import InputError
from assay.store.annotation.database import Connection
from assay.store.annotation.items import ItemChoice as ItemChoice
from assay.store.annotation.items import (
    OwnItem,
    lock_project,
    next_free,
    next_of_own,
    own_items,
)
from assay.store.annotation.records import OPEN_STATES
from assay.store.annotation.work import WorkOnItem, give_work, load_work

MOST = 500  # lines of a page
WorkState = Literal["assigned", "open", "submitted", "held"]
WorkStage = Literal["annotate", "discuss", "review", "adjudicate"]
WORK_STAGES: tuple[WorkStage, ...] = get_args(WorkStage)  # in the order in which they come
NextCode = Literal["", "quiz", "nothing-left", "part-done"]


@dataclass(frozen=True, slots=True)
class NextItem:
    """The item that somebody should turn to; without one, why there is none, in words and a code.

    The code is `quiz` where something has to be done first, `nothing-left` where all is done, and
    `part-done` at the end of training or quiz.
    """

    position: int | None
    stage: str = ""
    reason: str = ""
    code: NextCode = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """Work that was submitted, the state of its item, and the item to go on with."""

    state: str
    round: int
    at: str
    next: int | None
    stage: str  # of the next one
    reason: str  # why there is no next one
    code: NextCode  # the same for a page, as of `NextItem`


_PART_DONE = NextItem(None, reason="This part is done.", code="part-done")


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item, and what the person who asks has of it.

    Without work of theirs, `stage` and `state` are empty and the counts are 0. `labelled` of
    `units` are the units of their draft that have a label.
    """

    position: int
    example: str
    item_state: str
    stage: str
    state: str
    labelled: int
    units: int
    seconds: int
    submitted_at: str
    is_skipped: bool


@dataclass(frozen=True, slots=True)
class ItemList:
    """Some lines of a list; `count` is how many there are in all."""

    lines: tuple[ItemLine, ...]
    count: int


def next_item(
    studio: Studio, who: Person, slug: str, stage: WorkStage | Literal[""] = "", after: str = ""
) -> NextItem:
    """The next item of a person: their own, or else one that still lacks an annotator.

    `stage` asks for that kind of work only. Without it, the stage of what they did before, which
    is `after`, goes on, and then annotating comes first. What they skipped comes last.
    """
    stages = (stage,) if stage else tuple(sorted(WORK_STAGES, key=lambda each: each != after))
    with studio.read() as connection:
        project = access.require(connection, who, "annotate", slug)
        may_annotate = training.has_passed(connection, who.id, project.id)
        able = tuple(each for each in stages if may_annotate or each != "annotate")
        found = _in_queue(connection, project.id, who.id, able)
    if found is not None and found.position is not None:
        return found
    if found is not None:
        with studio.write() as connection:
            lock_project(connection, project.id)
            item = next_free(connection, project.id, who.id)
            if item is not None:
                give_work(connection, item, who.id, "annotate")
                flow.begin(connection, studio.now(), project.id, [item.id])
                return NextItem(item.position, "annotate")
        return next_item(studio, who, slug, stage, after)  # somebody else took the last one
    if "annotate" in stages and not may_annotate:
        return NextItem(None, reason=PASS_QUIZ, code="quiz")
    reason = f"There is nothing left for you to {stage or 'do here'}."
    return NextItem(None, reason=reason, code="nothing-left")


def _in_queue(
    connection: Connection, project: int, person: int, stages: Sequence[str]
) -> NextItem | None:
    """The next item in some stages; without a position it is a new item to annotate."""
    for each in stages:
        if own := next_of_own(connection, project, person, (each,)):
            return NextItem(*own)
        if each == "annotate" and next_free(connection, project, person) is not None:
            return NextItem(None)
    own = next_of_own(connection, project, person, stages, skipped=True)
    return NextItem(*own) if own else None


def skip(studio: Studio, who: Person, work_id: int, reason: str = "") -> NextItem:
    """Leaves an item for the end of the person's queue, and finds what they go on with."""
    work.skip(studio, who, work_id, reason)
    with studio.read() as connection:
        mine = _loaded(connection, work_id)
    return next_item(studio, who, mine.slug, after=mine.stage)


def finish(studio: Studio, who: Person, work_id: int, base: int, seconds: int = 0) -> Finished:
    """Submits work, and finds what the person goes on with."""
    done = work.submit(studio, who, work_id, base, seconds)
    with studio.read() as connection:
        mine = _loaded(connection, work_id)
        if mine.purpose != "real":
            own = next_of_own(connection, mine.project, who.id, (mine.purpose,))
            following = NextItem(*own) if own else _PART_DONE
    if mine.purpose == "real":
        following = next_item(studio, who, mine.slug, after=mine.stage)
    return Finished(
        done.state,
        done.round,
        done.at,
        following.position,
        following.stage,
        following.reason,
        following.code,
    )


def _loaded(connection: Connection, work_id: int) -> WorkOnItem:
    mine = load_work(connection, work_id)
    if mine is None:
        raise access.NotFoundError(f"you have no work {work_id}")
    return mine


def list_items(
    studio: Studio, who: Person, slug: str, choice: ItemChoice | None = None
) -> ItemList:
    """The items that a person has work on, and those that they may look at, in their order."""
    choice = choice or ItemChoice()
    if not (1 <= choice.most <= MOST and choice.skip >= 0):
        raise InputError(f"a page has 1 to {MOST} items", field="most")
    with studio.read() as connection:
        project = access.require(connection, who, "see-project", slug)
        sees_settled = who.role in access.ROLES["adjudicate"]
        found, count = own_items(connection, project.id, who.id, choice, sees_settled=sees_settled)
    settings = read_settings(project.settings)
    return ItemList(tuple(_line(each, settings) for each in found), count)


def _line(item: OwnItem, settings: ProjectSettings) -> ItemLine:
    id = settings.shown_id(item.example, item.model)
    if item.work is None:
        return ItemLine(item.position, id, item.item_state, "", "", 0, 0, 0, "", False)
    units = read_units(item.draft) if item.draft else first_draft(read_item(item.record), settings)
    labelled = sum(unit.verdict is not None and unit.verdict.label is not None for unit in units)
    return ItemLine(
        item.position,
        id,
        item.item_state,
        item.stage or "",
        item.state or "",
        labelled,
        len(units),
        item.seconds or 0,
        item.submitted_at or "",
        bool(item.later) and item.state in OPEN_STATES,
    )
