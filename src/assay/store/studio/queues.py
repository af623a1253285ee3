"""Work that people have, and what they and detectors said of items: the questions of the queues."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from assay.store.studio.tables import events, items, judgements, work

OPEN_STATES = ("assigned", "open")  # of work that is still to be done
CLOSED_STATES = ("submitted", "held")
WITHDRAWN = "withdrawn"  # of work that somebody began and is no longer asked for

AnyRow = Row[Any]


def lock_item(connection: Connection, item: int) -> AnyRow:
    """An item that nobody else moves on meanwhile."""
    return connection.execute(select(items).where(items.c.id == item).with_for_update()).one()


def set_item_state(connection: Connection, item: int, state: str) -> None:
    """Puts an item into another state."""
    connection.execute(update(items).where(items.c.id == item).values(state=state))


def work_on(connection: Connection, item: int, *stages: str) -> Sequence[AnyRow]:
    """The work of some stages on an item that was not withdrawn, oldest first."""
    query = select(work).where(
        work.c.item == item, work.c.stage.in_(stages), work.c.state != WITHDRAWN
    )
    return connection.execute(query.order_by(work.c.id)).all()


def give_work(
    connection: Connection, item: AnyRow, person: int, stage: str, draft: str = ""
) -> int:
    """Gives somebody a stage of an item, or gives it back to them; the number of the work."""
    mine = select(work).where(
        work.c.item == item.id, work.c.person == person, work.c.stage == stage
    )
    before = connection.execute(mine).first()
    if before is not None:
        again = update(work).where(work.c.id == before.id).values(state="assigned", later=0)
        connection.execute(again)
        return int(before.id)
    row = insert(work).values(
        project=item.project,
        item=item.id,
        person=person,
        stage=stage,
        state="assigned",
        version=0,
        draft=draft,
        seconds=0,
        started_at="",
        submitted_at="",
    )
    return int(connection.execute(row.returning(work.c.id)).scalar_one())


def set_work_state(connection: Connection, ids: Iterable[int], state: str) -> None:
    """Puts work into another state."""
    connection.execute(update(work).where(work.c.id.in_(list(ids))).values(state=state))


def said_of(
    connection: Connection, item_ids: Sequence[int], *stages: str, kind: str = "person"
) -> Sequence[AnyRow]:
    """What people or detectors said of items in some stages, in the order of their rounds."""
    query = select(judgements).where(judgements.c.item.in_(item_ids), judgements.c.kind == kind)
    if stages:
        query = query.where(judgements.c.stage.in_(stages))
    return connection.execute(query.order_by(judgements.c.round, judgements.c.id)).all()


def outdate_audits(connection: Connection, item: int) -> None:
    """Lets revisions of an item's labels no longer hold: a later adjudication replaces them."""
    revised = (judgements.c.item == item) & (judgements.c.stage == "audit")
    connection.execute(update(judgements).where(revised).values(is_current=False))


def note_event(
    connection: Connection, now: str, kind: str, detail: str, **about: int | None
) -> None:
    """Writes down what happened to a project, an item or a person, whichever are named."""
    connection.execute(insert(events).values(kind=kind, detail=detail, at=now, **about))


def pairs(connection: Connection, query: Select[*tuple[Any, ...]]) -> dict[Any, Any]:
    """What a query of two columns finds, the second by the first."""
    return {row[0]: row[1] for row in connection.execute(query)}
