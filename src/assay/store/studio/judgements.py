"""What people and detectors said of items: appended, never overwritten."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from assay.store.studio.tables import judgements, projects


def current_judgements(
    connection: Connection, item: int, kind: str | None = None
) -> list[Row[Any]]:
    """What is said of an item now, without what was revised since; in the order it was said."""
    query = select(judgements).where(judgements.c.item == item, judgements.c.is_current)
    if kind:
        query = query.where(judgements.c.kind == kind)
    return list(connection.execute(query.order_by(judgements.c.id)))


def is_detector(connection: Connection, name: str) -> bool:
    """Whether a detector of that name has judged items of any project."""
    said = select(judgements.c.id).where(
        judgements.c.project == projects.c.id,
        judgements.c.author == name,
        judgements.c.kind == "detector",
    )
    query = select(projects.c.id).where(said.correlate(projects).exists())
    return connection.execute(query.limit(1)).first() is not None


def last_round(connection: Connection, item: int, author: str, kind: str = "person") -> int:
    """The round of an author's latest judgement of an item; 0 where there is none."""
    query = select(func.max(judgements.c.round)).where(
        judgements.c.item == item, judgements.c.author == author, judgements.c.kind == kind
    )
    return connection.execute(query).scalar() or 0


def add_judgements(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Adds judgements, each of which replaces what its author said of the item before.

    A person and a detector of the same name are two authors.
    """
    last: dict[tuple[int, str, str], int] = {}
    for row in rows:
        last[_key(row)] = max(row["round"], last.get(_key(row), 0))
    for author, kind in dict.fromkeys((row["author"], row["kind"]) for row in rows):
        about = [row["item"] for row in rows if (row["author"], row["kind"]) == (author, kind)]
        _outdate(connection, about, author, kind)
    if rows:
        values = [{**row, "is_current": last[_key(row)] == row["round"]} for row in rows]
        connection.execute(judgements.insert(), values)


def add_judgement(connection: Connection, **values: Any) -> None:
    """Adds a judgement, which replaces what its author said of the item before."""
    _outdate(connection, [values["item"]], values["author"], values["kind"])
    connection.execute(judgements.insert().values(is_current=True, **values))


def _key(row: dict[str, Any]) -> tuple[int, str, str]:
    return row["item"], row["author"], row["kind"]


def _outdate(connection: Connection, about: list[int], author: str, kind: str) -> None:
    connection.execute(
        update(judgements)
        .where(judgements.c.author == author, judgements.c.kind == kind)
        .where(judgements.c.item.in_(about))
        .values(is_current=False)
    )
