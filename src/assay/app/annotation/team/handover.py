"""What becomes of unfinished work when somebody leaves, and who takes it over."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from assay.app.annotation import access
from assay.app.annotation.team import flow
from assay.store.studio.items import lock_project
from assay.store.studio.queues import (
    OPEN_STATES,
    WITHDRAWN,
    AnyRow,
    give_work,
    lock_item,
    pairs,
    said_of,
    set_work_state,
    work_on,
)
from assay.store.studio.tables import items, members, people, work


@dataclass(frozen=True, slots=True)
class Released:
    """What became of the unfinished work of somebody who left.

    `reassigned` went to others, `unassigned` waits for somebody who can take it, and for `settled`
    a judgement that they had submitted before now stands.
    """

    reassigned: int = 0
    unassigned: int = 0
    settled: int = 0


def release(connection: Connection, now: str, project: int, person: int) -> Released:
    """Takes unfinished work from somebody who leaves and gives it to others; nothing is lost."""
    lock_project(connection, project)
    left = connection.execute(
        select(work.c.id, work.c.item)
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, work.c.person == person, items.c.purpose == "real")
        .where(work.c.state.in_(OPEN_STATES))
        .order_by(work.c.item)
    ).all()
    team = _Team.of(connection, project)
    reassigned = unassigned = settled = 0
    for number, place in left:
        item = lock_item(connection, place)
        row = connection.execute(select(work).where(work.c.id == number)).one()
        if row.state not in OPEN_STATES:  # it was submitted before the item could be locked
            continue
        if row.stage == "annotate" and _has_said(connection, row):  # it was taken up again
            set_work_state(connection, [row.id], "submitted")
            settled += 1
            flow.advance(connection, now, item)
            continue
        is_held = row.stage == "discuss"
        set_work_state(connection, [row.id], "held" if is_held else WITHDRAWN)
        if (row.stage == "review" and flow.assign_review(connection, item, without=person)) or (
            row.stage == "annotate" and team.take(connection, item, person)
        ):
            reassigned += 1
        elif is_held:
            settled += 1
        else:
            unassigned += row.stage == "annotate"
        flow.advance(connection, now, item)
    return Released(reassigned, unassigned, settled)


def release_everywhere(connection: Connection, now: str, person: int) -> None:
    """Takes unfinished work in all projects from somebody whose account is closed."""
    query = select(work.c.project).where(work.c.person == person, work.c.state.in_(OPEN_STATES))
    for project in sorted(set(connection.execute(query).scalars())):
        release(connection, now, project, person)


def release_role(connection: Connection, now: str, person: int, role: str) -> None:
    """Takes unfinished work from somebody whose new role does not allow it.

    Whoever was an administrator leaves the projects that they are no member of.
    """
    query = select(work).where(work.c.person == person, work.c.state.in_(OPEN_STATES))
    for project in sorted({row.project for row in connection.execute(query)}):
        lock_project(connection, project)
        own = query.where(work.c.project == project).order_by(work.c.item)
        for number in [row.item for row in connection.execute(own)]:
            lock_item(connection, number)
        for row in connection.execute(own).all():  # as it is now that nobody else changes it
            if not access.may_work(role, row.stage):
                state = "submitted" if _has_said(connection, row) else WITHDRAWN
                set_work_state(connection, [row.id], state)
        if not access.takes_part(connection, person, project):
            release(connection, now, project, person)


def _has_said(connection: Connection, row: AnyRow) -> bool:
    said = said_of(connection, [row.item], row.stage)
    return any(each.person == row.person for each in said)


def fill(connection: Connection, project: int) -> int:
    """Gives items of batches that lack an annotator to members who can take them; how many.

    Whoever calls this has locked the project.
    """
    short = lacking(connection, project)
    rows = connection.execute(select(items).where(items.c.id.in_(short))).all()
    team = _Team.of(connection, project)
    return sum(team.take(connection, row) for row in rows)


@dataclass
class _Team:
    """The annotators of a project, with what each has; it counts what is given out meanwhile."""

    people: list[int]
    load: dict[int, int]

    @classmethod
    def of(cls, connection: Connection, project: int) -> "_Team":
        return cls(annotators(connection, project), loads(connection, project))

    def take(self, connection: Connection, item: AnyRow, without: int = 0) -> bool:
        """Gives an item to whoever has least to do and does not have it; whether there is one."""
        taken = {row.person for row in work_on(connection, item.id, "annotate")} | {without}
        able = [each for each in self.people if each not in taken]
        if not able:
            return False
        chosen = min(able, key=lambda each: (self.load.get(each, 0), each))
        give_work(connection, item, chosen, "annotate")
        self.load[chosen] = self.load.get(chosen, 0) + 1
        return True


def annotators(connection: Connection, project: int) -> list[int]:
    """The annotators of a project who can be given work."""
    query = (
        select(people.c.id)
        .join(members, members.c.person == people.c.id)
        .where(members.c.project == project, people.c.is_active, people.c.role == "annotator")
        .order_by(people.c.id)
    )
    return list(connection.execute(query).scalars())


def loads(connection: Connection, project: int) -> dict[int, int]:
    """How many items each person was given to annotate."""
    query = (
        select(work.c.person, func.count())
        .where(work.c.project == project, work.c.stage == "annotate", work.c.state != WITHDRAWN)
        .group_by(work.c.person)
    )
    return pairs(connection, query)


def lacking(connection: Connection, project: int) -> dict[int, int]:
    """The items of batches that have fewer annotators than they want, and how many they lack."""
    given = func.count(work.c.id)
    has = (work.c.item == items.c.id) & (work.c.stage == "annotate") & (work.c.state != WITHDRAWN)
    query = (
        select(items.c.id, items.c.k - given)
        .outerjoin(work, has)
        .where(items.c.project == project, items.c.batch > 0, items.c.state == "open")
        .group_by(items.c.id, items.c.k)
        .having(given < items.c.k)
    )
    return pairs(connection, query)
