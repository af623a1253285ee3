"""What each role sees of an item in each of its states, by every use case of the team's work."""

from collections.abc import Callable
from typing import Any

import pytest

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.audit.audits import audit, find_flags
from assay.annotation.people.members import list_members
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import adjudication, discussion, training
from assay.annotation.team.batches import BatchRequest, give_out, list_batches
from assay.core.codec import encode
from assay.core.errors import AssayError, InputError
from assay.store.annotation.finals import final
from tests.annotating import MadeProject, MakePerson, MakeProject
from tests.annotation.acting import annotate, do, work_of

Team = dict[str, Person]
Bring = Callable[[str], MadeProject]
UseCase = Callable[..., object]
OK, WRONG = "explicitly-supported", "contradicting"
STATES = ("open", "discussion", "review", "adjudication", "done")
SECRET = "what-ann-thinks"
# root: administrator; judy: adjudicator; ann and bob annotate; rex reviews where there is a review;
# cat is a member without a part in the item; dan is no member.
ROLES = {"root": "administrator", "judy": "adjudicator"}
NAMES = ("root", "judy", "ann", "bob", "rex", "cat", "dan")


@pytest.fixture
def people(make_person: MakePerson) -> Team:
    """Everybody."""
    return {name: make_person(name, ROLES.get(name, "annotator")) for name in NAMES}


@pytest.fixture
def brought_to(studio: Studio, people: Team, make_project: MakeProject) -> Bring:
    """Brings an item into a state; ann's reasons have a word that can be looked for."""

    def bring(state: str) -> MadeProject:
        team = [people[name] for name in NAMES if name not in ("root", "dan")]
        settings = ProjectSettings(k=2, discussion=state == "discussion", review=state == "review")
        made = make_project("demo", settings, members=team)
        wish = BatchRequest(10, annotators=("ann", "bob"))
        give_out(studio, people["root"], "demo", wish)
        number = work_of(studio, people["ann"], "demo", 1, "annotate")
        do(studio, people["ann"], number, [OK, OK], SECRET)
        if state != "open":
            annotate(studio, people["bob"], "demo", 1, [OK, OK if state == "done" else WRONG])
        return made

    return bring


def outcome(function: UseCase, *arguments: Any, **options: Any) -> str:
    """What somebody gets: `shown` with or without ann's reasons, or why they get nothing."""
    try:
        result = function(*arguments, **options)
    except NotFoundError:
        return "not found"
    except ForbiddenError as error:
        return error.code
    except InputError as error:
        return error.code
    return "ann's" if SECRET.encode() in encode(result) else "shown"


# Who gets what of the discussion: those of the item and seniors, from when it is no longer blind.
TALK = {
    "open": "not found|not found|blind|blind|not found|not found|not found",
    "discussion": "shown|shown|shown|shown|not found|not found|not found",
    "review": "shown|shown|shown|shown|shown|not found|not found",
    "adjudication": "shown|shown|shown|shown|not found|not found|not found",
    "done": "shown|shown|shown|shown|not found|not found|not found",
}
# Who sees everybody's verdicts at once: seniors only, from when it is no longer blind.
CASE = {
    "open": "not found|not found|forbidden|forbidden|forbidden|forbidden|not found",
    "discussion": "ann's|ann's|forbidden|forbidden|forbidden|forbidden|not found",
    "review": "ann's|ann's|forbidden|forbidden|forbidden|forbidden|not found",
    "adjudication": "ann's|ann's|forbidden|forbidden|forbidden|forbidden|not found",
    "done": "ann's|ann's|forbidden|forbidden|forbidden|forbidden|not found",
}
TAKE = {
    "open": "not found|not found|forbidden|forbidden|forbidden|forbidden|not found",
    "discussion": "too-early|too-early|forbidden|forbidden|forbidden|forbidden|not found",
    "review": "too-early|too-early|forbidden|forbidden|forbidden|forbidden|not found",
    "adjudication": "shown|shown|forbidden|forbidden|forbidden|forbidden|not found",
    "done": "shown|shown|forbidden|forbidden|forbidden|forbidden|not found",
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("function", "table"),
    [
        (discussion.discussion, TALK),
        (adjudication.case, CASE),
        (adjudication.take, TAKE),
    ],
)
def test_who_sees_an_item(
    studio: Studio,
    people: Team,
    brought_to: Bring,
    state: str,
    function: UseCase,
    table: dict[str, str],
) -> None:
    brought_to(state)
    got = [outcome(function, studio, people[name], "demo", 1) for name in NAMES]
    assert "|".join(got) == table[state]


@pytest.mark.parametrize("state", STATES)
def test_who_may_comment(studio: Studio, people: Team, brought_to: Bring, state: str) -> None:
    brought_to(state)
    got = [
        outcome(discussion.add_comment, studio, people[name], "demo", 1, text="?") for name in NAMES
    ]
    assert "|".join(got) == TALK[state]


@pytest.mark.parametrize("function", [list_members, list_batches, audit, find_flags])
@pytest.mark.parametrize("state", STATES)
def test_lists_are_for_seniors_and_never_tell_what_somebody_said(
    studio: Studio, people: Team, brought_to: Bring, function: UseCase, state: str
) -> None:
    brought_to(state)
    got = [outcome(function, studio, people[name], "demo") for name in NAMES]
    assert got == ["shown", "shown", *["forbidden"] * 4, "not found"]


@pytest.mark.parametrize("state", STATES)
def test_the_queue_names_items_in_adjudication_only(
    studio: Studio, people: Team, brought_to: Bring, state: str
) -> None:
    brought_to(state)
    queue = adjudication.queue(studio, people["judy"], "demo")
    assert [each.position for each in queue.disputes] == [1] * (state == "adjudication")
    for name in ("ann", "bob", "rex", "cat"):
        assert outcome(adjudication.queue, studio, people[name], "demo") == "forbidden"


@pytest.mark.parametrize("state", STATES)
def test_only_finished_items_are_settled(studio: Studio, brought_to: Bring, state: str) -> None:
    made = brought_to(state)
    with studio.read() as connection:
        found = [each.position for each in final(connection, made.id)]
    assert found == [1] * (state == "done")


def test_an_adjudicator_who_has_yet_to_annotate_an_item_sees_nothing_of_it(
    studio: Studio, people: Team, make_project: MakeProject
) -> None:
    team = [people["ann"], people["judy"]]
    make_project("demo", ProjectSettings(k=2), members=team)
    give_out(studio, people["root"], "demo", BatchRequest(10, annotators=("ann", "judy")))
    number = work_of(studio, people["ann"], "demo", 1, "annotate")
    do(studio, people["ann"], number, [OK, OK], SECRET)
    for function in (discussion.discussion, adjudication.case, adjudication.take):
        with pytest.raises(ForbiddenError, match="blind"):
            function(studio, people["judy"], "demo", 1)


def test_training_is_everybody_s_own(studio: Studio, people: Team, brought_to: Bring) -> None:
    brought_to("open")
    got = [outcome(training.training, studio, people[name], "demo") for name in NAMES]
    assert got == [*["shown"] * 6, "not found"]


def test_somebody_whose_work_was_withdrawn_has_no_part_in_the_item(
    studio: Studio, people: Team, brought_to: Bring
) -> None:
    from assay.annotation.people.members import add_member, remove_member

    brought_to("open")
    remove_member(studio, people["root"], "demo", "bob")
    add_member(studio, people["root"], "demo", "bob")
    taker = "rex"
    annotate(studio, people[taker], "demo", 1, [OK, WRONG])
    with pytest.raises(AssayError):
        discussion.discussion(studio, people["bob"], "demo", 1)
    assert outcome(discussion.discussion, studio, people[taker], "demo", 1) == "shown"
