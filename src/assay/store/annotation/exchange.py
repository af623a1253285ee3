"""Whole items, with all that hangs on them, for files that come in and go out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, func, insert, or_, select

from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.store.annotation.items import count_items
from assay.store.annotation.judgements import judgements_of
from assay.store.annotation.projects import people_of_project
from assay.store.annotation.records import (
    BLIND_STATES,
    ItemState,
    Purpose,
    StoredComment,
    StoredFetch,
    StoredFlag,
    StoredItem,
    StoredJudgement,
    StoredMember,
    StoredPerson,
    StoredSnapshot,
    StoredWork,
    all_of,
    pairs,
    values_of,
)
from assay.store.annotation.tables import (
    comments,
    fetches,
    flags,
    items,
    judgements,
    members,
    people,
    snapshots,
    work,
)

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be added with what hangs on it; their numbers and the item's position are 0."""

    item: StoredItem
    judgements: Sequence[StoredJudgement] = ()
    work: Sequence[StoredWork] = ()
    comments: Sequence[StoredComment] = ()
    flags: Sequence[StoredFlag] = ()
    fetches: Sequence[StoredFetch] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Purpose and example, which no two items of a project share."""
        return self.item.purpose, self.item.example


def stored_item(
    project: int,
    example: Example,
    *,
    purpose: Purpose,
    state: ItemState,
    batch: int = 0,
    k: int = 1,
) -> StoredItem:
    """An example as it is kept; it gets its number and its position when it is added."""
    return StoredItem(
        id=0,
        project=project,
        position=0,
        purpose=purpose,
        example=example.id,
        record=write_example(Annotated(example)).decode(),
        source=sha256(example.source.text.encode(errors="surrogatepass")).hexdigest(),
        model=example.response.model,
        batch=batch,
        k=k,
        state=state,
    )


def insert_items(connection: Connection, project: int, added: Sequence[NewItem]) -> None:
    """Writes new items, each at the next position of its purpose, and what hangs on them."""
    last: dict[str, int] = {}
    placed = []
    for new in added:
        purpose = new.item.purpose
        if purpose not in last:
            last[purpose] = count_items(connection, project, purpose)
        last[purpose] += 1
        placed.append(values_of(replace(new.item, position=last[purpose])))
    if not placed:
        return
    statement = insert(items).returning(items.c.id, sort_by_parameter_order=True)
    numbers = list(connection.execute(statement, placed).scalars())
    there = _kept_pages(connection, added)
    hanging: tuple[tuple[Table, list[Sequence[Any]]], ...] = (
        (judgements, [new.judgements for new in added]),
        (work, [new.work for new in added]),
        (comments, [new.comments for new in added]),
        (flags, [new.flags for new in added]),
        (fetches, [[page for page in new.fetches if page.digest in there] for new in added]),
    )
    for table, of_items in hanging:
        rows = [
            {**values_of(each), "item": number}
            for number, some in zip(numbers, of_items, strict=True)
            for each in some
        ]
        if rows:
            connection.execute(insert(table), rows)


def _kept_pages(connection: Connection, added: Sequence[NewItem]) -> set[str]:
    """The pages that new items name and whose words came with them."""
    named = {page.digest for new in added for page in new.fetches}
    query = select(snapshots.c.digest).where(snapshots.c.digest.in_(named))
    return set(connection.execute(query).scalars()) if named else set()


def known_records(
    connection: Connection, project: int, examples: Sequence[str]
) -> dict[tuple[str, str], str]:
    """The records of those items that a project has already, by purpose and example."""
    query = select(items.c.purpose, items.c.example, items.c.record).where(
        items.c.project == project, items.c.example.in_(examples)
    )
    rows = connection.execute(query)
    return {(purpose, example): record for purpose, example, record in rows}


def real_items(
    connection: Connection, project: int, examples: Sequence[str]
) -> dict[str, StoredItem]:
    """The items of some examples that are annotated for real, by example."""
    query = select(items).where(
        items.c.project == project, items.c.purpose == "real", items.c.example.in_(examples)
    )
    return {each.example: each for each in all_of(StoredItem, connection, query)}


def real_records(connection: Connection, project: int, *, without: str = "") -> Iterator[str]:
    """The examples of a project in order, but for those that a detector has judged already."""
    said = select(judgements.c.item).where(
        judgements.c.project == project,
        judgements.c.author == without,
        judgements.c.kind == "detector",
    )
    query = (
        select(items.c.record)
        .where(items.c.project == project, items.c.purpose == "real", items.c.id.not_in(said))
        .order_by(items.c.position)
    )
    yield from connection.execute(query).scalars()


def items_with_work(connection: Connection, numbers: Sequence[int]) -> set[int]:
    """Those of some items that somebody has work on."""
    query = select(work.c.item).where(work.c.item.in_(numbers)).distinct()
    return set(connection.execute(query).scalars())


def people_speaking(connection: Connection, project: int, names: Iterable[str]) -> set[str]:
    """Those of some names that are authors of people's judgements in a project."""
    query = select(judgements.c.author).where(
        judgements.c.project == project,
        judgements.c.author.in_(list(names)),
        judgements.c.kind == "person",
    )
    return set(connection.execute(query.distinct()).scalars())


def count_judged(connection: Connection, project: int) -> dict[str, int]:
    """The number of real items that each detector has judged."""
    query = (
        select(judgements.c.author, func.count())
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.purpose == "real")
        .where(judgements.c.kind == "detector", judgements.c.is_current)
        .group_by(judgements.c.author)
    )
    return pairs(connection, query)


def items_with_judgements(
    connection: Connection, project: int
) -> Iterator[tuple[StoredItem, list[StoredJudgement]]]:
    """All items in order, training first, each with all that was said of it."""
    order = case({"training": 0, "quiz": 1}, value=items.c.purpose, else_=2)
    query = select(items).where(items.c.project == project).order_by(order, items.c.position)
    numbers = connection.execute(query.with_only_columns(items.c.id)).scalars().all()
    for begin in range(0, len(numbers), _AT_ONCE):
        some = numbers[begin : begin + _AT_ONCE]
        found = all_of(StoredItem, connection, query.where(items.c.id.in_(some)))
        said = judgements_of(connection, some)
        yield from ((item, said.get(item.id, [])) for item in found)


def _is_judged(*, with_data: bool) -> ColumnElement[bool]:
    """True for an item of which somebody said something that may be told."""
    told: ColumnElement[bool] = items.c.state.not_in(BLIND_STATES)
    if with_data:
        told |= judgements.c.stage == "imported"
    said = select(judgements.c.id).where(
        judgements.c.item == items.c.id, judgements.c.kind == "person", told
    )
    return said.correlate(items).exists()


def count_unjudged(connection: Connection, project: int, *, with_data: bool) -> int:
    """The number of real items of which nobody said anything that may be told."""
    query = select(func.count()).where(
        items.c.project == project, items.c.purpose == "real", ~_is_judged(with_data=with_data)
    )
    return connection.execute(query.select_from(items)).scalar_one()


def judged_records(connection: Connection, project: int, *, with_data: bool) -> Iterator[str]:
    """The examples of a project of which somebody said something that may be told."""
    query = select(items.c.record).where(
        items.c.project == project, items.c.purpose == "real", _is_judged(with_data=with_data)
    )
    yield from connection.execute(query).scalars()


def project_people(
    connection: Connection, project: int
) -> list[tuple[StoredPerson, StoredMember | None]]:
    """The members of a project, and whoever worked in it, by name."""
    worked = select(work.c.person).where(work.c.project == project)
    spoke = select(comments.c.person).join(items).where(items.c.project == project)
    audited = select(flags.c.person).where(flags.c.project == project)
    took_part = (people.c.id.in_(each) for each in (worked, spoke, audited))
    return people_of_project(connection, project, or_(members.c.person.is_not(None), *took_part))


def flags_of_item(connection: Connection, item: int) -> list[StoredFlag]:
    """The flags on an item."""
    query = select(flags).where(flags.c.item == item).order_by(flags.c.id)
    return all_of(StoredFlag, connection, query)


def pages_of_item(connection: Connection, item: int, digests: Iterable[str]) -> list[StoredFetch]:
    """Those of some pages that people read for an item."""
    query = (
        select(fetches)
        .where(fetches.c.item == item, fetches.c.digest.in_(list(digests)))
        .order_by(fetches.c.at, fetches.c.digest, fetches.c.person)
    )
    return all_of(StoredFetch, connection, query)


def snapshots_of(connection: Connection, digests: Iterable[str]) -> list[StoredSnapshot]:
    """Some pages from outside."""
    query = select(snapshots).where(snapshots.c.digest.in_(list(digests)))
    return all_of(StoredSnapshot, connection, query.order_by(snapshots.c.digest))
