"""The items of a project, and whose turn an item is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    func,
    select,
    update,
)

from assay.store.annotation.records import (
    BLIND_STATES,
    OPEN_STATES,
    WITHDRAWN,
    ItemState,
    Purpose,
    Stage,
    StoredItem,
    WorkState,
    all_of,
    first_of,
    one_of,
    pairs,
)
from assay.store.annotation.tables import items, projects, work

# Statements of every load are made once: making one takes longer than running it.
_COUNT = select(func.max(items.c.position)).where(
    items.c.project == bindparam("project"), items.c.purpose == bindparam("purpose")
)
_NEIGHBOURS = (
    select(
        func.max(case((items.c.position < bindparam("here"), items.c.position))),
        func.min(case((items.c.position > bindparam("here"), items.c.position))),
    )
    .select_from(work.join(items, items.c.id == work.c.item))
    .where(
        work.c.project == bindparam("project"),
        work.c.person == bindparam("person"),
        work.c.stage == bindparam("stage"),
        items.c.purpose == bindparam("purpose"),
    )
)


@dataclass(frozen=True, slots=True)
class OwnItem:
    """An item and what one person has of it; the fields from `work` on are None without work."""

    position: int
    example: str
    model: str
    record: str
    item_state: ItemState
    work: int | None
    stage: str | None
    state: str | None
    draft: str | None
    seconds: int | None
    submitted_at: str | None
    later: int | None


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """The items that are wanted: those with one's own work of a stage or a state, or in a state."""

    stage: Stage | None = None
    state: WorkState | None = None
    item_state: ItemState | None = None
    skip: int = 0
    most: int = 100


def count_items(connection: Connection, project: int, purpose: str = "real") -> int:
    """The number of items of a project for a purpose; their positions count from 1."""
    return connection.execute(_COUNT, {"project": project, "purpose": purpose}).scalar() or 0


def item_at(
    connection: Connection, project: int, position: int, purpose: str = "real"
) -> StoredItem | None:
    """The item at a position among those of a purpose."""
    query = select(items).where(
        items.c.project == project, items.c.position == position, items.c.purpose == purpose
    )
    return first_of(StoredItem, connection, query)


def neighbours(
    connection: Connection, person: int, item: StoredItem, stage: str
) -> tuple[int | None, int | None]:
    """The positions before and after an item among those that a person has in the same stage."""
    about = {"project": item.project, "purpose": item.purpose, "here": item.position}
    found = connection.execute(_NEIGHBOURS, {**about, "person": person, "stage": stage})
    before, after = found.one()
    return before, after


def next_of_own(
    connection: Connection,
    project: int,
    person: int,
    stages: Sequence[str],
    *,
    skipped: bool = False,
) -> tuple[int, str] | None:
    """Position and stage of what a person has in the first of some stages in which there is any.

    What they have begun comes before what they were given. What they skipped is found only with
    `skipped`, what was skipped first before the rest.
    """
    order = case({stage: place for place, stage in enumerate(stages)}, value=work.c.stage)
    query = (
        select(items.c.position, work.c.stage)
        .select_from(work.join(items, items.c.id == work.c.item))
        .where(
            work.c.project == project,
            work.c.person == person,
            work.c.state.in_(OPEN_STATES),
            work.c.stage.in_(stages),
            work.c.later > 0 if skipped else work.c.later == 0,
        )
        .order_by(order, work.c.later, work.c.state.desc(), items.c.position, work.c.id)
        .limit(1)
    )
    found = connection.execute(query).first()
    return (found.position, found.stage) if found else None


def own_items(
    connection: Connection, project: int, person: int, wanted: ItemChoice, *, sees_settled: bool
) -> tuple[list[OwnItem], int]:
    """Some of the items that a person has or may look at, in their order, and the count of all.

    Whoever `sees_settled` may look at all that are not blind.
    """
    own = and_(work.c.item == items.c.id, work.c.person == person, work.c.state != WITHDRAWN)
    is_theirs: ColumnElement[bool] = work.c.id.is_not(None)
    if sees_settled:
        is_theirs |= items.c.state.not_in(BLIND_STATES)
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
    if wanted.stage:
        query = query.where(work.c.stage == wanted.stage)
    if wanted.state:
        query = query.where(work.c.state == wanted.state)
    if wanted.item_state:
        query = query.where(items.c.state == wanted.item_state)
    count = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    page = query.order_by(items.c.position, work.c.id).offset(wanted.skip).limit(wanted.most)
    return all_of(OwnItem, connection, page), count


def lock_project(connection: Connection, project: int) -> None:
    """Keeps others from giving out items of a project until the transaction ends.

    Rows that refer to the project can be added meanwhile: whoever holds an item and writes about
    it does not wait for whoever holds the project and wants the item.
    """
    query = select(projects.c.id).where(projects.c.id == project)
    connection.execute(query.with_for_update(key_share=True))


def next_free(connection: Connection, project: int, person: int) -> StoredItem | None:
    """The first item outside batches that lacks annotators and that a person does not have."""
    taken = (
        select(func.count())
        .where(work.c.item == items.c.id, work.c.stage == "annotate")
        .where(work.c.state != WITHDRAWN)
        .correlate(items)
        .scalar_subquery()
    )
    own = select(work.c.id).where(work.c.item == items.c.id, work.c.person == person)
    query = (
        select(items)
        .where(
            and_(
                items.c.project == project,
                items.c.purpose == "real",
                items.c.batch == 0,
                items.c.state.in_(BLIND_STATES),
                taken < items.c.k,
                ~own.correlate(items).exists(),
            )
        )
        .order_by(items.c.position)
        .limit(1)
    )
    return first_of(StoredItem, connection, query)


def lock_item(connection: Connection, item: int) -> StoredItem:
    """An item that nobody else moves on meanwhile."""
    query = select(items).where(items.c.id == item).with_for_update()
    return one_of(StoredItem, connection, query)


def items_by_id(connection: Connection, ids: Iterable[int]) -> list[StoredItem]:
    """The items of some numbers."""
    return all_of(StoredItem, connection, select(items).where(items.c.id.in_(list(ids))))


def items_for(connection: Connection, project: int, purpose: Purpose) -> list[StoredItem]:
    """The items of a project for a purpose, by position."""
    query = select(items).where(items.c.project == project, items.c.purpose == purpose)
    return all_of(StoredItem, connection, query.order_by(items.c.position))


def item_records(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    """The examples of items as they are kept, by their numbers."""
    return pairs(connection, select(items.c.id, items.c.record).where(items.c.id.in_(ids)))


def set_item_state(connection: Connection, item: int, state: ItemState) -> None:
    """Puts an item into another state."""
    connection.execute(update(items).where(items.c.id == item).values(state=state))


def open_new(connection: Connection, ids: Sequence[int]) -> list[int]:
    """Opens those of some items that are new; their numbers."""
    new = select(items.c.id).where(items.c.id.in_(ids), items.c.state == "new")
    opened = list(connection.execute(new).scalars())
    connection.execute(update(items).where(items.c.id.in_(opened)).values(state="open"))
    return opened


def place_in_batch(connection: Connection, ids: Sequence[int], batch: int, k: int) -> None:
    """Puts items into a batch, for `k` annotators each."""
    connection.execute(update(items).where(items.c.id.in_(ids)).values(batch=batch, k=k))
