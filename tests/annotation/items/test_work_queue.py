"""The list of items that each person has: their own work, and nobody else's."""

import pytest

from assay.annotation.access import NotFoundError
from assay.annotation.items import work_queue
from assay.annotation.items.work_queue import ItemChoice, list_items
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.errors import InputError
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.working import SUPPORTED, annotate, label_all, mine, take

Team = dict[str, Person]


@pytest.fixture
def team(make_person: MakePerson, make_project: MakeProject) -> Team:
    """Two annotators, an adjudicator and an administrator of a project of three items."""
    names = {"ann": "annotator", "ben": "annotator", "judy": "adjudicator"}
    people = {name: make_person(name, role) for name, role in names.items()}
    make_project(settings=ProjectSettings(k=2), members=people.values())
    return {**people, "root": make_person("root", "administrator")}


@on_both_databases
def test_list_tells_how_far_somebody_is_with_each_item(studio: Studio, team: Team) -> None:
    ann = team["ann"]
    annotate(studio, ann, [SUPPORTED, "no-fact"])
    view = take(studio, ann)
    label_all(studio, ann, view, [SUPPORTED, SUPPORTED])
    work_queue.skip(studio, ann, mine(view).id)  # and has the third one
    found = list_items(studio, ann, "demo")
    assert [(each.position, each.example, each.state) for each in found.lines] == [
        (1, "a", "submitted"),
        (2, "b", "open"),
        (3, "c", "assigned"),
    ]
    assert [(each.labelled, each.units) for each in found.lines] == [(2, 2), (2, 2), (0, 1)]
    assert [each.is_skipped for each in found.lines] == [False, True, False]
    assert [bool(each.submitted_at) for each in found.lines] == [True, False, False]


def test_list_is_chosen_and_paged(studio: Studio, team: Team) -> None:
    ann = team["ann"]
    annotate(studio, ann, [SUPPORTED, "no-fact"])
    take(studio, ann)
    found = list_items(studio, ann, "demo", ItemChoice(state="submitted"))
    assert ([each.position for each in found.lines], found.count) == ([1], 1)
    page = list_items(studio, ann, "demo", ItemChoice(stage="annotate", skip=1, most=1))
    assert ([each.position for each in page.lines], page.count) == ([2], 2)
    assert list_items(studio, ann, "demo", ItemChoice(stage="review")).count == 0
    with pytest.raises(InputError, match="1 to 500"):
        list_items(studio, ann, "demo", ItemChoice(most=501))


def test_nobody_learns_of_the_work_of_others(studio: Studio, team: Team) -> None:
    ann, ben = team["ann"], team["ben"]
    annotate(studio, ann, [SUPPORTED, "no-fact"])
    for name in ("ben", "judy", "root"):
        assert list_items(studio, team[name], "demo").count == 0
    annotate(studio, ben, [SUPPORTED, SUPPORTED])  # they differ
    take(studio, ben)
    before = list_items(studio, ben, "demo")
    annotate(studio, ann, [SUPPORTED, SUPPORTED])  # also of the item that ben has open
    assert list_items(studio, ben, "demo") == before
    for name in ("judy", "root"):
        (line,) = list_items(studio, team[name], "demo").lines
        assert (line.position, line.item_state) == (1, "adjudication")
        assert (line.stage, line.state, line.labelled, line.units) == ("", "", 0, 0)


def test_stranger_has_no_list(studio: Studio, team: Team, make_person: MakePerson) -> None:
    with pytest.raises(NotFoundError):
        list_items(studio, make_person("eve"), "demo")
