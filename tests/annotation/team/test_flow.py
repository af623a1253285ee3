"""How items go from state to state, through the use cases that people call."""

import json
from typing import Any

import pytest
from sqlalchemy import select

from assay.annotation import access
from assay.annotation.items.history import item_history
from assay.annotation.items.item_view import open_item
from assay.annotation.items.work import reopen
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import adjudication, flow
from assay.annotation.team.batches import BatchRequest, give_out
from assay.annotation.team.discussion import hold
from assay.core.errors import InputError
from assay.store.annotation.finals import final
from assay.store.annotation.tables import events, judgements, work
from tests.annotating import MadeProject, MakePerson, MakeProject
from tests.annotation.acting import annotate, do, state_of, work_of

Team = dict[str, Person]
OK, WRONG = "explicitly-supported", "contradicting"


@pytest.fixture
def team(make_person: MakePerson) -> Team:
    """An administrator, an adjudicator and three annotators."""
    names = {"root": "administrator", "judy": "adjudicator"}
    return {
        name: make_person(name, names.get(name, "annotator"))
        for name in ("root", "judy", "ann", "bob", "cat")
    }


def start(
    studio: Studio, make_project: MakeProject, team: Team, *names: str, **settings: Any
) -> MadeProject:
    """A project whose items are given to the people named."""
    chosen = ProjectSettings(k=len(names), **settings)
    people = [person for name, person in team.items() if name != "root"]
    made = make_project("demo", chosen, members=people)
    give_out(studio, team["root"], "demo", BatchRequest(10, annotators=names))
    return made


def test_one_annotator_and_no_review_is_done_at_once(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann")
    assert state_of(studio, "demo", 1) == "open"
    assert annotate(studio, team["ann"], "demo", 1, [OK, WRONG]) == "done"


def test_only_annotator_of_an_item_corrects_what_they_submitted(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann")
    annotate(studio, team["ann"], "demo", 1, [OK, WRONG])
    number = work_of(studio, team["ann"], "demo", 1, "annotate")
    assert open_item(studio, team["ann"], "demo", 1).may.reopen
    reopen(studio, team["ann"], number)
    assert state_of(studio, "demo", 1) == "open"
    with pytest.raises(access.NotFoundError):  # it is blind again
        open_item(studio, team["judy"], "demo", 1)
    assert do(studio, team["ann"], number, [OK, OK]) == "done"
    with studio.read() as connection:
        project = connection.execute(select(work.c.project)).scalars().first()
        (settled,) = final(connection, project or 0)
        assert [str(each.label) for each in settled.judgement.verdicts] == [OK, OK]
        query = select(judgements.c.round, judgements.c.is_current).order_by(judgements.c.id)
        assert connection.execute(query).all() == [(1, False), (2, True)]
    entries = item_history(studio, team["judy"], "demo", 1).entries
    told = [each.kind for each in entries if each.kind in ("state", "reopen", "submit")]
    assert sorted(told) == ["reopen", "state", "state", "state", "state", "submit", "submit"]


@pytest.mark.parametrize("names", [("ann",), ("ann", "bob")])
def test_submission_stays_once_others_went_on_from_it(
    studio: Studio, make_project: MakeProject, team: Team, names: tuple[str, ...]
) -> None:
    start(studio, make_project, team, *names)
    for name in names:
        annotate(studio, team[name], "demo", 1, [OK, WRONG])
    if len(names) == 1:
        adjudication.take(studio, team["judy"], "demo", 1)
    number = work_of(studio, team["ann"], "demo", 1, "annotate")
    assert not open_item(studio, team["ann"], "demo", 1).may.reopen
    with pytest.raises(InputError, match="moved on"):
        reopen(studio, team["ann"], number)
    assert state_of(studio, "demo", 1) == "done"


def test_two_who_agree_are_done_and_two_who_differ_go_to_adjudication(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob")
    assert annotate(studio, team["ann"], "demo", 1, [OK, WRONG]) == "open"
    assert annotate(studio, team["bob"], "demo", 1, [OK, WRONG]) == "done"
    annotate(studio, team["ann"], "demo", 2, [OK, WRONG])
    assert annotate(studio, team["bob"], "demo", 2, [OK, OK]) == "adjudication"


def test_a_discussion_begins_with_what_each_said_and_ends_when_all_held_or_changed(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob", discussion=True)
    annotate(studio, team["ann"], "demo", 1, [OK, WRONG])
    assert annotate(studio, team["bob"], "demo", 1, [OK, OK]) == "discussion"
    assert hold(studio, team["ann"], work_of(studio, team["ann"], "demo", 1, "discuss")).state == (
        "discussion"
    )
    assert annotate(studio, team["bob"], "demo", 1, [OK, WRONG], "discuss") == "done"
    with studio.read() as connection:
        rows = connection.execute(select(judgements).order_by(judgements.c.id)).all()
    told = [(row.author, row.stage, row.round, row.is_current) for row in rows]
    assert told == [
        ("ann", "annotate", 1, True),
        ("bob", "annotate", 1, False),
        ("bob", "discuss", 2, True),
    ]
    assert json.loads(rows[2].record)["supersedes"] == "a/bob/1"


def test_both_hold_and_an_adjudicator_settles_it(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob", discussion=True)
    annotate(studio, team["ann"], "demo", 1, [OK, WRONG])
    annotate(studio, team["bob"], "demo", 1, [OK, OK])
    for name in ("ann", "bob"):
        hold(studio, team[name], work_of(studio, team[name], "demo", 1, "discuss"))
    assert state_of(studio, "demo", 1) == "adjudication"
    taken = adjudication.take(studio, team["judy"], "demo", 1)
    assert do(studio, team["judy"], taken.work, [OK, "fabricated"]) == "done"


def test_a_discussion_is_only_for_those_who_differ(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob", discussion=True)
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    assert annotate(studio, team["bob"], "demo", 1, [OK, OK]) == "done"


def test_a_review_goes_to_a_member_who_did_not_annotate_it(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob", review=True)
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    assert annotate(studio, team["bob"], "demo", 1, [OK, OK]) == "review"
    # Annotators come before the adjudicator, who should come to it without having reviewed it.
    assert annotate(studio, team["cat"], "demo", 1, [OK, OK], "review") == "done"
    annotate(studio, team["ann"], "demo", 2, [OK, OK])
    annotate(studio, team["bob"], "demo", 2, [OK, OK])
    assert annotate(studio, team["cat"], "demo", 2, [OK, WRONG], "review") == "adjudication"


def test_nobody_can_review_it_so_it_goes_on_with_a_note(
    studio: Studio, make_project: MakeProject, make_person: MakePerson
) -> None:
    root, ann = make_person("root", "administrator"), make_person("ann")
    make_project("demo", ProjectSettings(review=True), members=[ann])
    give_out(studio, root, "demo", BatchRequest(10))
    assert annotate(studio, ann, "demo", 1, [OK, OK]) == "done"
    with studio.read() as connection:
        told = connection.execute(select(events.c.detail).where(events.c.kind == "state"))
        last = json.loads(list(told.scalars())[-1])
    assert last["note"] == "nobody who did not annotate it could review it"


def test_boundaries_that_differ_count_as_differing(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    from assay.annotation.items.drafts import UnitEdit
    from assay.annotation.items.work import change, submit
    from assay.core.wire import UnitRecord
    from tests.annotation.acting import begun, verdict

    start(studio, make_project, team, "ann", "bob")
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    number = work_of(studio, team["bob"], "demo", 1, "annotate")
    version, _, source, response = begun(studio, number)
    whole = UnitRecord("s1", "sentence", response, 0, len(response), verdict=verdict(OK, source))
    edits = [UnitEdit("s1", whole), UnitEdit("s2")]
    version = change(studio, team["bob"], number, version, "merge", edits).version
    assert submit(studio, team["bob"], number, version).state == "adjudication"


def test_spans_are_compared_by_their_worst_class(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob", mode="spans")
    annotate(studio, team["ann"], "demo", 1, {"It slept": "unwanted.intrinsic", "sat": "benign"})
    assert annotate(studio, team["bob"], "demo", 1, {"slept": "unwanted.extrinsic"}) == "done"
    annotate(studio, team["ann"], "demo", 2, {})
    assert annotate(studio, team["bob"], "demo", 2, {"was 6": "benign"}) == "adjudication"
    with studio.read() as connection:
        (settled,) = final(connection, 1)
    marked = [unit.text for unit in settled.judgement.units if unit.kind == "span"]
    assert sorted(marked) == ["It slept", "sat", "slept"]  # of both


def test_a_second_adjudicator_does_not_overwrite_the_first(
    studio: Studio, make_project: MakeProject, team: Team
) -> None:
    start(studio, make_project, team, "ann", "bob")
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    annotate(studio, team["bob"], "demo", 1, [OK, WRONG])
    mine = adjudication.take(studio, team["judy"], "demo", 1).work
    theirs = adjudication.take(studio, team["root"], "demo", 1).work
    do(studio, team["judy"], mine, [OK, OK])
    with studio.read() as connection:
        state = select(work.c.state).where(work.c.id == theirs)
        assert connection.execute(state).scalar() == "withdrawn"


@pytest.mark.parametrize(
    ("stage", "states"),
    [
        ("annotate", {"open"}),
        ("discuss", {"discussion"}),
        ("review", {"review"}),
        ("adjudicate", {"adjudication", "done"}),
        ("training", {"new", "open", "discussion", "review", "adjudication", "done"}),
    ],
)
def test_work_of_a_stage_is_due_in_its_states_only(stage: str, states: set[str]) -> None:
    every = ("new", "open", "discussion", "review", "adjudication", "done")
    assert {state for state in every if flow.is_due(stage, state)} == states
