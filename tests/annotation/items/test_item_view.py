"""Whose turn an item is, what its first look does, and that blind work stays blind."""

from collections.abc import Sequence

import pytest
from sqlalchemy import select, update

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.items import item_view, work, work_queue
from assay.annotation.items.work_queue import list_items
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.codec import encode
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.store.annotation import tables
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import detect
from tests.annotation.working import (
    SUPPORTED,
    annotate,
    at_once,
    label_all,
    labelled,
    mine,
    take,
)

DISAGREE = ProjectSettings(k=2, discussion=True)


@pytest.fixture
def team(make_person: MakePerson) -> list[Person]:
    """Three annotators and an adjudicator."""
    return [
        *(make_person(name) for name in ("ann", "ben", "cat")),
        make_person("ada", "adjudicator"),
    ]


def works(studio: Studio) -> Sequence[tuple[int, int]]:
    """Who has annotation work on which item."""
    with studio.read() as connection:
        query = select(tables.work.c.item, tables.work.c.person)
        return [(row.item, row.person) for row in connection.execute(query)]


def test_the_first_look_begins_the_work(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(members=team)
    view = take(studio, team[0])
    own = mine(view)
    assert (own.stage, own.state, own.version) == ("annotate", "open", 0)
    assert [(unit.id, unit.text) for unit in own.units] == [("s1", "It sat."), ("s2", "It slept.")]
    assert {unit: [each.missing for each in why] for unit, why in own.problems.items()} == {
        "s1": ["label"],
        "s2": ["label"],
    }
    assert (view.position, view.count, view.state, view.stage) == (1, 3, "open", "annotate")
    assert (view.may.edit, view.may.submit, view.may.reopen) == (True, True, False)
    with studio.read() as connection:
        started = connection.execute(select(tables.work.c.started_at)).scalar_one()
    assert started
    assert item_view.open_item(studio, team[0], "demo", 1) == view


def test_spans_begin_with_nothing(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(settings=ProjectSettings(mode="spans"), members=team)
    assert mine(take(studio, team[0])).units == []


def test_people_get_different_items_until_each_has_k(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(settings=ProjectSettings(k=2), examples=EXAMPLES[:1], members=team)
    ann, ben, cat, _ = team
    assert [work_queue.next_item(studio, who, "demo").position for who in (ann, ben)] == [1, 1]
    assert work_queue.next_item(studio, ann, "demo").position == 1  # still the same work
    left = work_queue.next_item(studio, cat, "demo")
    assert (left.position, left.reason) == (None, "There is nothing left for you to do here.")
    assert len(works(studio)) == 2


@on_both_databases
def test_people_who_ask_at_once_never_exceed_k(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    crowd = [make_person() for _ in range(8)]
    make_project(settings=ProjectSettings(k=2), members=crowd)
    at_once(
        *(lambda who=who: work_queue.next_item(studio, who, "demo") for who in (*crowd, *crowd))
    )
    given = works(studio)
    assert len(given) == len(set(given)) == 6  # three items, two people each, nobody twice
    assert all([item for item, _ in given].count(item) == 2 for item, _ in given)


def test_submitting_leads_to_the_next_item(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(examples=EXAMPLES[:2], members=team)
    view = take(studio, team[0])
    version = label_all(studio, team[0], view, [SUPPORTED, SUPPORTED])
    done = work_queue.finish(studio, team[0], mine(view).id, version, seconds=3)
    assert (done.state, done.next, done.stage) == ("done", 2, "annotate")
    view = item_view.open_item(studio, team[0], "demo", 2)
    assert (view.previous, view.next) == (1, None)
    version = label_all(studio, team[0], view, [SUPPORTED, SUPPORTED])
    done = work_queue.finish(studio, team[0], mine(view).id, version)
    assert (done.next, done.reason) == (None, "There is nothing left for you to do here.")


def test_annotating_goes_on_before_discussions(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    settings = ProjectSettings(k=2, discussion=True)
    make_project(settings=settings, members=team)
    ann, ben, *_ = team
    annotate(studio, ann, [SUPPORTED, SUPPORTED])
    annotate(studio, ben, ["no-fact", SUPPORTED])  # they differ about the first item
    view = take(studio, ann)
    assert (view.position, view.stage) == (2, "annotate")
    version = label_all(studio, ann, view, [SUPPORTED, SUPPORTED])
    done = work_queue.finish(studio, ann, mine(view).id, version)
    assert (done.next, done.stage) == (3, "annotate")
    asked = work_queue.next_item(studio, ann, "demo", "discuss")
    assert (asked.position, asked.stage) == (1, "discuss")
    none = work_queue.next_item(studio, ann, "demo", "review")
    assert (none.position, none.code) == (None, "nothing-left")
    assert none.reason == "There is nothing left for you to review."
    annotate(studio, ann, [SUPPORTED])
    last = work_queue.next_item(studio, ann, "demo")
    assert (last.position, last.stage) == (1, "discuss")


def test_stage_goes_on_after_a_submission(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(settings=ProjectSettings(k=2, discussion=True), members=team)
    ann, ben, *_ = team
    for who, label in ((ann, SUPPORTED), (ben, "no-fact")):
        annotate(studio, who, [label, label])
        annotate(studio, who, [label, label])  # two discussions, and one item is left
    view = item_view.open_item(studio, ann, "demo", 1)
    done = work_queue.finish(studio, ann, mine(view).id, mine(view).version)
    assert (done.next, done.stage) == (2, "discuss")


def test_skipped_item_comes_last_with_its_draft(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(members=team)
    ann = team[0]
    view = take(studio, ann)
    label_all(studio, ann, view, [SUPPORTED, "no-fact"])
    following = work_queue.skip(studio, ann, mine(view).id, "too long for now")
    assert (view.position, following.position) == (1, 2)
    annotate(studio, ann, [SUPPORTED, SUPPORTED])
    annotate(studio, ann, [SUPPORTED])
    again = take(studio, ann)
    assert again.position == 1
    assert [unit.verdict.label for unit in mine(again).units if unit.verdict] == [
        SUPPORTED,
        "no-fact",
    ]
    with studio.read() as connection:
        query = select(tables.events.c.detail).where(tables.events.c.kind == "skip")
        assert "too long for now" in connection.execute(query).scalar_one()
    work_queue.finish(studio, ann, mine(again).id, mine(again).version)
    with pytest.raises(InputError, match="submitted"):
        work_queue.skip(studio, ann, mine(again).id)


def test_the_model_is_hidden_unless_the_project_shows_it(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    texts = Source("The cat sat."), Response("It sat.", "lab/secret-7b")
    example = Example("cats/lab/secret-7b", *texts)
    make_project("blind", examples=[example], members=team)
    make_project("shown", ProjectSettings(show_model=True), [example], members=team)
    assert b"secret-7b" not in encode(take(studio, team[0], "blind"))
    assert b"secret-7b" not in encode(list_items(studio, team[0], "blind"))
    assert take(studio, team[0], "shown").example.response.model == "lab/secret-7b"
    assert list_items(studio, team[0], "shown").lines[0].example == example.id


def test_an_item_without_work_does_not_exist_while_it_is_blind(
    studio: Studio, team: list[Person], make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project(settings=DISAGREE, members=team)
    ann, ben, cat, ada = team
    take(studio, ann)
    root, stranger = make_person("root", "administrator"), make_person("eve")
    for who in (ben, cat, ada, root, stranger):
        for call in (item_view.open_item, item_view.detectors):
            with pytest.raises(NotFoundError):
                call(studio, who, "demo", 1)
    with pytest.raises(NotFoundError):
        work_queue.next_item(studio, stranger, "demo")


def test_nothing_of_others_shows_until_all_have_finished(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(settings=DISAGREE, examples=EXAMPLES[:1], members=team)
    ann, ben, cat, ada = team
    view = take(studio, ann)
    edit = labelled(mine(view).units[0], "contradicting", note="a secret reason", nothing=True)
    work.change(studio, ann, mine(view).id, 0, "edit", [edit])
    take(studio, ben)
    assert_blind(studio, ben)
    annotate_open(studio, ann, ["contradicting", SUPPORTED])
    assert_blind(studio, ben)
    assert item_view.open_item(studio, ann, "demo", 1).others == ()
    annotate_open(studio, ben, [SUPPORTED, SUPPORTED])
    view = item_view.open_item(studio, ben, "demo", 1)
    assert (view.state, view.stage) == ("discussion", "discuss")
    assert [(each.author, each.kind, each.stage) for each in view.others] == [
        ("ann", "person", "annotate")
    ]
    assert (view.may.edit, view.may.hold) == (True, True)
    assert [unit.verdict is not None for unit in mine(view).units] == [True, True]
    seen = item_view.open_item(studio, ada, "demo", 1)
    assert (sorted(each.author for each in seen.others), seen.work) == (["ann", "ben"], None)
    with pytest.raises(NotFoundError):
        item_view.open_item(studio, cat, "demo", 1)


def annotate_open(studio: Studio, who: Person, labels: list[str]) -> None:
    """Labels and submits the first item, which the person has."""
    view = item_view.open_item(studio, who, "demo", 1)
    version = label_all(studio, who, view, labels)
    work.submit(studio, who, mine(view).id, version)


def assert_blind(studio: Studio, who: Person) -> None:
    """What somebody sees of the first item tells nothing of others."""
    view = item_view.open_item(studio, who, "demo", 1)
    assert (view.others, view.comments, view.state) == ((), (), "open")
    told = encode(view)
    assert b"secret" not in told
    assert b'"ann"' not in told


def test_comments_show_with_the_judgements(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(settings=DISAGREE, examples=EXAMPLES[:1], members=team)
    ann, ben, *_ = team
    annotate(studio, ann, ["contradicting", SUPPORTED])
    with studio.write() as connection:
        item = connection.execute(select(tables.items.c.id)).scalar_one()
        row = {"item": item, "unit": "s1", "person": ann.id, "text": "See line 1", "at": "t"}
        connection.execute(tables.comments.insert().values(**row))
    assert take(studio, ben).comments == ()
    annotate_open(studio, ben, [SUPPORTED, SUPPORTED])
    (comment,) = item_view.open_item(studio, ben, "demo", 1).comments
    assert (comment.author, comment.unit, comment.text) == ("ann", "s1", "See line 1")


def test_detectors_show_where_the_project_says_so(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project("shown", members=team)
    make_project("hidden", ProjectSettings(show_detectors=False), members=team)
    ann = team[0]
    for slug in ("shown", "hidden"):
        detect(studio, slug, 1, "overlap", 0.25)
        take(studio, ann, slug)
    (found,) = item_view.detectors(studio, ann, "shown", 1)
    assert (found.name, [unit.id for unit in found.units]) == ("overlap", ["s1", "s2"])
    with pytest.raises(ForbiddenError):
        item_view.detectors(studio, ann, "hidden", 1)
    assert item_view.open_item(studio, ann, "shown", 1).others == ()


def test_an_adjudicator_sees_detectors_that_annotators_do_not(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    hidden = ProjectSettings(k=2, show_detectors=False)
    make_project(settings=hidden, examples=EXAMPLES[:1], members=team)
    detect(studio, "demo", 1, "overlap", 0.25)
    ann, ben, _, ada = team
    annotate(studio, ann, ["contradicting", SUPPORTED])
    annotate(studio, ben, [SUPPORTED, SUPPORTED])
    view = item_view.open_item(studio, ada, "demo", 1)
    assert view.state == "adjudication"
    assert [each.author for each in view.others if each.kind == "detector"] == ["overlap"]
    assert [each.name for each in item_view.detectors(studio, ada, "demo", 1)] == ["overlap"]
    with pytest.raises(ForbiddenError):
        item_view.detectors(studio, ben, "demo", 1)


def test_the_quiz_comes_first(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(members=team)
    ann = team[0]
    work_queue.next_item(studio, ann, "demo")
    make_project(examples=EXAMPLES[:1], purpose="quiz")
    told = work_queue.next_item(studio, team[1], "demo")
    assert (told.code, told.reason) == (
        "quiz",
        "Pass the quiz of this project first; you find it under Training.",
    )
    with pytest.raises(ForbiddenError, match="quiz"):
        item_view.open_item(studio, ann, "demo", 1)
    with pytest.raises(NotFoundError, match="not begun the quiz"):
        item_view.open_item(studio, ann, "demo", 1, "quiz")
    with studio.write() as connection:
        connection.execute(update(tables.members).values(passed_at="2026-01-01"))
    assert item_view.open_item(studio, ann, "demo", 1).project.needs_quiz is False


def test_training_goes_through_the_same_view(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(members=team)
    make_project(examples=EXAMPLES[:2], purpose="training")
    ann = team[0]
    with studio.write() as connection:
        query = select(tables.items).where(tables.items.c.purpose == "training")
        for item in connection.execute(query).all():
            row = {"project": item.project, "item": item.id, "person": ann.id, "version": 0}
            connection.execute(
                tables.work.insert().values(
                    **row, stage="training", state="assigned", draft="", seconds=0
                )
            )
    view = item_view.open_item(studio, ann, "demo", 1, "training")
    assert (view.purpose, view.stage, view.count, view.next) == ("training", "training", 2, 2)
    version = label_all(studio, ann, view, [SUPPORTED, SUPPORTED])
    assert work_queue.finish(studio, ann, mine(view).id, version).next == 2
    assert item_view.open_item(studio, ann, "demo", 1, "training").may.reopen is False


def test_work_that_is_given_again_goes_on_in_the_same_history(
    studio: Studio, team: list[Person], make_project: MakeProject
) -> None:
    make_project(members=team)
    ann = team[0]
    view = take(studio, ann)
    label_all(studio, ann, view, [SUPPORTED, SUPPORTED])
    with studio.write() as connection:
        connection.execute(update(tables.work).values(state="assigned", draft=""))
    again = mine(item_view.open_item(studio, ann, "demo", 1))
    assert (again.version, [unit.verdict for unit in again.units]) == (2, [None, None])
    saved = work.change(studio, ann, again.id, 2, "edit", [labelled(again.units[0], SUPPORTED)])
    assert saved.version == 3
