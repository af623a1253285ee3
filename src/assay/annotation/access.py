"""Permissions: the one place where they are decided.

A project does not exist for people who are not members of it. What others said of an item stays
hidden from everybody until it has left the state `open`: blind annotation is blind for adjudicators
and administrators too.
"""

from typing import Literal

from assay.annotation.studio import Person, Role
from assay.core.errors import AssayError
from assay.store.annotation import items, people, projects, work
from assay.store.annotation.database import Connection
from assay.store.annotation.records import BLIND_STATES, StoredItem, StoredProject, StoredWork

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


def require(connection: Connection, who: Person, action: Action, slug: str) -> StoredProject:
    """The project of that name, if the person may act there in this way."""
    project = projects.project_by_slug(connection, slug)
    if project is None or not is_member(connection, who, project.id):
        raise NotFoundError(f"there is no project '{slug}'")
    require_role(who, action)
    return project


def require_work(connection: Connection, who: Person, work_id: int) -> StoredWork:
    """The person's own work of that number; another's does not exist for them.

    Work of a stage that the person's role no longer allows is not theirs to do.
    """
    found = work.work_by_id(connection, work_id)
    if found is None or found.person != who.id or not is_member(connection, who, found.project):
        raise NotFoundError(f"you have no work {work_id}")
    require_role(who, _OF_STAGES.get(found.stage, "annotate"))
    return found


def may_work(role: str, stage: str) -> bool:
    """True if a role may do work of a stage."""
    return role in ROLES[_OF_STAGES.get(stage, "annotate")]


def require_item(
    connection: Connection, who: Person, slug: str, position: int, purpose: str = "real"
) -> StoredItem:
    """An item that the person works on, or may look at because it is no longer annotated blind.

    Training and quiz exist for those who have begun them.
    """
    project = require(connection, who, "see-project", slug)
    item = items.item_at(connection, project.id, position, purpose)
    if item is not None and purpose != "real" and not work.works_on(connection, who.id, item.id):
        raise NotFoundError(f"you have not begun the {purpose}")
    if item is None or not (purpose != "real" or _may_see(connection, who, item)):
        raise NotFoundError(f"there is no item {position} for you in '{slug}'")
    return item


def may_see_others(connection: Connection, who: Person, item: StoredItem) -> bool:
    """True if the person may see what others said of an item.

    Its annotation is over, and the person has annotated it, reviews it, or is not an annotator.
    """
    if item.state in BLIND_STATES or work.has_open_annotation(connection, who.id, item.id):
        return False
    return who.role in _SENIOR or work.works_on(connection, who.id, item.id)


def _may_see(connection: Connection, who: Person, item: StoredItem) -> bool:
    return work.works_on(connection, who.id, item.id) or (
        who.role in _SENIOR and item.state not in BLIND_STATES
    )


def is_member(connection: Connection, who: Person, project: int) -> bool:
    """True if a project exists for somebody; all do for administrators."""
    if who.role == "administrator":
        return True
    return projects.is_member(connection, project, who.id)


def takes_part(connection: Connection, person: int, project: int) -> bool:
    """True if somebody can still do work in a project: a member whose account is open."""
    found = people.person_by_id(connection, person)
    if found is None or not found.is_active:
        return False
    return is_member(connection, Person(found.id, found.name, found.role), project)


def _article(role: str) -> str:
    return f"an {role}" if role[0] in "aeiou" else f"a {role}"
