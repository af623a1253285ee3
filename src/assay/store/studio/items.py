"""The items of a project, and whose turn an item is."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, case, func, select

from assay.store.studio.tables import items, projects, work

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


def count_items(connection: Connection, project: int, purpose: str = "real") -> int:
    """How many items a project has for a purpose; their positions count from 1."""
    return connection.execute(_COUNT, {"project": project, "purpose": purpose}).scalar() or 0


def neighbours(
    connection: Connection, person: int, item: Row[Any], stage: str
) -> tuple[int | None, int | None]:
    """The positions before and after an item among those that a person has in the same stage."""
    about = {"project": item.project, "purpose": item.purpose, "here": item.position}
    row = connection.execute(_NEIGHBOURS, {**about, "person": person, "stage": stage}).one()
    before, after = row
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
            work.c.state.in_(("open", "assigned")),
            work.c.stage.in_(stages),
            work.c.later > 0 if skipped else work.c.later == 0,
        )
        .order_by(order, work.c.later, work.c.state.desc(), items.c.position, work.c.id)
        .limit(1)
    )
    found = connection.execute(query).first()
    return (found.position, found.stage) if found else None


def lock_project(connection: Connection, project: int) -> None:
    """Keeps others from giving out items of a project until the transaction ends.

    Rows that refer to the project can be added meanwhile: whoever holds an item and writes about
    it does not wait for whoever holds the project and wants the item.
    """
    query = select(projects.c.id).where(projects.c.id == project)
    connection.execute(query.with_for_update(key_share=True))


def next_free(connection: Connection, project: int, person: int) -> Row[Any] | None:
    """The first item outside batches that lacks annotators and that a person does not have."""
    taken = (
        select(func.count())
        .where(work.c.item == items.c.id, work.c.stage == "annotate")
        .where(work.c.state != "withdrawn")
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
                items.c.state.in_(("new", "open")),
                taken < items.c.k,
                ~own.correlate(items).exists(),
            )
        )
        .order_by(items.c.position)
        .limit(1)
    )
    return connection.execute(query).first()
