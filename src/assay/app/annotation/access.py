"""Who may do what: the one place where that is decided.

A project that somebody is no member of does not exist for them. What others said of an item stays
hidden from everybody until it has left the state `open`: blind annotation is blind for adjudicators
and administrators too.
"""

from typing import Literal

from sqlalchemy import Connection, Row, select

from assay.app.annotation.studio import Person, Role
from assay.core.errors import AssayError
from assay.store.studio.tables import items, members, people, projects, work

Action = Literal[
    "manage-people",  # accounts and invitations
    "create-project",
    "see-project",
    "manage-project",  # settings, members, import, batches
    "annotate",  # own work only; ownership is checked with the work
    "adjudicate",
    "audit",
    "export",
    "see-board",  # of everybody; an annotator's own progress is part of the project's page
    "see-history",
]

_EVERYBODY: frozenset[Role] = frozenset({"administrator", "adjudicator", "annotator"})
_SENIOR: frozenset[Role] = frozenset({"administrator", "adjudicator"})
_ADMINISTRATOR: frozenset[Role] = frozenset({"administrator"})

ROLES: dict[Action, frozenset[Role]] = {
    "manage-people": _ADMINISTRATOR,
    "create-project": _ADMINISTRATOR,
    "see-project": _EVERYBODY,
    "manage-project": _ADMINISTRATOR,
    "annotate": _EVERYBODY,
    "adjudicate": _SENIOR,
    "audit": _SENIOR,
    "export": _SENIOR,
    "see-board": _SENIOR,
    "see-history": _SENIOR,
}
BLIND_STATES = ("new", "open")
_OF_STAGES: dict[str, Action] = {"adjudicate": "adjudicate"}  # work of the others is annotation


class ForbiddenError(AssayError):
    """Somebody may not do this."""

    code = "forbidden"


class NotFoundError(AssayError):
    """There is no such thing, or not for whoever asks."""

    code = "not-found"


def require_role(who: Person, action: Action) -> None:
    """Raises unless the role of a person allows the action."""
    if who.role not in ROLES[action]:
        raise ForbiddenError(f"{_article(who.role)} may not do this", subject=action)


def require(connection: Connection, who: Person, action: Action, slug: str) -> Row[tuple[object]]:
    """The project of that name, if the person may act there in this way."""
    project = connection.execute(select(projects).where(projects.c.slug == slug)).first()
    if project is None or not is_member(connection, who, project.id):
        raise NotFoundError(f"there is no project '{slug}'")
    require_role(who, action)
    return project


def require_work(connection: Connection, who: Person, work_id: int) -> Row[tuple[object]]:
    """The person's own work of that number; another's does not exist for them.

    Work of a stage that the person's role no longer allows is not theirs to do.
    """
    row = connection.execute(select(work).where(work.c.id == work_id)).first()
    if row is None or row.person != who.id or not is_member(connection, who, row.project):
        raise NotFoundError(f"you have no work {work_id}")
    require_role(who, _OF_STAGES.get(row.stage, "annotate"))
    return row


def may_work(role: str, stage: str) -> bool:
    """Whether somebody of a role may do work of a stage."""
    return role in ROLES[_OF_STAGES.get(stage, "annotate")]


def require_item(
    connection: Connection, who: Person, slug: str, position: int, purpose: str = "real"
) -> Row[tuple[object]]:
    """An item that the person works on, or may look at because it is no longer annotated blind.

    Training and quiz exist for those who have begun them.
    """
    project = require(connection, who, "see-project", slug)
    found = select(items).where(
        items.c.project == project.id, items.c.position == position, items.c.purpose == purpose
    )
    item = connection.execute(found).first()
    if item is not None and purpose != "real" and not _works_on(connection, who, item.id):
        raise NotFoundError(f"you have not begun the {purpose}")
    if item is None or not (purpose != "real" or _may_see(connection, who, item)):
        raise NotFoundError(f"there is no item {position} for you in '{slug}'")
    return item


def may_see_others(connection: Connection, who: Person, item: Row[tuple[object]]) -> bool:
    """Whether the person may see what others said of an item.

    Its annotation is over, and the person has annotated it, reviews it, or is not an annotator.
    """
    if item.state in BLIND_STATES or has_open_annotation(connection, who, item.id):
        return False
    return who.role in _SENIOR or _works_on(connection, who, item.id)


def has_open_annotation(connection: Connection, who: Person, item_id: int) -> bool:
    """Whether the person has yet to annotate an item."""
    query = select(work.c.id).where(
        work.c.item == item_id,
        work.c.person == who.id,
        work.c.stage == "annotate",
        work.c.state.in_(("assigned", "open")),
    )
    return connection.execute(query).first() is not None


def _may_see(connection: Connection, who: Person, item: Row[tuple[object]]) -> bool:
    return _works_on(connection, who, item.id) or (
        who.role in _SENIOR and item.state not in BLIND_STATES
    )


def _works_on(connection: Connection, who: Person, item_id: int) -> bool:
    query = select(work.c.id).where(
        work.c.item == item_id, work.c.person == who.id, work.c.state != "withdrawn"
    )
    return connection.execute(query).first() is not None


def is_member(connection: Connection, who: Person, project: int) -> bool:
    """Whether a project exists for somebody; all do for administrators."""
    if who.role == "administrator":
        return True
    query = select(members.c.person).where(members.c.project == project, members.c.person == who.id)
    return connection.execute(query).first() is not None


def takes_part(connection: Connection, person: int, project: int) -> bool:
    """Whether somebody can still do work in a project: they are a member, their account open."""
    found = connection.execute(select(people).where(people.c.id == person)).first()
    if found is None or not found.is_active:
        return False
    return is_member(connection, Person(found.id, found.name, found.role), project)


def _article(role: str) -> str:
    return f"an {role}" if role[0] in "aeiou" else f"a {role}"
