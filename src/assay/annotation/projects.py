"""Projects: made, listed, looked at, changed and deleted."""

import json
import re
import unicodedata
from dataclasses import dataclass
from hashlib import blake2b

from assay.annotation.access import ROLES, require, require_role
from assay.annotation.exchange.detector_jobs import DetectorProgress, detector_progress
from assay.annotation.settings import Mode, ProjectSettings, read_settings, write_settings
from assay.annotation.studio import ITEM_STATES, Person, Studio
from assay.annotation.team import training
from assay.core.errors import InputError
from assay.store.annotation import projects
from assay.store.annotation.database import Connection
from assay.store.annotation.records import CLOSED_STATES, ItemState, StoredProject

LONGEST_NAME = 120
_LONGEST_SLUG = 60
_NO_LETTER = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ProjectLine:
    """A project in a list: how far it is, and how much of it waits for whoever asks."""

    slug: str
    name: str
    mode: Mode
    items: int
    done: int
    waiting: int  # items that I was given and have not finished
    at: str


@dataclass(frozen=True, slots=True)
class Queue:
    """The number of works that somebody has in one stage."""

    stage: str
    assigned: int
    open: int
    submitted: int


@dataclass(frozen=True, slots=True)
class Quiz:
    """The training and the quiz that come before real items."""

    training: int
    questions: int
    passed: bool
    score: float | None


@dataclass(frozen=True, slots=True)
class Overview:
    """A project as its page shows it to one person.

    `states` counts the items in each state, `seconds` is the time this person has worked here, and
    `may` says which of the actions of a project are theirs.
    """

    slug: str
    name: str
    at: str
    dataset: str
    settings: ProjectSettings
    items: int
    states: dict[str, int]
    batches: int
    members: int
    queue: tuple[Queue, ...]
    seconds: int
    quiz: Quiz
    detectors: tuple[DetectorProgress, ...]  # for those who may ask them to judge
    may: dict[str, bool]
    mode_is_fixed: bool


def list_projects(studio: Studio, who: Person) -> tuple[ProjectLine, ...]:
    """The projects that somebody is a member of, or all for an administrator; newest first."""
    require_role(who, "see-project")
    member = None if who.role == "administrator" else who.id
    with studio.read() as connection:
        found = projects.all_projects(connection, member)
        states = projects.count_states(connection)
        waiting = projects.count_unfinished(connection, who.id)
    return tuple(_line(each, states.get(each.id, {}), waiting.get(each.id, 0)) for each in found)


def create_project(
    studio: Studio, who: Person, name: str, settings: ProjectSettings
) -> ProjectLine:
    """A new project without items; its address is made from its name."""
    require_role(who, "create-project")
    name = required_name(name)
    with studio.write() as connection:
        return _line(add_project(studio, connection, who, name, settings), {}, 0)


def add_project(
    studio: Studio,
    connection: Connection,
    who: Person,
    name: str,
    settings: ProjectSettings,
) -> StoredProject:
    """A new project, in the caller's transaction."""
    slug = slug_of(name)
    taken = projects.project_by_slug(connection, slug)
    if taken is not None:
        message = f"there is a project '{taken.name}' already; choose another name"
        raise InputError(message, field="name", code="project-exists", subject=slug)
    made = projects.insert_project(
        connection,
        slug,
        name,
        settings=write_settings(settings),
        dataset="",
        at=studio.now(),
    )
    studio.note(connection, who, "project-created", {"name": name}, made.id)
    return made


def overview(studio: Studio, who: Person, slug: str) -> Overview:
    """The page of a project."""
    with studio.read() as connection:
        project = require(connection, who, "see-project", slug)
        counted = projects.count_states(connection, project.id).get(project.id, {})
        queue, seconds = _queue(connection, project.id, who.id)
        return Overview(
            slug=project.slug,
            name=project.name,
            at=project.at,
            dataset=project.dataset,
            settings=read_settings(project.settings),
            items=sum(counted.values()),
            states={state: counted.get(state, 0) for state in ITEM_STATES},
            batches=projects.last_batch(connection, project.id),
            members=projects.count_members(connection, project.id),
            queue=queue,
            seconds=seconds,
            quiz=_quiz(connection, project.id, who),
            detectors=detector_progress(connection, studio.database.place, project.id)
            if who.role in ROLES["manage-project"]
            else (),
            may={action: who.role in roles for action, roles in ROLES.items()},
            mode_is_fixed=projects.has_begun(connection, project.id),
        )


def change_settings(
    studio: Studio, who: Person, slug: str, settings: ProjectSettings, name: str = ""
) -> Overview:
    """Changes what a project asks for; its address stays.

    The mode is fixed once somebody began to work. Another `k` counts for items that are given out
    from then on; discussion and review for items that are still annotated.
    """
    with studio.write() as connection:
        project = require(connection, who, "manage-project", slug)
        before = read_settings(project.settings)
        if before.mode != settings.mode and projects.has_begun(connection, project.id):
            message = (
                f"the mode stays '{before.mode}': people have begun to annotate in it; make "
                "another project for another mode"
            )
            raise InputError(message, field="mode", code="work-begun")
        values = {"settings": write_settings(settings)}
        if name:
            values["name"] = required_name(name)
        projects.update_project(connection, project.id, **values)
        projects.set_annotators(connection, project.id, settings.k)
        detail = {"before": json.loads(project.settings), "after": json.loads(values["settings"])}
        studio.note(connection, who, "settings-changed", detail, project.id)
    return overview(studio, who, slug)


def delete_project(studio: Studio, who: Person, slug: str, confirmation: str) -> None:
    """Deletes a project with all that was annotated in it; its name has to be given again."""
    with studio.write() as connection:
        project = require(connection, who, "manage-project", slug)
        if confirmation != project.name:
            message = f"to delete the project, give its name: '{project.name}'"
            raise InputError(message, field="confirmation", code="not-confirmed")
        projects.delete_project(connection, project.id)
        studio.note(connection, who, "project-deleted", {"name": project.name})


def slug_of(name: str) -> str:
    """The part of an address that stands for a name.

    >>> slug_of("Küche & Bäder, Teil 2")
    'kuche-bader-teil-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = _NO_LETTER.sub("-", plain).strip("-")[:_LONGEST_SLUG].strip("-")
    return slug or f"project-{blake2b(name.encode(), digest_size=4).hexdigest()}"


def required_name(name: str) -> str:
    """A name as it is kept; one that cannot be used raises."""
    name = " ".join(name.split())
    if not name:
        raise InputError("a project needs a name", field="name")
    if len(name) > LONGEST_NAME:
        message = f"a name has at most {LONGEST_NAME} characters, not {len(name)}"
        raise InputError(message, field="name")
    return name


def _line(project: StoredProject, states: dict[ItemState, int], waiting: int) -> ProjectLine:
    return ProjectLine(
        project.slug,
        project.name,
        read_settings(project.settings).mode,
        sum(states.values()),
        states.get("done", 0),
        waiting,
        project.at,
    )


def _queue(connection: Connection, project: int, person: int) -> tuple[tuple[Queue, ...], int]:
    """The queues of a person, and the seconds of all their work."""
    counts = projects.count_own_work(connection, project, person)
    found: dict[str, dict[str, int]] = {}
    for each in counts:
        found.setdefault(each.stage, {})[each.state] = each.count
    queues = tuple(
        Queue(
            stage,
            states.get("assigned", 0),
            states.get("open", 0),
            sum(states.get(state, 0) for state in CLOSED_STATES),
        )
        for stage, states in sorted(found.items())
    )
    return queues, sum(each.seconds for each in counts)


def _quiz(connection: Connection, project: int, who: Person) -> Quiz:
    counted = projects.count_purposes(connection, project)
    member = projects.member_of(connection, project, who.id)
    return Quiz(
        counted.get("training", 0),
        counted.get("quiz", 0),
        training.has_passed(connection, who.id, project),
        member.quiz_score if member else None,
    )
