"""Projects: made, listed, looked at, changed and deleted."""

import json
import re
import unicodedata
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from assay.app.annotation.access import ROLES, Action, require, require_role
from assay.app.annotation.exchange.detector_progress import DetectorProgress, detector_progress
from assay.app.annotation.settings import Mode, ProjectSettings, read_settings, write_settings
from assay.app.annotation.studio import ITEM_STATES, Person, Studio
from assay.app.annotation.team import training
from assay.core.errors import InputError
from assay.store.studio.queues import CLOSED_STATES, OPEN_STATES, note_event
from assay.store.studio.tables import items, judgements, members, projects, work

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
    """What somebody has in one stage."""

    stage: str
    assigned: int
    open: int
    submitted: int


@dataclass(frozen=True, slots=True)
class Quiz:
    """What has to be learnt and passed before real items."""

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
    query = select(projects).order_by(projects.c.at.desc(), projects.c.id.desc())
    if who.role != "administrator":
        query = query.join(members, members.c.project == projects.c.id).where(
            members.c.person == who.id
        )
    with studio.read() as connection:
        rows = connection.execute(query).all()
        states = _item_counts(connection)
        own = (
            select(work.c.project, func.count())
            .where(work.c.person == who.id, work.c.state.in_(OPEN_STATES))
            .group_by(work.c.project)
        )
        waiting = {row[0]: row[1] for row in connection.execute(own)}
        return tuple(_line(row, states.get(row.id, {}), waiting.get(row.id, 0)) for row in rows)


def create_project(
    studio: Studio, who: Person, name: str, settings: ProjectSettings, dataset: str = ""
) -> ProjectLine:
    """A new project without items; its address is made from its name."""
    require_role(who, "create-project")
    name = required_name(name)
    with studio.write() as connection:
        row = add_project(connection, studio.now(), who, (name, dataset), settings)
        return _line(row, {}, 0)


def add_project(
    connection: Connection,
    now: str,
    who: Person,
    named: tuple[str, str],
    settings: ProjectSettings,
) -> Row[Any]:
    """The row of a new project with a name and a dataset, in a transaction of somebody else."""
    name, dataset = named
    slug = slug_of(name)
    taken = connection.execute(select(projects.c.name).where(projects.c.slug == slug)).scalar()
    if taken is not None:
        message = f"there is a project '{taken}' already; choose another name"
        raise InputError(message, field="name", code="project-exists", subject=slug)
    new = insert(projects).values(
        slug=slug, name=name, settings=write_settings(settings), dataset=dataset, at=now
    )
    row = connection.execute(new.returning(*projects.c)).one()
    detail = json.dumps({"name": name}, ensure_ascii=False)
    note_event(connection, now, "project-created", detail, project=row.id, person=who.account)
    return row


def overview(studio: Studio, who: Person, slug: str) -> Overview:
    """All that the page of a project shows."""
    with studio.read() as connection:
        project = connection.execute(_required(connection, who, "see-project", slug)).one()
        counted = _item_counts(connection, project.id).get(project.id, {})
        queue, seconds = _queue(connection, project.id, who.id)
        batches = select(func.max(items.c.batch)).where(items.c.project == project.id)
        team = select(func.count()).where(members.c.project == project.id)
        return Overview(
            slug=project.slug,
            name=project.name,
            at=project.at,
            dataset=project.dataset,
            settings=read_settings(project.settings),
            items=sum(counted.values()),
            states={state: counted.get(state, 0) for state in ITEM_STATES},
            batches=connection.execute(batches).scalar() or 0,
            members=connection.execute(team).scalar_one(),
            queue=queue,
            seconds=seconds,
            quiz=_quiz(connection, project.id, who),
            detectors=detector_progress(connection, studio.database.place, project.id)
            if who.role in ROLES["manage-project"]
            else (),
            may={action: who.role in roles for action, roles in ROLES.items()},
            mode_is_fixed=_has_work(connection, project.id),
        )


def change_settings(
    studio: Studio, who: Person, slug: str, settings: ProjectSettings, name: str = ""
) -> Overview:
    """Changes what a project asks for; its address stays.

    The mode is fixed once somebody began to work. Another `k` counts for items that are given out
    from then on; discussion and review for items that are still annotated.
    """
    with studio.write() as connection:
        project = connection.execute(_required(connection, who, "manage-project", slug)).one()
        before = read_settings(project.settings)
        if before.mode != settings.mode and _has_work(connection, project.id):
            message = (
                f"the mode stays '{before.mode}': people have begun to annotate in it; make "
                "another project for another mode"
            )
            raise InputError(message, field="mode", code="work-begun")
        values = {"settings": write_settings(settings)}
        if name:
            values["name"] = required_name(name)
        connection.execute(update(projects).where(projects.c.id == project.id).values(**values))
        untouched = (items.c.project == project.id) & (items.c.state == "new")
        connection.execute(update(items).where(untouched, items.c.batch == 0).values(k=settings.k))
        detail = {"before": json.loads(project.settings), "after": json.loads(values["settings"])}
        note_event(
            connection,
            studio.now(),
            "settings-changed",
            json.dumps(detail, ensure_ascii=False),
            project=project.id,
            person=who.account,
        )
    return overview(studio, who, slug)


def delete_project(studio: Studio, who: Person, slug: str, confirmation: str) -> None:
    """Deletes a project with all that was annotated in it; its name has to be given again."""
    with studio.write() as connection:
        project = connection.execute(_required(connection, who, "manage-project", slug)).one()
        if confirmation != project.name:
            message = f"to delete the project, give its name: '{project.name}'"
            raise InputError(message, field="confirmation", code="not-confirmed")
        connection.execute(delete(projects).where(projects.c.id == project.id))
        detail = json.dumps({"name": project.name}, ensure_ascii=False)
        note_event(connection, studio.now(), "project-deleted", detail, person=who.account)


def slug_of(name: str) -> str:
    """The part of an address that stands for a name.

    >>> slug_of("Küche & Bäder, Teil 2")
    'kuche-bader-teil-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = _NO_LETTER.sub("-", plain).strip("-")[:_LONGEST_SLUG].strip("-")
    return slug or f"project-{blake2b(name.encode(), digest_size=4).hexdigest()}"


def _required(connection: Connection, who: Person, action: Action, slug: str) -> Any:
    project: Any = require(connection, who, action, slug)
    return select(projects).where(projects.c.id == project.id)


def required_name(name: str) -> str:
    """A name as it is kept; one that cannot be used raises."""
    name = " ".join(name.split())
    if not name:
        raise InputError("a project needs a name", field="name")
    if len(name) > LONGEST_NAME:
        message = f"a name has at most {LONGEST_NAME} characters, not {len(name)}"
        raise InputError(message, field="name")
    return name


def _item_counts(connection: Connection, project: int | None = None) -> dict[int, dict[str, int]]:
    query = (
        select(items.c.project, items.c.state, func.count())
        .where(items.c.purpose == "real")
        .group_by(items.c.project, items.c.state)
    )
    if project is not None:
        query = query.where(items.c.project == project)
    counted: dict[int, dict[str, int]] = {}
    for number, state, count in connection.execute(query):
        counted.setdefault(number, {})[state] = count
    return counted


def _line(row: Row[Any], states: dict[str, int], waiting: int) -> ProjectLine:
    mode = read_settings(row.settings).mode
    count = sum(states.values())
    return ProjectLine(row.slug, row.name, mode, count, states.get("done", 0), waiting, row.at)


def _queue(connection: Connection, project: int, person: int) -> tuple[tuple[Queue, ...], int]:
    """What a person has in each stage, and their seconds altogether."""
    query = (
        select(work.c.stage, work.c.state, func.count(), func.sum(work.c.seconds))
        .where(work.c.project == project, work.c.person == person)
        .group_by(work.c.stage, work.c.state)
    )
    found: dict[str, dict[str, int]] = {}
    seconds = 0
    for stage, state, count, spent in connection.execute(query):
        found.setdefault(stage, {})[state] = count
        seconds += int(spent or 0)
    queues = tuple(
        Queue(
            stage,
            states.get("assigned", 0),
            states.get("open", 0),
            sum(states.get(state, 0) for state in CLOSED_STATES),
        )
        for stage, states in sorted(found.items())
    )
    return queues, seconds


def _quiz(connection: Connection, project: int, who: Person) -> Quiz:
    count = (
        select(items.c.purpose, func.count())
        .where(items.c.project == project, items.c.purpose != "real")
        .group_by(items.c.purpose)
    )
    counted = {row[0]: row[1] for row in connection.execute(count)}
    score = select(members.c.quiz_score).where(
        members.c.project == project, members.c.person == who.id
    )
    passed = training.has_passed(connection, who.id, project)
    training_count, questions = counted.get("training", 0), counted.get("quiz", 0)
    return Quiz(training_count, questions, passed, connection.execute(score).scalar())


def _has_work(connection: Connection, project: int) -> bool:
    """Whether anybody began or submitted work on a real item."""
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
    return any(connection.execute(each.limit(1)).first() is not None for each in (begun, said))
