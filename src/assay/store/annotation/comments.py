"""The discussion of an item: comments, and those who take part."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select

from assay.store.annotation.records import StoredComment, all_of, exists, pairs, values_of
from assay.store.annotation.tables import comments, items, people, work


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a unit, or on the item if `unit` is empty."""

    id: int
    unit: str
    author: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody in a discussion: still `assigned` or `open`, or `held` or `submitted`."""

    name: str
    state: str


def comments_of(connection: Connection, item: int) -> tuple[Comment, ...]:
    """All comments on an item; whoever calls this has checked who asks."""
    query = (
        select(comments.c.id, comments.c.unit, people.c.name, comments.c.at, comments.c.text)
        .join(people, people.c.id == comments.c.person)
        .where(comments.c.item == item)
        .order_by(comments.c.id)
    )
    return tuple(all_of(Comment, connection, query))


def is_discussed(connection: Connection, item: int) -> bool:
    """True if there is a comment on an item."""
    return exists(connection, select(comments.c.id).where(comments.c.item == item))


def insert_comment(connection: Connection, comment: StoredComment) -> None:
    """Adds a comment on an item."""
    connection.execute(insert(comments).values(values_of(comment)))


def comment_counts(connection: Connection, project: int) -> dict[int, int]:
    """The number of comments on each item of a project that has any, by the items' numbers."""
    query = (
        select(comments.c.item, func.count())
        .join(items, items.c.id == comments.c.item)
        .where(items.c.project == project)
        .group_by(comments.c.item)
    )
    return pairs(connection, query)


def participants(connection: Connection, item: int) -> tuple[Participant, ...]:
    """Those who were given the discussion of an item."""
    query = (
        select(people.c.name, work.c.state)
        .join(work, work.c.person == people.c.id)
        .join(items, items.c.id == work.c.item)
        .where(work.c.item == item, work.c.stage == "discuss")
        .order_by(work.c.id)
    )
    return tuple(all_of(Participant, connection, query))
