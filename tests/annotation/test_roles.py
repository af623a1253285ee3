"""People whose role or membership changes while they have work."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.items.history import item_history
from assay.annotation.items.item_view import May, open_item
from assay.annotation.items.work import add_seconds, change, reopen, submit
from assay.annotation.people.accounts import change_person
from assay.annotation.people.members import remove_member
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import adjudication
from assay.annotation.team.batches import BatchRequest, give_out
from assay.annotation.team.discussion import hold
from assay.store.annotation.tables import work
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import annotate, begun, do, state_of, work_of

Team = dict[str, Person]
OK, WRONG = "explicitly-supported", "contradicting"


@pytest.fixture
def team(make_person: MakePerson) -> Team:
    """Two administrators, two adjudicators and three annotators."""
    senior = {"root": "administrator", "boss": "administrator"}
    senior |= {"judy": "adjudicator", "jack": "adjudicator"}
    names = ("root", "boss", "judy", "jack", "ann", "bob", "cat")
    return {name: make_person(name, senior.get(name, "annotator")) for name in names}


def start(
    studio: Studio, make_project: MakeProject, team: Team, *names: str, **settings: Any
) -> None:
    members = [team[name] for name in ("judy", "jack", "ann", "bob", "cat")]
    make_project("demo", ProjectSettings(k=len(names), **settings), members=members)
    give_out(studio, team["root"], "demo", BatchRequest(10, annotators=names))


def disputed(studio: Studio, team: Team, *positions: int) -> None:
    for position in positions:
        said = [OK] if position == 3 else [OK, OK]
        annotate(studio, team["ann"], "demo", position, said)
        annotate(studio, team["bob"], "demo", position, [*said[:-1], WRONG])


def work_state(studio: Studio, number: int) -> str:
    with studio.read() as connection:
        query = select(work.c.state).where(work.c.id == number)
        return str(connection.execute(query).scalar_one())


@on_both_databases
def test_former_adjudicator_settles_nothing(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob")
    disputed(studio, team, 1, 2, 3)
    finished, taken, again = (
        adjudication.take(studio, team["judy"], "demo", position).work for position in (1, 2, 3)
    )
    do(studio, team["judy"], finished, [OK, OK])
    do(studio, team["judy"], again, [OK])
    reopen(studio, team["judy"], again)
    version, *_ = begun(studio, taken)
    change_person(studio, team["root"], "judy", role="annotator")
    states = [work_state(studio, number) for number in (finished, taken, again)]
    assert states == ["submitted", "withdrawn", "submitted"]
    judy = replace(team["judy"], role="annotator")
    for number in (finished, taken, again):
        for attempt in (
            lambda number=number: change(studio, judy, number, version, "edit", []),
            lambda number=number: submit(studio, judy, number, version),
            lambda number=number: reopen(studio, judy, number),
            lambda number=number: add_seconds(studio, judy, number, 5),
            lambda number=number: hold(studio, judy, number),
        ):
            with pytest.raises(ForbiddenError):
                attempt()
    may = open_item(studio, judy, "demo", 1).may
    assert may == May()
    theirs = adjudication.take(studio, team["jack"], "demo", 2).work
    assert do(studio, team["jack"], theirs, [OK, OK]) == "done"


def test_former_administrator_leaves_projects_of_which_they_are_no_member(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob")
    disputed(studio, team, 1)
    number = adjudication.take(studio, team["boss"], "demo", 1).work
    change_person(studio, team["root"], "boss", role="adjudicator")
    assert work_state(studio, number) == "withdrawn"
    with pytest.raises(NotFoundError):
        submit(studio, replace(team["boss"], role="adjudicator"), number, 0)


def test_adjudicator_who_becomes_an_administrator_goes_on(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob")
    disputed(studio, team, 1)
    number = adjudication.take(studio, team["judy"], "demo", 1).work
    change_person(studio, team["root"], "judy", role="administrator")
    judy = replace(team["judy"], role="administrator")
    assert do(studio, judy, number, [OK, OK]) == "done"


def leave(studio: Studio, team: Team, name: str, way: str) -> None:
    if way == "removed":
        remove_member(studio, team["root"], "demo", name)
    else:
        change_person(studio, team["root"], name, is_active=False)


@pytest.mark.parametrize("way", ["removed", "closed"])
@pytest.mark.parametrize("is_taken_up_again", [False, True])
def test_discussion_does_not_wait_for_whoever_left_before_it(
    studio: Studio, make_project: MakeProject, team: Team, way: str, is_taken_up_again: bool
) -> None:
    start(studio, make_project, team, "ann", "bob", "cat", discussion=True)
    annotate(studio, team["cat"], "demo", 1, [WRONG, WRONG])
    if is_taken_up_again:
        reopen(studio, team["cat"], work_of(studio, team["cat"], "demo", 1, "annotate"))
    annotate(studio, team["bob"], "demo", 1, [OK, WRONG])
    if not is_taken_up_again:
        leave(studio, team, "cat", way)
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    if is_taken_up_again:
        leave(studio, team, "cat", way)
    assert state_of(studio, "demo", 1) == "discussion"
    gone = work_of(studio, team["cat"], "demo", 1, "discuss")
    assert work_state(studio, gone) == "held"
    for name in ("ann", "bob"):
        hold(studio, team[name], work_of(studio, team[name], "demo", 1, "discuss"))
    assert state_of(studio, "demo", 1) == "adjudication"


@pytest.mark.parametrize("way", ["removed", "closed"])
def test_one_who_is_left_alone_has_nothing_to_discuss(
    studio: Studio, make_project: MakeProject, team: Team, way: str
) -> None:
    start(studio, make_project, team, "ann", "bob", discussion=True)
    annotate(studio, team["bob"], "demo", 1, [OK, WRONG])
    leave(studio, team, "bob", way)
    assert annotate(studio, team["ann"], "demo", 1, [OK, OK]) == "adjudication"
    told = [str(each) for each in item_history(studio, team["judy"], "demo", 1).entries]
    assert any("fewer than two of its annotators" in each for each in told)
