"""Training examples with explanations, and a quiz that has to be passed before real items.

Both are items with a gold judgement, annotated like any other. A training example shows what was
right as soon as it is submitted. The quiz shows nothing until all of it is; then it has a score,
and whoever fails goes through the training again before another attempt. Its gold is shown to those
who passed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from assay.app.annotation import access
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team.exercises import Kind
from assay.app.annotation.team.marking import Mark, Score, mark, score
from assay.core.codec import read_example, read_judgement
from assay.core.errors import InputError
from assay.core.judgements import Judgement
from assay.store.studio.queues import AnyRow, give_work, note_event, said_of
from assay.store.studio.tables import items, members, projects, work


@dataclass(frozen=True, slots=True)
class Exercise:
    """A training example or a question of the quiz, as somebody has done it.

    `work` is None before the part was begun. `marks` are there once the person may see them.
    """

    position: int
    work: int | None
    state: str
    right: int | None
    n: int | None
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Quiz:
    """Where somebody stands with the quiz; `share` and `near` are those of the last attempt."""

    exercises: tuple[Exercise, ...]
    submitted: int
    attempts: int
    share: float | None
    near: float | None
    pass_mark: float
    is_passed: bool
    may_begin: bool
    reason: str  # why it cannot be begun now


@dataclass(frozen=True, slots=True)
class Training:
    """What a project asks of somebody before real items; both parts may be empty."""

    slug: str
    exercises: tuple[Exercise, ...]
    submitted: int
    quiz: Quiz
    may_annotate: bool


def may_annotate(connection: Connection, who: Person, project: AnyRow) -> bool:
    """Whether somebody may annotate real items: there is no quiz, or they passed it."""
    return has_passed(connection, who.id, project.id)


def has_passed(connection: Connection, person: int, project: int) -> bool:
    """Whether somebody passed the quiz of a project, if it has one."""
    if not _exercises(connection, project, "quiz"):
        return True
    member = _member(connection, project, person)
    return bool(member and member.passed_at)


def begin_training(studio: Studio, who: Person, slug: str) -> Training:
    """Gives somebody the training examples that they do not have yet."""
    with studio.write() as connection:
        project = access.require(connection, who, "annotate", slug)
        _ensure_member(connection, studio.now(), project.id, who)
        for item in _exercises(connection, project.id, "training"):
            if _own(connection, item.id, who.id) is None:
                give_work(connection, item, who.id, "training")
        return _view(connection, who, project)


def begin_quiz(studio: Studio, who: Person, slug: str) -> Training:
    """Gives somebody the quiz, or gives it again after a failed attempt and the training."""
    with studio.write() as connection:
        project = access.require(connection, who, "annotate", slug)
        now = studio.now()
        _ensure_member(connection, now, project.id, who)
        quiz = _view(connection, who, project).quiz
        if not quiz.may_begin:
            raise InputError(quiz.reason, code="quiz")
        for item in _exercises(connection, project.id, "quiz"):
            _restart(connection, item, who.id, "quiz")
        return _view(connection, who, project)


def training(studio: Studio, who: Person, slug: str) -> Training:
    """Where somebody stands with training and quiz."""
    with studio.read() as connection:
        return _view(connection, who, access.require(connection, who, "annotate", slug))


def score_quiz(connection: Connection, now: str, row: AnyRow) -> None:
    """Scores an attempt when its last question is submitted; a failed one needs new training."""
    given = _exercises(connection, row.project, "quiz")
    owned = [_own(connection, item.id, row.person) for item in given]
    if not all(each and each.state == "submitted" for each in owned):
        return
    project = _project(connection, row.project)
    settings = read_settings(project.settings)
    marks = [m for item in given for m in _marks(connection, item, row.person, "quiz", settings)]
    result = score(marks)
    is_passed = result.share >= settings.quiz_pass
    member = (members.c.project == row.project, members.c.person == row.person)
    values = {
        "quiz_score": result.share,
        "quiz_near": result.near_share,
        "quiz_attempts": members.c.quiz_attempts + 1,
        **({"passed_at": now} if is_passed else {}),
    }
    connection.execute(update(members).where(*member).values(values))
    detail = json.dumps({"right": result.right, "of": result.n, "passed": is_passed})
    note_event(connection, now, "quiz", detail, project=row.project, person=row.person)
    if not is_passed:
        for item in _exercises(connection, row.project, "training"):
            _restart(connection, item, row.person, "training")


def _view(connection: Connection, who: Person, project: AnyRow) -> Training:
    settings = read_settings(project.settings)
    member = _member(connection, project.id, who.id)
    is_passed = has_passed(connection, who.id, project.id)
    lessons = _done(connection, who, project.id, "training", settings, shown=True)
    questions = _done(connection, who, project.id, "quiz", settings, shown=is_passed)
    reason = _why_not(lessons, questions, is_passed)
    quiz = Quiz(
        questions,
        sum(each.state == "submitted" for each in questions),
        member.quiz_attempts if member else 0,
        member.quiz_score if member else None,
        member.quiz_near if member else None,
        settings.quiz_pass,
        is_passed,
        not reason,
        reason,
    )
    submitted = sum(each.state == "submitted" for each in lessons)
    return Training(project.slug, lessons, submitted, quiz, is_passed)


def _why_not(lessons: Sequence[Exercise], questions: Sequence[Exercise], is_passed: bool) -> str:
    """Why the quiz cannot be begun; empty where it can."""
    left = sum(each.state != "submitted" for each in lessons)
    if not questions:
        return "This project has no quiz."
    if is_passed:
        return "You have passed the quiz."
    if left:
        return f"{left} of {len(lessons)} training examples are still to be done."
    if any(each.state in ("assigned", "open") for each in questions):
        return "The quiz has begun; go on with its next question."
    return ""


def _done(
    connection: Connection,
    who: Person,
    project: int,
    purpose: Kind,
    settings: ProjectSettings,
    *,
    shown: bool,
) -> tuple[Exercise, ...]:
    found = []
    for item in _exercises(connection, project, purpose):
        row = _own(connection, item.id, who.id)
        state = row.state if row else "new"
        marks: tuple[Mark, ...] = ()
        result: Score | None = None
        if shown and state == "submitted":
            marks = _marks(connection, item, who.id, purpose, settings)
            result = score(marks)
        right, n = (result.right, result.n) if result else (None, None)
        found.append(Exercise(item.position, row.id if row else None, state, right, n, marks))
    return tuple(found)


def _marks(
    connection: Connection, item: AnyRow, person: int, stage: str, settings: ProjectSettings
) -> tuple[Mark, ...]:
    answers = [row for row in said_of(connection, [item.id], stage) if row.person == person]
    gold = said_of(connection, [item.id], "imported")[-1]
    response = read_example(item.record).example.response.text
    theirs: Judgement = read_judgement(answers[-1].record)
    return mark(theirs, read_judgement(gold.record), settings, response)


def _restart(connection: Connection, item: AnyRow, person: int, stage: str) -> None:
    """Gives an exercise again, from the beginning."""
    number = give_work(connection, item, person, stage)
    connection.execute(update(work).where(work.c.id == number).values(draft="", submitted_at=""))


def _exercises(connection: Connection, project: int, purpose: Kind) -> Sequence[AnyRow]:
    query = select(items).where(items.c.project == project, items.c.purpose == purpose)
    return connection.execute(query.order_by(items.c.position)).all()


def _own(connection: Connection, item: int, person: int) -> AnyRow | None:
    query = select(work).where(work.c.item == item, work.c.person == person)
    return connection.execute(query).first()


def _project(connection: Connection, project: int) -> AnyRow:
    return connection.execute(select(projects).where(projects.c.id == project)).one()


def _member(connection: Connection, project: int, person: int) -> AnyRow | None:
    query = select(members).where(members.c.project == project, members.c.person == person)
    return connection.execute(query).first()


def _ensure_member(connection: Connection, now: str, project: int, who: Person) -> None:
    """An administrator who annotates becomes a member, so that the quiz can be kept."""
    if _member(connection, project, who.id) is None:
        row = insert(members).values(project=project, person=who.id, at=now, passed_at="")
        connection.execute(row)
