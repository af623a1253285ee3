"""Batches: items given out together, and what happens to work when somebody leaves."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from assay.app.annotation import access
from assay.app.annotation.people.names import fold
from assay.app.annotation.settings import MOST_ANNOTATORS
from assay.app.annotation.studio import Person, Studio, in_order
from assay.app.annotation.team import flow, handover
from assay.bench.batches import BatchRule, Before, Placed, make_batches
from assay.core.errors import InputError
from assay.store.studio.queues import (
    CLOSED_STATES,
    WITHDRAWN,
    note_event,
    pairs,
)
from assay.store.studio.tables import items, members, people, projects, work


@dataclass(frozen=True, slots=True)
class Share:
    """What one annotator has of a batch."""

    name: str
    given: int
    submitted: int


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch and how far it is; `states` counts its items in each state."""

    number: int
    items: int
    k: int
    sources: int
    states: dict[str, int]
    lacking: int  # annotators, over all its items
    annotators: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """How items are given out.

    Without names all members who are annotators take part; without `k` the project's own is used.
    With `per_batch` the same annotators have all of a batch.
    """

    size: int
    k: int | None = None
    annotators: tuple[str, ...] = ()
    seed: int = 0
    per_batch: bool = False


def give_out(studio: Studio, who: Person, slug: str, wish: BatchRequest) -> tuple[Batch, ...]:
    """Puts the items that nobody has into batches and assigns them; all batches of the project."""
    with studio.write() as connection:
        project = access.require(connection, who, "manage-project", slug)
        lock = select(projects.c.id).where(projects.c.id == project.id).with_for_update()
        connection.execute(lock)
        k = flow.project_settings(connection, project.id).k if wish.k is None else wish.k
        if k > MOST_ANNOTATORS:
            message = f"an item has 1 to {MOST_ANNOTATORS} annotators, not {k}"
            raise InputError(message, field="k")
        team = _team(connection, project.id, wish.annotators)
        plan = make_batches(
            _free_items(connection, project.id),
            team,
            BatchRule(wish.size, k, wish.seed, wish.per_batch),
            Before(
                handover.loads(connection, project.id),
                _known_sources(connection, project.id),
                _people_of_batches(connection, project.id),
            ),
        )
        if not plan:
            raise InputError(_why_nothing(connection, project.id), code="no-items")
        _carry_out(connection, studio.now(), project.id, k, plan)
        detail = {"items": len(plan), "size": wish.size, "k": k, "seed": wish.seed}
        detail |= {"per_batch": True} if wish.per_batch else {}
        now = studio.now()
        note_event(
            connection, now, "batches", json.dumps(detail), project=project.id, person=who.account
        )
        return _batches(connection, project.id)


def list_batches(studio: Studio, who: Person, slug: str) -> tuple[Batch, ...]:
    """The batches of a project and how far they are."""
    with studio.read() as connection:
        project = access.require(connection, who, "see-board", slug)
        return _batches(connection, project.id)


def _carry_out(
    connection: Connection, now: str, project: int, k: int, plan: Sequence[Placed]
) -> None:
    by_batch: dict[int, list[int]] = {}
    for each in plan:
        by_batch.setdefault(each.batch, []).append(each.item)
    for batch, ids in by_batch.items():
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            placed = update(items).where(items.c.id.in_(some)).values(batch=batch, k=k)
            connection.execute(placed)
    flow.begin(connection, now, project, [each.item for each in plan])
    begun = {"stage": "annotate", "state": "assigned", "version": 0, "draft": "", "seconds": 0}
    rows = [
        {"project": project, "item": each.item, "person": person, **begun}
        for each in plan
        for person in each.annotators
    ]
    connection.execute(insert(work).values(started_at="", submitted_at=""), rows)


def _team(connection: Connection, project: int, names: Sequence[str]) -> list[int]:
    if not names:
        return handover.annotators(connection, project)
    found = pairs(
        connection,
        select(people.c.folded, people.c.id)
        .join(members, members.c.person == people.c.id)
        .where(members.c.project == project, people.c.is_active),
    )
    unknown = [name for name in names if fold(name) not in found]
    if unknown:
        message = f"'{unknown[0]}' is no active member of the project"
        raise InputError(message, field="annotators", code="no-member")
    return [found[fold(name)] for name in names]


def _free_items(connection: Connection, project: int) -> dict[int, str]:
    """The items that nobody has, with their sources."""
    query = select(items.c.id, items.c.source).where(
        items.c.project == project,
        items.c.purpose == "real",
        items.c.state == "new",
        items.c.batch == 0,
    )
    return pairs(connection, query)


def _why_nothing(connection: Connection, project: int) -> str:
    query = select(items.c.id).where(items.c.project == project, items.c.purpose == "real")
    if connection.execute(query.limit(1)).first() is None:
        return "the project has no items yet; import some first"
    return "all items of the project were given out already"


def _known_sources(connection: Connection, project: int) -> dict[str, int]:
    query = select(items.c.source, items.c.batch).where(
        items.c.project == project, items.c.purpose == "real", items.c.batch > 0
    )
    return pairs(connection, query.distinct())


def _people_of_batches(connection: Connection, project: int) -> dict[int, set[int]]:
    """Who has items of each batch."""
    query = (
        select(items.c.batch, work.c.person)
        .join(work, work.c.item == items.c.id)
        .where(items.c.project == project, items.c.batch > 0, work.c.stage == "annotate")
        .where(work.c.state != WITHDRAWN)
    )
    found: dict[int, set[int]] = {}
    for batch, person in connection.execute(query.distinct()):
        found.setdefault(batch, set()).add(person)
    return found


def _batches(connection: Connection, project: int) -> tuple[Batch, ...]:
    found = connection.execute(
        select(items.c.id, items.c.batch, items.c.k, items.c.state, items.c.source)
        .where(items.c.project == project, items.c.batch > 0, items.c.purpose == "real")
        .order_by(items.c.batch, items.c.position)
    ).all()
    short = handover.lacking(connection, project)
    shares = _shares(connection, project)
    batches: dict[int, list[Row[*tuple[Any, ...]]]] = {}
    for row in found:
        batches.setdefault(row.batch, []).append(row)
    return tuple(
        Batch(
            number,
            len(rows),
            max(row.k for row in rows),
            len({row.source for row in rows}),
            in_order(Counter(row.state for row in rows)),
            sum(short.get(row.id, 0) for row in rows),
            tuple(shares.get(number, ())),
        )
        for number, rows in batches.items()
    )


def _shares(connection: Connection, project: int) -> dict[int, list[Share]]:
    query = (
        select(items.c.batch, people.c.name, work.c.state, func.count())
        .join(work, work.c.item == items.c.id)
        .join(people, people.c.id == work.c.person)
        .where(items.c.project == project, items.c.batch > 0, work.c.stage == "annotate")
        .where(work.c.state != WITHDRAWN)
        .group_by(items.c.batch, people.c.name, work.c.state)
    )
    counted: dict[int, dict[str, list[int]]] = {}
    for batch, name, state, count in connection.execute(query):
        both = counted.setdefault(batch, {}).setdefault(name, [0, 0])
        both[0] += count
        both[1] += count if state in CLOSED_STATES else 0
    return {
        batch: [Share(name, *both) for name, both in sorted(given.items())]
        for batch, given in counted.items()
    }
