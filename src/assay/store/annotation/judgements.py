"""Judgements of items by people and detectors: appended, never overwritten."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, update

from assay.core.codec import write_judgement
from assay.core.judgements import Judgement
from assay.store.annotation.records import (
    JudgementStage,
    StoredJudgement,
    all_of,
    by_item,
    exists,
    values_of,
)
from assay.store.annotation.tables import items, judgements, projects


@dataclass(frozen=True, slots=True)
class DisputedJudgement(StoredJudgement):
    """A judgement of an item that waits for an adjudicator, with what a queue shows of the item."""

    position: int
    example: str
    model: str


def current_judgements(
    connection: Connection, item: int, kind: str | None = None
) -> list[StoredJudgement]:
    """The judgements of an item that hold now, in the order in which they came."""
    query = select(judgements).where(judgements.c.item == item, judgements.c.is_current)
    if kind:
        query = query.where(judgements.c.kind == kind)
    return all_of(StoredJudgement, connection, query.order_by(judgements.c.id))


def said_of(
    connection: Connection, item_ids: Sequence[int], *stages: str, kind: str = "person"
) -> list[StoredJudgement]:
    """The judgements of items by people or detectors in some stages, in the order of rounds."""
    query = select(judgements).where(judgements.c.item.in_(item_ids), judgements.c.kind == kind)
    if stages:
        query = query.where(judgements.c.stage.in_(stages))
    query = query.order_by(judgements.c.round, judgements.c.id)
    return all_of(StoredJudgement, connection, query)


def judgements_of(
    connection: Connection, numbers: Sequence[int]
) -> dict[int, list[StoredJudgement]]:
    """All judgements of some items, by the items' numbers, in the order in which they came."""
    query = select(judgements).where(judgements.c.item.in_(numbers)).order_by(judgements.c.id)
    return by_item(all_of(StoredJudgement, connection, query))


def disputed(
    connection: Connection, project: int, stages: Sequence[str]
) -> dict[int, list[DisputedJudgement]]:
    """The judgements of items that wait for an adjudicator, by the items' numbers."""
    query = (
        select(judgements, items.c.position, items.c.example, items.c.model)
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.state == "adjudication")
        .where(judgements.c.kind == "person", judgements.c.stage.in_(stages))
        .order_by(judgements.c.round, judgements.c.id)
    )
    return by_item(all_of(DisputedJudgement, connection, query))


def count_adjudicated(connection: Connection, project: int) -> int:
    """The number of finished items that an adjudicator judged."""
    query = (
        select(func.count(func.distinct(judgements.c.item)))
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.state == "done")
        .where(judgements.c.stage == "adjudicate")
    )
    return connection.execute(query).scalar_one()


def is_judged_later(connection: Connection, item: int) -> bool:
    """True if people judged an item after its annotation."""
    query = select(judgements.c.id).where(
        judgements.c.item == item,
        judgements.c.kind == "person",
        judgements.c.stage.not_in(("annotate", "imported")),
    )
    return exists(connection, query)


def is_detector(connection: Connection, name: str) -> bool:
    """True if a detector of that name has judged items of any project."""
    said = select(judgements.c.id).where(
        judgements.c.project == projects.c.id,
        judgements.c.author == name,
        judgements.c.kind == "detector",
    )
    query = select(projects.c.id).where(said.correlate(projects).exists())
    return exists(connection, query)


def last_round(connection: Connection, item: int, author: str, kind: str = "person") -> int:
    """The round of an author's latest judgement of an item; 0 where there is none."""
    query = select(func.max(judgements.c.round)).where(
        judgements.c.item == item, judgements.c.author == author, judgements.c.kind == kind
    )
    return connection.execute(query).scalar() or 0


def stored_judgement(
    project: int,
    item: int,
    said: Judgement,
    *,
    stage: JudgementStage = "imported",
    person: int | None = None,
) -> StoredJudgement:
    """A judgement as it is kept, by somebody with an account or by one who comes from elsewhere."""
    return StoredJudgement(
        id=0,
        project=project,
        item=item,
        author=said.author.name,
        kind=said.author.kind,
        person=person,
        stage=stage,
        round=said.round,
        is_current=True,
        at=said.at,
        record=write_judgement(said).decode(),
    )


def add_judgements(connection: Connection, new: Sequence[StoredJudgement]) -> None:
    """Adds judgements, each of which replaces what its author said of the item before.

    A person and a detector of the same name are two authors.
    """
    last: dict[tuple[int, str, str], int] = {}
    for each in new:
        last[_key(each)] = max(each.round, last.get(_key(each), 0))
    for author, kind in dict.fromkeys((each.author, each.kind) for each in new):
        about = [each.item for each in new if (each.author, each.kind) == (author, kind)]
        _outdate(connection, about, author, kind)
    if new:
        values = [{**values_of(each), "is_current": last[_key(each)] == each.round} for each in new]
        connection.execute(judgements.insert(), values)


def outdate_audits(connection: Connection, item: int) -> None:
    """Lets revisions of an item's labels no longer hold: a later adjudication replaces them."""
    revised = (judgements.c.item == item) & (judgements.c.stage == "audit")
    connection.execute(update(judgements).where(revised).values(is_current=False))


def _key(judgement: StoredJudgement) -> tuple[int, str, str]:
    return judgement.item, judgement.author, judgement.kind


def _outdate(connection: Connection, about: list[int], author: str, kind: str) -> None:
    connection.execute(
        update(judgements)
        .where(judgements.c.author == author, judgements.c.kind == kind)
        .where(judgements.c.item.in_(about))
        .values(is_current=False)
    )
