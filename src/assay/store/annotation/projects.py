"""Projects, their members, and counts of what is in them."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from assay.store.annotation.records import (
    OPEN_STATES,
    ItemState,
    StoredMember,
    StoredPerson,
    StoredProject,
    all_of,
    counted,
    exists,
    first_of,
    one_of,
    pairs,
    values_of,
)
from assay.store.annotation.tables import items, judgements, members, people, projects, work


@dataclass(frozen=True, slots=True)
class WorkCount:
    """The number of works of one stage and state that somebody has, and the seconds they took."""

    stage: str
    state: str
    count: int
    seconds: int


def all_projects(connection: Connection, person: int | None = None) -> list[StoredProject]:
    """All projects, or those that somebody is a member of; newest first."""
    query = select(projects).order_by(projects.c.at.desc(), projects.c.id.desc())
    if person is not None:
        query = query.join(members, members.c.project == projects.c.id).where(
            members.c.person == person
        )
    return all_of(StoredProject, connection, query)


def project_by_slug(connection: Connection, slug: str) -> StoredProject | None:
    """The project with that address."""
    return first_of(StoredProject, connection, select(projects).where(projects.c.slug == slug))


def project_by_id(connection: Connection, project: int) -> StoredProject | None:
    """The project with that number."""
    return first_of(StoredProject, connection, select(projects).where(projects.c.id == project))


def the_project(connection: Connection, project: int) -> StoredProject:
    """The project with that number, which is known to be there."""
    return one_of(StoredProject, connection, select(projects).where(projects.c.id == project))


def insert_project(
    connection: Connection, slug: str, name: str, *, settings: str, dataset: str, at: str
) -> StoredProject:
    """Adds a project."""
    row = insert(projects).values(slug=slug, name=name, settings=settings, dataset=dataset, at=at)
    return StoredProject(*connection.execute(row.returning(*projects.c)).one())


def update_project(connection: Connection, project: int, **values: str) -> None:
    """Sets some columns of a project."""
    connection.execute(update(projects).where(projects.c.id == project).values(**values))


def delete_project(connection: Connection, project: int) -> None:
    """Deletes a project with all that belongs to it."""
    connection.execute(delete(projects).where(projects.c.id == project))


def is_member(connection: Connection, project: int, person: int) -> bool:
    """Tells whether somebody is a member of a project."""
    query = select(members.c.person).where(members.c.project == project, members.c.person == person)
    return exists(connection, query)


def insert_member(connection: Connection, member: StoredMember) -> None:
    """Makes somebody a member of a project."""
    connection.execute(insert(members).values(values_of(member)))


def delete_member(connection: Connection, project: int, person: int) -> None:
    """Ends a membership."""
    gone = delete(members).where(members.c.project == project, members.c.person == person)
    connection.execute(gone)


def members_of(connection: Connection, project: int) -> list[tuple[StoredPerson, StoredMember]]:
    """The members of a project by name, with their accounts."""
    found = people_of_project(connection, project, members.c.person.is_not(None))
    return [(person, member) for person, member in found if member]


def people_of_project(
    connection: Connection, project: int, which: ColumnElement[bool]
) -> list[tuple[StoredPerson, StoredMember | None]]:
    """Some accounts by name, each with its part in a project if they are members of it."""
    query = (
        select(people, members)
        .outerjoin(members, (members.c.person == people.c.id) & (members.c.project == project))
        .where(which)
        .order_by(people.c.folded)
    )
    width = len(people.c)
    return [
        (StoredPerson(*row[:width]), StoredMember(*row[width:]) if row[width] else None)
        for row in connection.execute(query)
    ]


def count_members(connection: Connection, project: int) -> int:
    """The number of members of a project."""
    query = select(func.count()).where(members.c.project == project)
    return connection.execute(query).scalar_one()


def member_of(connection: Connection, project: int, person: int) -> StoredMember | None:
    """Somebody's part in a project, if they are a member."""
    query = select(members).where(members.c.project == project, members.c.person == person)
    return first_of(StoredMember, connection, query)


def note_quiz(
    connection: Connection, project: int, person: int, *, share: float, near: float, passed_at: str
) -> None:
    """Notes how a member did in an attempt at the quiz; `passed_at` is empty for a failed one."""
    values = {
        "quiz_score": share,
        "quiz_near": near,
        "quiz_attempts": members.c.quiz_attempts + 1,
        **({"passed_at": passed_at} if passed_at else {}),
    }
    own = (members.c.project == project, members.c.person == person)
    connection.execute(update(members).where(*own).values(values))


def count_states(
    connection: Connection, project: int | None = None
) -> dict[int, dict[ItemState, int]]:
    """The numbers of real items in each state, by project."""
    query = (
        select(items.c.project, items.c.state, func.count())
        .where(items.c.purpose == "real")
        .group_by(items.c.project, items.c.state)
    )
    if project is not None:
        query = query.where(items.c.project == project)
    return counted(connection, query)


def count_purposes(connection: Connection, project: int) -> dict[str, int]:
    """The numbers of items for each purpose."""
    query = (
        select(items.c.purpose, func.count())
        .where(items.c.project == project)
        .group_by(items.c.purpose)
    )
    return pairs(connection, query)


def last_batch(connection: Connection, project: int) -> int:
    """The number of the batch that was given out last; 0 if there is none."""
    query = select(func.max(items.c.batch)).where(items.c.project == project)
    return connection.execute(query).scalar() or 0


def set_annotators(connection: Connection, project: int, k: int) -> None:
    """Sets how many people annotate an item, for items that nobody was given yet."""
    untouched = (items.c.project == project) & (items.c.state == "new") & (items.c.batch == 0)
    connection.execute(update(items).where(untouched).values(k=k))


def count_unfinished(connection: Connection, person: int) -> dict[int, int]:
    """The number of works that somebody has yet to finish, by project."""
    query = (
        select(work.c.project, func.count())
        .where(work.c.person == person, work.c.state.in_(OPEN_STATES))
        .group_by(work.c.project)
    )
    return pairs(connection, query)


def count_work(connection: Connection, project: int) -> dict[int, dict[str, int]]:
    """The number of works on real items in each state, by person."""
    query = (
        select(work.c.person, work.c.state, func.count())
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, items.c.purpose == "real")
        .group_by(work.c.person, work.c.state)
    )
    return counted(connection, query)


def count_own_work(connection: Connection, project: int, person: int) -> list[WorkCount]:
    """The works of one person by stage and state."""
    query = (
        select(work.c.stage, work.c.state, func.count(), func.coalesce(func.sum(work.c.seconds), 0))
        .where(work.c.project == project, work.c.person == person)
        .group_by(work.c.stage, work.c.state)
    )
    return all_of(WorkCount, connection, query)


def has_begun(connection: Connection, project: int) -> bool:
    """Tells whether anybody began or submitted work on a real item."""
    begun = (
        select(work.c.id)
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, work.c.state != "assigned", items.c.purpose == "real")
    )
    said = select(judgements.c.id).where(
        judgements.c.project == project,
        judgements.c.kind == "person",
        judgements.c.stage != "imported",
    )
    return exists(connection, begun) or exists(connection, said)
