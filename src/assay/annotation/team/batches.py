"""Batches: items given out together, and unfinished work of people who leave, given to others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.people.names import fold
from assay.annotation.settings import MOST_ANNOTATORS
from assay.annotation.studio import Person, Studio, in_order
from assay.annotation.team import flow
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
from assay.store.annotation.items import (
    count_items,
    items_by_id,
    lock_item,
    lock_project,
    place_in_batch,
)
from assay.store.annotation.judgements import said_of
from assay.store.annotation.records import (
    CLOSED_STATES,
    OPEN_STATES,
    WITHDRAWN,
    StoredItem,
    StoredWork,
)
from assay.store.annotation.work import (
    assign,
    give_work,
    open_work,
    set_work_state,
    work_by_id,
    work_on,
)


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


@dataclass(frozen=True, slots=True)
class Released:
    """The outcome of handing over the unfinished work of somebody who left.

    `reassigned` went to others, `unassigned` waits for somebody who can take it, and for `settled`
    a judgement that they had submitted before now stands.
    """

    reassigned: int = 0
    unassigned: int = 0
    settled: int = 0


@dataclass
class _Team:
    """The annotators of a project, with what each has; it counts what is given out meanwhile."""

    people: list[int]
    load: dict[int, int]

    @classmethod
    def of(cls, connection: Connection, project: int) -> "_Team":
        return cls(annotators_of(connection, project), loads(connection, project))

    def take(self, connection: Connection, item: StoredItem, without: int = 0) -> bool:
        """Gives an item to whoever has least to do and does not have it; False if none is left."""
        taken = {each.person for each in work_on(connection, item.id, "annotate")} | {without}
        able = [each for each in self.people if each not in taken]
        if not able:
            return False
        chosen = min(able, key=lambda each: (self.load.get(each, 0), each))
        give_work(connection, item, chosen, "annotate")
        self.load[chosen] = self.load.get(chosen, 0) + 1
        return True


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
        studio.note(connection, who, "batches", detail, project.id)
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
    if not count_items(connection, project):
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


def release(connection: Connection, now: str, project: int, person: int) -> Released:
    """Takes unfinished work from somebody who leaves and gives it to others; nothing is lost."""
    lock_project(connection, project)
    left = open_work(connection, person, project, "real")
    annotators = _Team.of(connection, project)
    reassigned = unassigned = settled = 0
    for each in left:
        item = lock_item(connection, each.item)
        own = work_by_id(connection, each.id)
        if own is None or own.state not in OPEN_STATES:  # submitted before the item was locked
            continue
        if own.stage == "annotate" and _has_said(connection, own):  # it was taken up again
            set_work_state(connection, [own.id], "submitted")
            settled += 1
            flow.advance(connection, now, item)
            continue
        is_held = own.stage == "discuss"
        set_work_state(connection, [own.id], "held" if is_held else WITHDRAWN)
        if (own.stage == "review" and flow.assign_review(connection, item, without=person)) or (
            own.stage == "annotate" and annotators.take(connection, item, person)
        ):
            reassigned += 1
        elif is_held:
            settled += 1
        else:
            unassigned += own.stage == "annotate"
        flow.advance(connection, now, item)
    return Released(reassigned, unassigned, settled)


def release_everywhere(connection: Connection, now: str, person: int) -> None:
    """Takes unfinished work in all projects from somebody whose account is closed."""
    for project in _projects(connection, person):
        release(connection, now, project, person)


def release_role(connection: Connection, now: str, person: int, role: str) -> None:
    """Takes unfinished work from somebody whose new role does not allow it.

    Whoever was an administrator leaves the projects that they are no member of.
    """
    for project in _projects(connection, person):
        lock_project(connection, project)
        for each in open_work(connection, person, project):
            lock_item(connection, each.item)
        for own in open_work(connection, person, project):  # as it is now that it stays so
            if not access.may_work(role, own.stage):
                state = "submitted" if _has_said(connection, own) else WITHDRAWN
                set_work_state(connection, [own.id], state)
        if not access.takes_part(connection, person, project):
            release(connection, now, project, person)


def _projects(connection: Connection, person: int) -> list[int]:
    return sorted({each.project for each in open_work(connection, person)})


def _has_said(connection: Connection, own: StoredWork) -> bool:
    said = said_of(connection, [own.item], own.stage)
    return any(each.person == own.person for each in said)


def fill(connection: Connection, project: int) -> int:
    """Gives items of batches that lack an annotator to members who can take them; how many.

    Whoever calls this has locked the project.
    """
    short = items_by_id(connection, lacking(connection, project))
    annotators = _Team.of(connection, project)
    return sum(annotators.take(connection, item) for item in short)


def annotators_of(connection: Connection, project: int) -> list[int]:
    """The annotators of a project who can be given work."""
    return [each.id for each in team(connection, project) if each.role == "annotator"]
