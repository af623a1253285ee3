"""Batches: items given out together, and what happens to work when somebody leaves."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.people.names import fold
from assay.annotation.settings import MOST_ANNOTATORS
from assay.annotation.studio import Person, Studio, in_order
from assay.annotation.team import flow
from assay.annotation.team.handover import annotators_of
from assay.bench.batches import BatchRule, Before, Placed, make_batches
from assay.core.errors import InputError
from assay.store.annotation.batches import (
    BatchItem,
    batch_counts,
    batch_items,
    batched_sources,
    free_items,
    lacking,
    loads,
    people_of_batches,
    team,
)
from assay.store.annotation.database import Connection
from assay.store.annotation.events import note_event
from assay.store.annotation.items import has_items, lock_project, place_in_batch
from assay.store.annotation.records import CLOSED_STATES
from assay.store.annotation.work import assign


@dataclass(frozen=True, slots=True)
class BatchShare:
    """One annotator's share of a batch."""

    name: str
    given: int
    submitted: int


@dataclass(frozen=True, slots=True)
class ItemBatch:
    """A batch and how far it is; `states` counts its items in each state."""

    number: int
    items: int
    k: int
    sources: int
    states: dict[str, int]
    lacking: int  # annotators, over all its items
    annotators: tuple[BatchShare, ...]


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A wish for batches: their size, and who annotates.

    Without names all members who are annotators take part; without `k` the project's own is used.
    With `per_batch` the same annotators have all of a batch.
    """

    size: int
    k: int | None = None
    annotators: tuple[str, ...] = ()
    seed: int = 0
    per_batch: bool = False


def give_out(studio: Studio, who: Person, slug: str, wish: BatchRequest) -> tuple[ItemBatch, ...]:
    """Puts the items that nobody has into batches and assigns them; all batches of the project."""
    with studio.write() as connection:
        project = access.require(connection, who, "manage-project", slug)
        lock_project(connection, project.id)
        k = flow.project_settings(connection, project.id).k if wish.k is None else wish.k
        if k > MOST_ANNOTATORS:
            message = f"an item has 1 to {MOST_ANNOTATORS} annotators, not {k}"
            raise InputError(message, field="k")
        plan = make_batches(
            free_items(connection, project.id),
            _annotators(connection, project.id, wish.annotators),
            BatchRule(wish.size, k, wish.seed, wish.per_batch),
            Before(
                loads(connection, project.id),
                batched_sources(connection, project.id),
                people_of_batches(connection, project.id),
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


def list_batches(studio: Studio, who: Person, slug: str) -> tuple[ItemBatch, ...]:
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
            place_in_batch(connection, ids[start : start + 500], batch, k)
    flow.begin(connection, now, project, [each.item for each in plan])
    assign(connection, project, [(each.item, who) for each in plan for who in each.annotators])


def _annotators(connection: Connection, project: int, names: Sequence[str]) -> list[int]:
    if not names:
        return annotators_of(connection, project)
    found = {each.folded: each.id for each in team(connection, project)}
    unknown = [name for name in names if fold(name) not in found]
    if unknown:
        message = f"'{unknown[0]}' is no active member of the project"
        raise InputError(message, field="annotators", code="no-member")
    return [found[fold(name)] for name in names]


def _why_nothing(connection: Connection, project: int) -> str:
    if not has_items(connection, project):
        return "the project has no items yet; import some first"
    return "all items of the project were given out already"


def _batches(connection: Connection, project: int) -> tuple[ItemBatch, ...]:
    short = lacking(connection, project)
    shares = _shares(connection, project)
    batches: dict[int, list[BatchItem]] = {}
    for each in batch_items(connection, project):
        batches.setdefault(each.batch, []).append(each)
    return tuple(
        ItemBatch(
            number,
            len(given),
            max(each.k for each in given),
            len({each.source for each in given}),
            in_order(Counter(each.state for each in given)),
            sum(short.get(each.id, 0) for each in given),
            tuple(shares.get(number, ())),
        )
        for number, given in batches.items()
    )


def _shares(connection: Connection, project: int) -> dict[int, list[BatchShare]]:
    counted: dict[int, dict[str, list[int]]] = {}
    for each in batch_counts(connection, project):
        both = counted.setdefault(each.batch, {}).setdefault(each.name, [0, 0])
        both[0] += each.count
        both[1] += each.count if each.state in CLOSED_STATES else 0
    return {
        batch: [BatchShare(name, *both) for name, both in sorted(given.items())]
        for batch, given in counted.items()
    }
