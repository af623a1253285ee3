"""The work of people on items: who has what, drafts, and the changes that made them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Select, bindparam, func, insert, select, update

from assay.store.annotation.records import (
    OPEN_STATES,
    WITHDRAWN,
    ItemState,
    Purpose,
    StoredChange,
    StoredItem,
    StoredWork,
    all_of,
    exists,
    first_of,
    pairs,
    values_of,
)
from assay.store.annotation.tables import changes, items, people, projects, work

BEGIN = "begin"  # the kind of the change that holds the units with which a work began
_NEW = {"state": "assigned", "version": 0, "seconds": 0, "started_at": "", "submitted_at": ""}


@dataclass(frozen=True, slots=True)
class WorkOnItem(StoredWork):
    """A work with its item and the settings of its project."""

    position: int
    purpose: Purpose
    record: str
    item_state: ItemState
    slug: str
    settings: str


# Statements of every load and save are made once: making one takes longer than running it.
_BY_ID = (
    select(
        work,
        items.c.position,
        items.c.purpose,
        items.c.record,
        items.c.state.label("item_state"),
        projects.c.slug,
        projects.c.settings,
    )
    .join(items, items.c.id == work.c.item)
    .join(projects, projects.c.id == work.c.project)
    .where(work.c.id == bindparam("work"))
)
_LOCKED = _BY_ID.with_for_update(of=work)
_OWN = (
    select(work)
    .where(
        work.c.item == bindparam("item"),
        work.c.person == bindparam("person"),
        work.c.state != WITHDRAWN,
    )
    .order_by(work.c.id)
)
_SINCE = (
    select(changes)
    .where(changes.c.work == bindparam("work"), changes.c.version > bindparam("after"))
    .order_by(changes.c.version)
)


def load_work(connection: Connection, work_id: int, *, locked: bool = False) -> WorkOnItem | None:
    """A work with its item and the settings of its project; locked for whoever changes it."""
    row = connection.execute(_LOCKED if locked else _BY_ID, {"work": work_id}).first()
    return WorkOnItem(*row) if row else None


def work_by_id(connection: Connection, work_id: int) -> StoredWork | None:
    """The work with that number."""
    return first_of(StoredWork, connection, select(work).where(work.c.id == work_id))


def own_work(connection: Connection, person: int, item: int) -> StoredWork | None:
    """A person's work on an item: what is not finished, or else the latest."""
    rows = connection.execute(_OWN, {"item": item, "person": person})
    found = [StoredWork(*row) for row in rows]
    unfinished = [each for each in found if each.state in OPEN_STATES]
    return (unfinished or found)[-1] if found else None


def work_on(connection: Connection, item: int, *stages: str) -> list[StoredWork]:
    """The work on an item that was not withdrawn, oldest first, of some stages or of all."""
    query = select(work).where(work.c.item == item, work.c.state != WITHDRAWN)
    if stages:
        query = query.where(work.c.stage.in_(stages))
    return all_of(StoredWork, connection, query.order_by(work.c.id))


def works_on(connection: Connection, person: int, item: int) -> bool:
    """Tells whether somebody has work on an item that was not withdrawn."""
    query = select(work.c.id).where(
        work.c.item == item, work.c.person == person, work.c.state != WITHDRAWN
    )
    return exists(connection, query)


def has_other_work(connection: Connection, own: StoredWork) -> bool:
    """Tells whether there is other work on the same item."""
    query = select(work.c.id).where(
        work.c.item == own.item, work.c.id != own.id, work.c.state != WITHDRAWN
    )
    return exists(connection, query)


def has_open_annotation(connection: Connection, person: int, item: int) -> bool:
    """Tells whether somebody has yet to annotate an item."""
    return exists(connection, pending(person).where(work.c.item == item))


def open_annotations(connection: Connection, project: int, person: int) -> set[int]:
    """The numbers of the items that somebody has yet to annotate."""
    query = pending(person).where(work.c.project == project)
    return set(connection.execute(query).scalars())


def pending(person: int) -> Select[int]:
    """The query for the numbers of the items that somebody has yet to annotate."""
    own = (work.c.person == person) & (work.c.stage == "annotate")
    return select(work.c.item).where(own, work.c.state.in_(OPEN_STATES))


def open_work(
    connection: Connection, person: int, project: int | None = None, purpose: Purpose | None = None
) -> list[StoredWork]:
    """The unfinished work of somebody, in a project or in all, in the order of items."""
    query = select(work).where(work.c.person == person, work.c.state.in_(OPEN_STATES))
    if project is not None:
        query = query.where(work.c.project == project)
    if purpose is not None:
        query = query.join(items, items.c.id == work.c.item).where(items.c.purpose == purpose)
    return all_of(StoredWork, connection, query.order_by(work.c.item))


def takers(connection: Connection, project: int, stage: str) -> dict[int, str]:
    """The names of those who have unfinished work of a stage, by the numbers of the items."""
    query = (
        select(work.c.item, people.c.name)
        .join(people, people.c.id == work.c.person)
        .where(work.c.project == project, work.c.stage == stage)
        .where(work.c.state.in_(OPEN_STATES))
        .order_by(work.c.id.desc())
    )
    return pairs(connection, query)


def open_counts(connection: Connection, project: int, stage: str) -> dict[int, int]:
    """The number of items that each person still has in a stage, by the numbers of the people."""
    query = (
        select(work.c.person, func.count())
        .where(work.c.project == project, work.c.stage == stage)
        .where(work.c.state.in_(OPEN_STATES))
        .group_by(work.c.person)
    )
    return pairs(connection, query)


def give_work(
    connection: Connection, item: StoredItem, person: int, stage: str, draft: str = ""
) -> int:
    """Gives somebody a stage of an item, or gives it back to them; the number of the work."""
    mine = select(work.c.id).where(
        work.c.item == item.id, work.c.person == person, work.c.stage == stage
    )
    before = connection.execute(mine).scalar()
    if before is not None:
        update_work(connection, before, state="assigned", later=0)
        return int(before)
    about = {"project": item.project, "item": item.id, "person": person, "stage": stage}
    row = insert(work).values(**about, draft=draft, **_NEW)
    return int(connection.execute(row.returning(work.c.id)).scalar_one())


def assign(connection: Connection, project: int, annotators: Sequence[tuple[int, int]]) -> None:
    """Gives items to annotators who do not have them, by the numbers of item and person."""
    new = insert(work).values(project=project, stage="annotate", draft="", **_NEW)
    connection.execute(new, [{"item": item, "person": person} for item, person in annotators])


def set_work_state(connection: Connection, ids: Iterable[int], state: str) -> None:
    """Puts work into another state."""
    connection.execute(update(work).where(work.c.id.in_(list(ids))).values(state=state))


def update_work(connection: Connection, work_id: int, **values: object) -> None:
    """Sets some columns of a work."""
    connection.execute(update(work).where(work.c.id == work_id).values(**values))


def put_off(connection: Connection, own: StoredWork) -> None:
    """Puts a work behind all that its person has in the project."""
    last = select(func.max(work.c.later)).where(
        work.c.project == own.project, work.c.person == own.person
    )
    update_work(connection, own.id, later=(connection.execute(last).scalar() or 0) + 1)


def add_change(connection: Connection, change: StoredChange) -> None:
    """Appends a change to the history of a work."""
    connection.execute(changes.insert(), values_of(change))


def changes_since(connection: Connection, work_id: int, version: int) -> list[StoredChange]:
    """The changes after a version, in order."""
    rows = connection.execute(_SINCE, {"work": work_id, "after": version})
    return [StoredChange(*row) for row in rows]
