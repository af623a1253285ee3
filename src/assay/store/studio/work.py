"""The work of people on items: drafts, and the changes that made them."""

from typing import Any

from sqlalchemy import Connection, Row, select, update

from assay.store.studio.tables import changes, items, projects, work

_WITH_ITEM = (
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
)


def load_work(connection: Connection, work_id: int, *, locked: bool = False) -> Row[Any] | None:
    """A work with its item and the settings of its project; locked for whoever changes it."""
    query = _WITH_ITEM.where(work.c.id == work_id)
    return connection.execute(query.with_for_update(of=work) if locked else query).first()


def own_work(connection: Connection, person: int, item: int) -> Row[Any] | None:
    """What a person has of an item: what is not finished, or else the latest."""
    query = select(work).where(
        work.c.item == item, work.c.person == person, work.c.state != "withdrawn"
    )
    found = connection.execute(query.order_by(work.c.id)).all()
    unfinished = [each for each in found if each.state in ("assigned", "open")]
    return (unfinished or found)[-1] if found else None


def update_work(connection: Connection, work_id: int, **values: object) -> None:
    """Sets some columns of a work."""
    connection.execute(update(work).where(work.c.id == work_id).values(**values))


def add_change(connection: Connection, work_id: int, version: int, **values: object) -> None:
    """Appends a change to the history of a work."""
    connection.execute(changes.insert().values(work=work_id, version=version, **values))


def changes_since(connection: Connection, work_id: int, version: int) -> list[Row[Any]]:
    """The changes after a version, in order."""
    query = (
        select(changes)
        .where(changes.c.work == work_id, changes.c.version > version)
        .order_by(changes.c.version)
    )
    return list(connection.execute(query))


def work_of_item(connection: Connection, item: int) -> list[Row[Any]]:
    """Everybody's work on an item, in the order in which it was given out."""
    return list(connection.execute(select(work).where(work.c.item == item).order_by(work.c.id)))
