"""The work of people on items: drafts, and the changes that made them."""

from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select, update

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


# Statements of every load and save are made once: making one takes longer than running it.
_BY_ID = _WITH_ITEM.where(work.c.id == bindparam("work"))
_LOCKED = _BY_ID.with_for_update(of=work)
_OWN = (
    select(work)
    .where(
        work.c.item == bindparam("item"),
        work.c.person == bindparam("person"),
        work.c.state != "withdrawn",
    )
    .order_by(work.c.id)
)
_SINCE = (
    select(changes)
    .where(changes.c.work == bindparam("work"), changes.c.version > bindparam("after"))
    .order_by(changes.c.version)
)


def load_work(connection: Connection, work_id: int, *, locked: bool = False) -> Row[Any] | None:
    """A work with its item and the settings of its project; locked for whoever changes it."""
    return connection.execute(_LOCKED if locked else _BY_ID, {"work": work_id}).first()


def own_work(connection: Connection, person: int, item: int) -> Row[Any] | None:
    """What a person has of an item: what is not finished, or else the latest."""
    found = connection.execute(_OWN, {"item": item, "person": person}).all()
    unfinished = [each for each in found if each.state in ("assigned", "open")]
    return (unfinished or found)[-1] if found else None


def update_work(connection: Connection, work_id: int, **values: object) -> None:
    """Sets some columns of a work."""
    connection.execute(update(work).where(work.c.id == work_id).values(**values))


def put_off(connection: Connection, row: Row[Any]) -> None:
    """Puts a work behind all that its person has in the project."""
    last = select(func.max(work.c.later)).where(
        work.c.project == row.project, work.c.person == row.person
    )
    later = (connection.execute(last).scalar() or 0) + 1
    update_work(connection, row.id, later=later)


def add_change(connection: Connection, work_id: int, version: int, **values: object) -> None:
    """Appends a change to the history of a work."""
    connection.execute(changes.insert().values(work=work_id, version=version, **values))


def changes_since(connection: Connection, work_id: int, version: int) -> list[Row[Any]]:
    """The changes after a version, in order."""
    return list(connection.execute(_SINCE, {"work": work_id, "after": version}))
