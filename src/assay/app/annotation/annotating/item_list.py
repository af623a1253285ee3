"""The items of one person in a list: what they have of each, and how far they are with it.

Nobody else's work is in it. Whoever may look at items that are no longer annotated blind has these
in the list as well.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, Select, and_, func, select

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import first_draft, read_item, read_units
from assay.app.annotation.annotating.items import WorkStage
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import ItemState, Person, Studio
from assay.core.errors import InputError
from assay.store.studio.tables import items, work

MOST = 500  # lines of a page
WorkState = Literal["assigned", "open", "submitted", "held"]


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


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """Which items are wanted: those with one's own work of a stage or a state, or in a state."""

    stage: WorkStage | None = None
    state: WorkState | None = None
    item_state: ItemState | None = None
    skip: int = 0
    most: int = 100


def list_items(
    studio: Studio, who: Person, slug: str, choice: ItemChoice | None = None
) -> ItemList:
    """The items that a person has work on, and those that they may look at, in their order."""
    choice = choice or ItemChoice()
    if not (1 <= choice.most <= MOST and choice.skip >= 0):
        raise InputError(f"a page has 1 to {MOST} items", field="most")
    with studio.read() as connection:
        project: Row[Any] = access.require(connection, who, "see-project", slug)
        chosen = _chosen(project.id, who, choice)
        total = select(func.count()).select_from(chosen.subquery())
        count = connection.execute(total).scalar_one()
        page = chosen.order_by(items.c.position, work.c.id).offset(choice.skip).limit(choice.most)
        rows = connection.execute(page).all()
    settings = read_settings(project.settings)
    return ItemList(tuple(_line(row, settings) for row in rows), count)


def _chosen(project: int, who: Person, choice: ItemChoice) -> Select[*tuple[Any, ...]]:
    own = and_(work.c.item == items.c.id, work.c.person == who.id, work.c.state != "withdrawn")
    is_theirs: ColumnElement[bool] = work.c.id.is_not(None)
    if who.role in access.ROLES["adjudicate"]:
        is_theirs |= items.c.state.not_in(access.BLIND_STATES)
    query = (
        select(
            items.c.position,
            items.c.example,
            items.c.model,
            items.c.record,
            items.c.state.label("item_state"),
            work.c.id.label("work"),
            work.c.stage,
            work.c.state,
            work.c.draft,
            work.c.seconds,
            work.c.submitted_at,
            work.c.later,
        )
        .select_from(items.outerjoin(work, own))
        .where(items.c.project == project, items.c.purpose == "real", is_theirs)
    )
    if choice.stage:
        query = query.where(work.c.stage == choice.stage)
    if choice.state:
        query = query.where(work.c.state == choice.state)
    if choice.item_state:
        query = query.where(items.c.state == choice.item_state)
    return query


def _line(row: Row[Any], settings: ProjectSettings) -> ItemLine:
    id = settings.shown_id(row.example, row.model)
    if row.work is None:
        return ItemLine(row.position, id, row.item_state, "", "", 0, 0, 0, "", False)
    units = read_units(row.draft) if row.draft else first_draft(read_item(row.record), settings)
    labelled = sum(unit.verdict is not None and unit.verdict.label is not None for unit in units)
    return ItemLine(
        row.position,
        id,
        row.item_state,
        row.stage,
        row.state,
        labelled,
        len(units),
        row.seconds,
        row.submitted_at or "",
        bool(row.later) and row.state in ("assigned", "open"),
    )
