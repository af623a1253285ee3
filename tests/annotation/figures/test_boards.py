"""The board: progress, time, disagreements and labels by model, without what is still blind."""

import pytest
from sqlalchemy import insert

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.figures import boards
from assay.annotation.figures.boards import BatchProgress, Time, board
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.codec import encode
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.store.annotation.tables import work
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import item_number, put, submit

EXAMPLES = tuple(
    Example(str(number), read_source(f"Source {number}."), Response("It is. So it was.", model))
    for number, model in enumerate(("m1", "m1", "m2", "m2"))
)
Team = tuple[Person, Person, Person]


@pytest.fixture
def team(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> Team:
    """Two annotators and an adjudicator: three items are annotated, one is open."""
    ann, ben, cat = make_person("ann"), make_person("ben"), make_person("cat", "adjudicator")
    make_project("demo", ProjectSettings(k=2), EXAMPLES, members=[ann, ben, cat])
    said = [
        (["fabricated", "no-fact"], ["fabricated", "no-fact"]),
        (["fabricated", "ambiguous"], ["ambiguous", "ambiguous"]),
        (["contradicting", "no-fact"], ["explicitly-supported", "fabricated"]),
    ]
    for position, (first, second) in enumerate(said, start=1):
        submit(studio, "demo", position, ann, first, seconds=10 * position)
        submit(studio, "demo", position, ben, second, seconds=100)
    submit(studio, "demo", 4, ann, ["implicitly-supported", "out-dependent"], seconds=7777)
    put(studio, "demo", 1, "done", batch=1)
    put(studio, "demo", 2, "adjudication", batch=1)
    put(studio, "demo", 3, "adjudication", batch=2)
    put(studio, "demo", 4, "open", batch=2)
    return ann, ben, cat


def assign(studio: Studio, position: int, who: Person, stage: str, state: str) -> None:
    item, project, _ = item_number(studio, "demo", position)
    row = insert(work).values(
        project=project,
        item=item,
        person=who.id,
        stage=stage,
        state=state,
        version=0,
        draft="",
        seconds=0,
    )
    with studio.write() as connection:
        connection.execute(row)


def test_progress_of_people_and_batches(studio: Studio, team: Team) -> None:
    _, ben, cat = team
    assign(studio, 4, ben, "annotate", "open")
    assign(studio, 2, cat, "adjudicate", "assigned")
    found = board(studio, cat, "demo")
    assert found.items == 4
    assert list(found.states.items()) == [("open", 1), ("adjudication", 2), ("done", 1)]
    rows = [(each.name, each.open, each.submitted, each.adjudication) for each in found.people]
    assert rows == [("ann", 0, 4, 0), ("ben", 1, 3, 0), ("cat", 0, 0, 1)]
    assert found.batches == (
        BatchProgress(1, 2, {"adjudication": 1, "done": 1}, 0, 0, 4),
        BatchProgress(2, 2, {"open": 1, "adjudication": 1}, 0, 1, 3),
    )
    assert [list(each.states) for each in found.batches] == [
        ["adjudication", "done"],
        ["open", "adjudication"],
    ]


def test_time_is_that_of_items_that_are_no_longer_blind(studio: Studio, team: Team) -> None:
    found = board(studio, team[2], "demo")
    ann = found.people[0]
    assert ann.time == Time(3, 20.0, 28.0)  # of 10, 20, 30
    assert ann.seconds == 60
    assert (found.time.n, found.time.median) == (6, 65.0)  # 10, 20, 30, 100, 100, 100


def test_disagreements_come_worst_first(studio: Studio, team: Team) -> None:
    found = board(studio, team[2], "demo").figures.disagreements
    assert (found.count, found.of) == (2, 3)
    assert [each.position for each in found.worst] == [3, 2]
    first = found.worst[0]
    assert (first.severity.conflicts, first.severity.units, first.severity.distance) == (1, 2, 1.0)
    assert first.text == "It is."
    assert [(vote.author, vote.label) for vote in first.votes] == [
        ("ann", "contradicting"),
        ("ben", "explicitly-supported"),
    ]


def test_labels_of_each_model(studio: Studio, team: Team) -> None:
    first, second = board(studio, team[2], "demo").figures.models
    assert (first.model, first.items, first.pooled, first.units) == ("m1", 2, 1, 4)
    # item 1 as both say: fabricated, no-fact; of item 2 the worst: fabricated, ambiguous
    shares = {each.label: each.count for each in first.labels if each.count}
    assert shares == {"fabricated": 2, "no-fact": 1, "ambiguous": 1}
    half = next(each.share for each in first.labels if each.label == "fabricated")
    assert (half.value, half.n, half.low is not None) == (0.5, 4, True)
    assert (second.model, second.items, second.units) == ("m2", 1, 2)  # item 4 is open


def test_nothing_of_an_open_item_is_on_the_board(studio: Studio, team: Team) -> None:
    text = encode(board(studio, team[2], "demo")).decode()
    assert '"implicitly-supported","count":0' in text
    assert "7777" not in text
    assert '"position":4' not in text


def test_adjudication_settles_labels(studio: Studio, team: Team) -> None:
    submit(studio, "demo", 3, team[2], ["no-fact", "no-fact"], stage="adjudicate")
    put(studio, "demo", 3, "done", batch=2)
    second = board(studio, team[2], "demo").figures.models[1]
    assert {each.label: each.count for each in second.labels if each.count} == {"no-fact": 2}
    assert second.pooled == 0


@on_both_databases
def test_figures_follow_what_is_submitted(
    studio: Studio, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "monotonic", lambda: 0.0)  # they take no time, however busy we are
    before = board(studio, team[2], "demo").figures
    assert board(studio, team[2], "demo").figures is before
    submit(studio, "demo", 4, team[1], ["contradicting", "contradicting"])
    put(studio, "demo", 4, "discussion", batch=2)
    after = board(studio, team[2], "demo").figures
    assert (before.items, after.items) == (3, 4)
    assert [each.position for each in after.disagreements.worst] == [3, 4, 2]


def test_figures_that_take_long_stay_for_a_while(
    studio: Studio, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter((0.0, 2.0, 2.0))  # begins at 0, ends at 2
    monkeypatch.setattr(boards, "monotonic", lambda: next(times))
    before = board(studio, team[2], "demo").figures
    put(studio, "demo", 4, "discussion", batch=2)
    monkeypatch.setattr(boards, "monotonic", lambda: 21.9)
    assert board(studio, team[2], "demo").figures is before
    monkeypatch.setattr(boards, "monotonic", lambda: 22.1)
    assert board(studio, team[2], "demo").figures.items == 4


def test_only_adjudicators_and_administrators_see_the_board(
    studio: Studio, team: Team, make_person: MakePerson
) -> None:
    with pytest.raises(ForbiddenError):
        board(studio, team[0], "demo")
    with pytest.raises(NotFoundError):
        board(studio, make_person("eve", "adjudicator"), "demo")
    assert board(studio, make_person("ada", "administrator"), "demo").items == 4


def test_board_of_an_empty_project(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project("empty", ProjectSettings(mode="both"), ())
    found = board(studio, make_person("ada", "administrator"), "empty")
    assert found.time == Time(0, None, None)
    assert found.figures.models == ()
    assert all(each.alpha.value is None for each in found.figures.agreement)
