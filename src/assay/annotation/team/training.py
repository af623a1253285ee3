"""Training examples with explanations, and a quiz that has to be passed before real items.

Both are items with a gold judgement, annotated like any other. A training example shows what was
right as soon as it is submitted. The quiz shows nothing until all of it is; then it has a score,
and whoever fails goes through the training again before another attempt. Its gold is shown to those
who passed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.exercises import Kind, Mark, Score, mark, score
from assay.core.codec import read_example, read_judgement
from assay.core.errors import InputError
from assay.store.annotation.database import Connection
from assay.store.annotation.events import note_event
from assay.store.annotation.items import count_items, items_for
from assay.store.annotation.judgements import said_of
from assay.store.annotation.projects import (
    insert_member,
    is_member,
    member_of,
    note_quiz,
    the_project,
)
from assay.store.annotation.records import StoredItem, StoredMember, StoredProject, StoredWork
from assay.store.annotation.work import give_work, own_work, update_work


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
class QuizProgress:
    """A person's progress with the quiz; `share` and `near` are those of the last attempt."""

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
    """A person's training and quiz, which come before real items; both parts may be empty."""

    slug: str
    exercises: tuple[Exercise, ...]
    submitted: int
    quiz: QuizProgress
    may_annotate: bool


def has_passed(connection: Connection, person: int, project: int) -> bool:
    """True if somebody passed the quiz of a project, or it has none."""
    if not count_items(connection, project, "quiz"):
        return True
    member = member_of(connection, project, person)
    return bool(member and member.passed_at)


def begin_training(studio: Studio, who: Person, slug: str) -> Training:
    """Gives somebody the training examples that they do not have yet."""
    with studio.write() as connection:
        project = access.require(connection, who, "annotate", slug)
        _ensure_member(connection, studio.now(), project.id, who)
        for item in items_for(connection, project.id, "training"):
            if own_work(connection, who.id, item.id) is None:
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
        for item in items_for(connection, project.id, "quiz"):
            _restart(connection, item, who.id, "quiz")
        return _view(connection, who, project)


def training(studio: Studio, who: Person, slug: str) -> Training:
    """A person's progress with training and quiz."""
    with studio.read() as connection:
        return _view(connection, who, access.require(connection, who, "annotate", slug))


def score_quiz(connection: Connection, now: str, own: StoredWork) -> None:
    """Scores an attempt when its last question is submitted; a failed one needs new training."""
    given = items_for(connection, own.project, "quiz")
    owned = [own_work(connection, own.person, item.id) for item in given]
    if not all(each and each.state == "submitted" for each in owned):
        return
    settings = read_settings(the_project(connection, own.project).settings)
    marks = [m for item in given for m in _marks(connection, item, own.person, "quiz", settings)]
    result = score(marks)
    is_passed = result.share >= settings.quiz_pass
    about = {"project": own.project, "person": own.person}
    passed_at = now if is_passed else ""
    note_quiz(connection, **about, share=result.share, near=result.near_share, passed_at=passed_at)
    detail = json.dumps({"right": result.right, "of": result.n, "passed": is_passed})
    note_event(connection, now, "quiz", detail, **about)
    if not is_passed:
        for item in items_for(connection, own.project, "training"):
            _restart(connection, item, own.person, "training")


def _view(connection: Connection, who: Person, project: StoredProject) -> Training:
    settings = read_settings(project.settings)
    member = member_of(connection, project.id, who.id)
    is_passed = has_passed(connection, who.id, project.id)
    lessons = _done(connection, who, project.id, "training", settings, shown=True)
    questions = _done(connection, who, project.id, "quiz", settings, shown=is_passed)
    reason = _why_not(lessons, questions, is_passed)
    quiz = QuizProgress(
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
    """The reason why the quiz cannot begin; empty if it can."""
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
    for item in items_for(connection, project, purpose):
        own = own_work(connection, who.id, item.id)
        state = own.state if own else "new"
        marks: tuple[Mark, ...] = ()
        result: Score | None = None
        if shown and state == "submitted":
            marks = _marks(connection, item, who.id, purpose, settings)
            result = score(marks)
        right, n = (result.right, result.n) if result else (None, None)
        found.append(Exercise(item.position, own.id if own else None, state, right, n, marks))
    return tuple(found)


def _marks(
    connection: Connection, item: StoredItem, person: int, stage: str, settings: ProjectSettings
) -> tuple[Mark, ...]:
    said = said_of(connection, [item.id], stage)
    answer = [each for each in said if each.person == person][-1]
    gold = said_of(connection, [item.id], "imported")[-1]
    response = read_example(item.record).example.response.text
    theirs, right = read_judgement(answer.record), read_judgement(gold.record)
    return mark(theirs, right, settings, response)


def _restart(connection: Connection, item: StoredItem, person: int, stage: str) -> None:
    """Gives an exercise again, from the beginning."""
    number = give_work(connection, item, person, stage)
    update_work(connection, number, draft="", submitted_at="")


def _ensure_member(connection: Connection, now: str, project: int, who: Person) -> None:
    """An administrator who annotates becomes a member, so that the quiz can be kept."""
    if not is_member(connection, project, who.id):
        insert_member(connection, StoredMember(project, who.id, now, "", None, None, 0))
