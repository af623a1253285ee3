"""The items of one person in a list: what they have of each, and how far they are with it.

Nobody else's work is in it. Whoever may look at items that are no longer annotated blind has these
in the list as well.
"""

from dataclasses import dataclass
from typing import Literal

from assay.annotation import access
from assay.annotation.items.drafts import first_draft, read_item, read_units
from assay.annotation.items.work_queue import WorkStage
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import ItemState, Person, Studio
from assay.core.errors import InputError
from assay.store.annotation.items import OwnItem, OwnItems, own_items
from assay.store.annotation.records import OPEN_STATES

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
    """The items that are wanted: those with one's own work of a stage or a state, or in a state."""

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
        project = access.require(connection, who, "see-project", slug)
        wanted = OwnItems(
            project.id,
            who.id,
            who.role in access.ROLES["adjudicate"],
            choice.stage,
            choice.state,
            choice.item_state,
        )
        found, count = own_items(connection, wanted, choice.skip, choice.most)
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
