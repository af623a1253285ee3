"""Labels of finished items that were put up for audit, and what was decided about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from assay.store.annotation.records import (
    StoredFlag,
    StoredJudgement,
    all_of,
    by_item,
    exists,
    first_of,
    pairs,
    values_of,
)
from assay.store.annotation.tables import flags, items, judgements, people


@dataclass(frozen=True, slots=True)
class ListedFlag(StoredFlag):
    """A flag with what a list shows of its item, and the name of the person who decided."""

    position: int
    example: str
    model: str
    record: str
    name: str | None


def is_audited(connection: Connection, item: int) -> bool:
    """True if a decision was made about a label of an item."""
    query = select(flags.c.id).where(flags.c.item == item, flags.c.decision != "")
    return exists(connection, query)


def delete_flags(connection: Connection, item: int) -> None:
    """Takes back what was asked of the labels of an item."""
    connection.execute(delete(flags).where(flags.c.item == item))


def flag_by_id(connection: Connection, project: int, number: int) -> StoredFlag | None:
    """The flag of a project with that number."""
    query = select(flags).where(flags.c.id == number, flags.c.project == project)
    return first_of(StoredFlag, connection, query)


def flags_of(connection: Connection, project: int) -> dict[tuple[int, str], StoredFlag]:
    """The flags of a project, by item and unit."""
    query = select(flags).where(flags.c.project == project)
    return {(each.item, each.unit): each for each in all_of(StoredFlag, connection, query)}


def listed_flags(
    connection: Connection, project: int, *, skip: int = 0, most: int | None = None
) -> list[ListedFlag]:
    """The flags of finished items, open ones first and the most severe among them first."""
    query = (
        select(
            flags, items.c.position, items.c.example, items.c.model, items.c.record, people.c.name
        )
        .join(items, items.c.id == flags.c.item)
        .outerjoin(people, people.c.id == flags.c.person)
        .where(flags.c.project == project, items.c.state == "done")
        .order_by(flags.c.decision != "", flags.c.severity.desc(), flags.c.id)
    )
    return all_of(ListedFlag, connection, query.offset(skip).limit(most))


def count_flags(connection: Connection, project: int) -> dict[str, int]:
    """The number of flags of finished items by their decision, which is empty while open."""
    query = (
        select(flags.c.decision, func.count())
        .join(items, items.c.id == flags.c.item)
        .where(flags.c.project == project, items.c.state == "done")
        .group_by(flags.c.decision)
    )
    return pairs(connection, query)


def insert_flag(connection: Connection, flag: StoredFlag) -> None:
    """Puts a label up for audit."""
    connection.execute(insert(flags).values(**values_of(flag)))


def update_flag(connection: Connection, number: int, **values: object) -> None:
    """Sets some columns of a flag."""
    connection.execute(update(flags).where(flags.c.id == number).values(**values))


def take_back(connection: Connection, numbers: Sequence[int]) -> None:
    """Takes back flags, by their numbers."""
    if numbers:
        gone = delete(flags).where(flags.c.id == bindparam("number"))
        connection.execute(gone, [{"number": number} for number in numbers])


def finished_items(connection: Connection, project: int) -> dict[str, int]:
    """The numbers of the finished items of a project, by the ids of their examples."""
    return pairs(connection, select(items.c.example, items.c.id).where(*_finished(project)))


def others_on_finished(connection: Connection, project: int) -> dict[int, list[StoredJudgement]]:
    """Judgements of finished items by detectors and imports, in the order of their rounds."""
    query = (
        select(judgements)
        .join(items, items.c.id == judgements.c.item)
        .where(*_finished(project))
        .where((judgements.c.kind == "detector") | (judgements.c.stage == "imported"))
        .order_by(judgements.c.round, judgements.c.id)
    )
    return by_item(all_of(StoredJudgement, connection, query))


def versions_of_finished(connection: Connection, project: int) -> dict[int, tuple[int, int]]:
    """The number of people's judgements of each finished item, and the last of them.

    Judgements are only ever added, so the two tell whether anything new was said.
    """
    query = (
        select(judgements.c.item, func.count(), func.max(judgements.c.id))
        .join(items, items.c.id == judgements.c.item)
        .where(*_finished(project), judgements.c.kind == "person")
        .group_by(judgements.c.item)
    )
    return {item: (count, last) for item, count, last in connection.execute(query)}


def _finished(project: int) -> tuple[ColumnElement[bool], ...]:
    return items.c.project == project, items.c.purpose == "real", items.c.state == "done"
