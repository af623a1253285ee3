"""Unfinished work of people who leave, and those who take it over."""

from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.team import flow
from assay.store.annotation.batches import lacking, loads, team
from assay.store.annotation.database import Connection
from assay.store.annotation.items import items_by_id, lock_item, lock_project
from assay.store.annotation.judgements import said_of
from assay.store.annotation.records import OPEN_STATES, WITHDRAWN, StoredItem, StoredWork
from assay.store.annotation.work import (
    give_work,
    open_work,
    set_work_state,
    work_by_id,
    work_on,
)


@dataclass(frozen=True, slots=True)
class Released:
    """The outcome of handing over the unfinished work of somebody who left.

    `reassigned` went to others, `unassigned` waits for somebody who can take it, and for `settled`
    a judgement that they had submitted before now stands.
    """

    reassigned: int = 0
    unassigned: int = 0
    settled: int = 0


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


def annotators_of(connection: Connection, project: int) -> list[int]:
    """The annotators of a project who can be given work."""
    return [each.id for each in team(connection, project) if each.role == "annotator"]
