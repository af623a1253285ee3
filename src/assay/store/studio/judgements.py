"""What people and detectors said of items: appended, never overwritten."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from assay.store.studio.tables import judgements


def current_judgements(
    connection: Connection, item: int, kind: str | None = None
) -> list[Row[Any]]:
    """What is said of an item now, without what was revised since; in the order it was said."""
    query = select(judgements).where(judgements.c.item == item, judgements.c.is_current)
    if kind:
        query = query.where(judgements.c.kind == kind)
    return list(connection.execute(query.order_by(judgements.c.id)))


def last_round(connection: Connection, item: int, author: str) -> int:
    """The round of an author's latest judgement of an item; 0 where there is none."""
    query = select(func.max(judgements.c.round)).where(
        judgements.c.item == item, judgements.c.author == author
    )
    return connection.execute(query).scalar() or 0


def add_judgements(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Adds judgements, each of which replaces what its author said of the item before."""
    last: dict[tuple[int, str], int] = {}
    for row in rows:
        key = (row["item"], row["author"])
        last[key] = max(row["round"], last.get(key, 0))
    for author in dict.fromkeys(row["author"] for row in rows):
        about = [row["item"] for row in rows if row["author"] == author]
        connection.execute(
            update(judgements)
            .where(judgements.c.author == author, judgements.c.item.in_(about))
            .values(is_current=False)
        )
    if rows:
        values = [
            {**row, "is_current": last[row["item"], row["author"]] == row["round"]} for row in rows
        ]
        connection.execute(judgements.insert(), values)


def add_judgement(connection: Connection, **values: object) -> None:
    """Adds a judgement, which replaces what its author said of the item before."""
    connection.execute(
        update(judgements)
        .where(judgements.c.item == values["item"], judgements.c.author == values["author"])
        .values(is_current=False)
    )
    connection.execute(judgements.insert().values(is_current=True, **values))
