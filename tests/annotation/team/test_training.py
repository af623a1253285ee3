"""Training and quiz as somebody goes through them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import select

from assay.annotation.access import NotFoundError
from assay.annotation.exchange.exports import export_project
from assay.annotation.items.related import Selection, related
from assay.annotation.items.snapshots import keep_external
from assay.annotation.items.work import submit
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Purpose, Studio
from assay.annotation.team import training
from assay.annotation.team.disagreement import sentences
from assay.annotation.team.exercises import Kind, add_items, add_shipped, shipped
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.store.annotation.tables import members, projects
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import begun, do, work_of

SENTENCES = ProjectSettings("sentences")
LESSONS = shipped("training", SENTENCES)
QUESTIONS = shipped("quiz", SENTENCES)


def gold(annotated: Annotated) -> list[str]:
    """The right labels of the sentences of an exercise."""
    return [finding.label.name for finding in sentences(annotated.gold[0]) if finding.label]


def number_of(exercise: training.Exercise) -> int:
    """The number of somebody's work on an exercise, which was begun."""
    assert exercise.work is not None
    return exercise.work


@pytest.fixture
def ann(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> Person:
    """An annotator of a project with a training and a quiz."""
    person = make_person("ann")
    make_project("demo", SENTENCES, members=[person])
    add_shipped(studio, make_person("root", "administrator"), "demo")
    return person


def go_through(
    studio: Studio, who: Person, kind: Kind, exercises: Sequence[Annotated], wrong: int = 0
) -> None:
    """Does all exercises; the first sentences of so many of them get a wrong label."""
    for position, each in enumerate(exercises, start=1):
        labels = gold(each)
        if position <= wrong:
            labels[0] = "no-fact" if labels[0] != "no-fact" else "explicitly-supported"
        do(studio, who, work_of(studio, who, "demo", position, kind), labels)


def may_annotate(studio: Studio, who: Person) -> bool:
    """True if somebody may annotate real items of the project."""
    with studio.read() as connection:
        project = connection.execute(select(projects)).one()
        return training.has_passed(connection, who.id, project.id)


def test_without_a_quiz_everybody_may_annotate(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann = make_person("ann")
    make_project("demo", members=[ann])
    assert may_annotate(studio, ann)


def test_a_training_example_tells_right_from_wrong_with_the_reason_once_submitted(
    studio: Studio, ann: Person
) -> None:
    view = training.begin_training(studio, ann, "demo")
    assert [each.state for each in view.exercises] == ["assigned"] * 10
    assert all(each.marks == () for each in view.exercises)
    do(
        studio,
        ann,
        number_of(view.exercises[0]),
        ["explicitly-supported", "fabricated", "contradicting"],
    )
    first = training.training(studio, ann, "demo").exercises[0]
    assert (first.state, first.right, first.n) == ("submitted", 2, 3)
    marks = first.marks
    assert [(each.label, each.gold, each.is_right, each.is_near) for each in marks] == [
        ("explicitly-supported", "explicitly-supported", True, True),
        ("fabricated", "implicitly-supported", False, False),
        ("contradicting", "contradicting", True, True),
    ]
    assert "three hours" in marks[1].text
    unit = marks[1].unit
    assert unit is not None
    assert unit.verdict is not None
    assert "From ten to one is three hours" in unit.verdict.note
    assert unit.verdict.evidence[0].text.startswith("On Saturdays")


@on_both_databases
def test_the_quiz_waits_for_the_training_and_shows_nothing_until_it_is_over(
    studio: Studio, ann: Person
) -> None:
    training.begin_training(studio, ann, "demo")
    with pytest.raises(InputError, match="10 of 10 training examples are still to be done"):
        training.begin_quiz(studio, ann, "demo")
    go_through(studio, ann, "training", LESSONS)
    quiz = training.begin_quiz(studio, ann, "demo").quiz
    assert (quiz.may_begin, quiz.reason) == (
        False,
        "The quiz has begun; go on with its next question.",
    )
    do(studio, ann, number_of(quiz.exercises[0]), gold(QUESTIONS[0]))
    quiz = training.training(studio, ann, "demo").quiz
    assert (quiz.submitted, quiz.share, quiz.exercises[0].marks) == (1, None, ())
    assert quiz.exercises[0].right is None
    assert not may_annotate(studio, ann)


def test_whoever_passes_may_annotate_and_sees_the_answers(studio: Studio, ann: Person) -> None:
    training.begin_training(studio, ann, "demo")
    go_through(studio, ann, "training", LESSONS)
    training.begin_quiz(studio, ann, "demo")
    go_through(studio, ann, "quiz", QUESTIONS, wrong=3)
    view = training.training(studio, ann, "demo")
    # 15 sentences, 3 of them wrong; 12/15 is the pass mark itself.
    assert (view.quiz.share, view.quiz.is_passed, view.quiz.attempts) == (0.8, True, 1)
    assert view.may_annotate
    assert may_annotate(studio, ann)
    assert view.quiz.exercises[0].marks[0].gold == "implicitly-supported"


def test_whoever_fails_goes_through_the_training_again_before_the_next_attempt(
    studio: Studio, ann: Person
) -> None:
    training.begin_training(studio, ann, "demo")
    go_through(studio, ann, "training", LESSONS)
    training.begin_quiz(studio, ann, "demo")
    go_through(studio, ann, "quiz", QUESTIONS, wrong=7)
    view = training.training(studio, ann, "demo")
    assert (view.quiz.attempts, view.quiz.is_passed) == (1, False)
    assert view.quiz.share == pytest.approx(8 / 15)
    assert view.quiz.exercises[0].marks == ()  # there will be another attempt
    assert view.quiz.reason == "10 of 10 training examples are still to be done."
    assert not may_annotate(studio, ann)
    go_through(studio, ann, "training", LESSONS)
    view = training.begin_quiz(studio, ann, "demo")
    assert {each.state for each in view.quiz.exercises} == {"assigned"}
    go_through(studio, ann, "quiz", QUESTIONS)
    view = training.training(studio, ann, "demo")
    assert (view.quiz.attempts, view.quiz.share, view.quiz.is_passed) == (2, 1.0, True)


def test_a_near_miss_is_counted_apart(studio: Studio, ann: Person) -> None:
    training.begin_training(studio, ann, "demo")
    labels = gold(LESSONS[0])
    labels[0] = "implicitly-supported"  # explicitly would be right: both are faithful
    do(studio, ann, work_of(studio, ann, "demo", 1, "training"), labels)
    first = training.training(studio, ann, "demo").exercises[0]
    assert (first.marks[0].is_right, first.marks[0].is_near) == (False, True)


def test_another_attempt_begins_with_an_empty_draft(studio: Studio, ann: Person) -> None:
    training.begin_training(studio, ann, "demo")
    go_through(studio, ann, "training", LESSONS)
    training.begin_quiz(studio, ann, "demo")
    go_through(studio, ann, "quiz", QUESTIONS, wrong=7)
    _, units, _, _ = begun(studio, work_of(studio, ann, "demo", 1, "training"))
    assert [unit.verdict for unit in units] == [None, None, None]


def test_spans_are_marked_by_overlap_and_extra_ones_are_wrong(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, root = make_person("ann"), make_person("root", "administrator")
    make_project("demo", ProjectSettings("spans"), members=[ann])
    add_shipped(studio, root, "demo")
    view = training.begin_training(studio, ann, "demo")
    marked = {"repainted in May": "unwanted.intrinsic", "three hours": "benign"}
    do(studio, ann, number_of(view.exercises[0]), marked)
    do(studio, ann, number_of(view.exercises[9]), {})  # the response without a mark
    exercises = training.training(studio, ann, "demo").exercises
    assert [(each.text, each.label, each.gold) for each in exercises[0].marks] == [
        ("three hours", "benign", "consistent"),
        ("in May", "unwanted.intrinsic", "unwanted.intrinsic"),
    ]
    assert (exercises[0].right, exercises[9].right, exercises[9].n) == (1, 1, 1)
    assert exercises[9].marks[0].gold == "consistent"


def test_an_administrator_who_takes_the_quiz_becomes_a_member(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    root = make_person("root", "administrator")
    make_project("demo")
    add_shipped(studio, root, "demo")
    assert not may_annotate(studio, root)
    training.begin_training(studio, root, "demo")
    with studio.read() as connection:
        assert connection.execute(select(members.c.person)).scalar() == root.id


def test_an_exercise_needs_one_gold(studio: Studio, make_project: MakeProject) -> None:
    project = make_project("demo")
    message = "'a' needs one judgement by people as its gold, not 0"
    with pytest.raises(InputError, match=message), studio.write() as connection:
        add_items(connection, studio.now(), project.id, "quiz", [Annotated(EXAMPLES[0])])


def test_a_training_example_that_lacks_labels_cannot_be_submitted(
    studio: Studio, ann: Person
) -> None:
    view = training.begin_training(studio, ann, "demo")
    version, *_ = begun(studio, number_of(view.exercises[0]))
    with pytest.raises(InputError, match="3 units are not finished"):
        submit(studio, ann, number_of(view.exercises[0]), version)


def test_the_quiz_has_no_texts_for_those_who_have_not_begun_it(studio: Studio, ann: Person) -> None:
    place: tuple[str, int, Purpose] = ("demo", 1, "quiz")
    with pytest.raises(NotFoundError, match="have not begun the quiz"):
        related(studio, ann, place, Selection(start=0, end=5))
    with pytest.raises(NotFoundError, match="have not begun the quiz"):
        keep_external(studio, ann, place, "https://example.org/")
    training.begin_training(studio, ann, "demo")
    go_through(studio, ann, "training", LESSONS)
    training.begin_quiz(studio, ann, "demo")
    related(studio, ann, place, Selection(start=0, end=5))


def test_an_export_has_the_quiz_for_those_who_passed_it(
    studio: Studio, ann: Person, make_person: MakePerson
) -> None:
    judy, boss = replace(ann, role="adjudicator"), make_person("boss", "administrator")
    ids = [each.id for each in QUESTIONS]

    def told(who: Person) -> list[str]:
        lines = b"".join(export_project(studio, who, "demo").content()).decode()
        return [each for each in ids if f'"{each}"' in lines]

    assert (told(judy), told(boss)) == ([], ids)
    training.begin_training(studio, judy, "demo")
    go_through(studio, judy, "training", LESSONS)
    training.begin_quiz(studio, judy, "demo")
    assert told(judy) == []
    go_through(studio, judy, "quiz", QUESTIONS)
    assert told(judy) == ids
