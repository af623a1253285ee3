"""Items given out in batches, and members who come and go."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.items.work import change, reopen
from assay.annotation.people.accounts import change_person
from assay.annotation.people.members import add_member, list_members, remove_member
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.batches import BatchRequest, give_out, list_batches
from assay.annotation.team.discussion import hold
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.store.annotation.tables import items, judgements, members, people, work
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import annotate, begun, state_of, work_of

OK, WRONG = "explicitly-supported", "contradicting"
# Three responses to each of four sources.
EXAMPLES = [
    Example(f"{source}{number}", read_source(f"Source {source}."), Response(f"Response {number}."))
    for source in "abcd"
    for number in range(3)
]


@pytest.fixture
def root(make_person: MakePerson) -> Person:
    """An administrator."""
    return make_person("root", "administrator")


@pytest.fixture
def team(make_person: MakePerson) -> list[Person]:
    """Three annotators."""
    return [make_person(name) for name in ("ann", "bob", "cat")]


def given(studio: Studio) -> list[tuple[str, int, str, str]]:
    """Who was given which example to annotate, and the batch of it."""
    with studio.read() as connection:
        rows = connection.execute(
            select(items.c.example, items.c.batch, people.c.name, work.c.state)
            .join(work, work.c.item == items.c.id)
            .join(people, people.c.id == work.c.person)
            .where(work.c.stage == "annotate")
        ).all()
    return [(row.example, row.batch, row.name, row.state) for row in rows]


def test_batches_keep_sources_together_and_everybody_has_the_same_load(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(k=2), EXAMPLES, members=team)
    batches = give_out(studio, root, "demo", BatchRequest(size=6, seed=4))
    assert [(each.number, each.items, each.k, each.sources) for each in batches] == [
        (1, 6, 2, 2),
        (2, 6, 2, 2),
    ]
    assert batches[0].states == {"open": 6}
    rows = given(studio)
    assert len(rows) == 24
    assert len({(example[0], batch) for example, batch, _, _ in rows}) == 4
    loads = [sum(name == person.name for _, _, name, _ in rows) for person in team]
    assert max(loads) - min(loads) <= 3
    assert list_batches(studio, root, "demo") == batches


def test_a_project_s_own_k_is_used_and_only_new_items_are_given_out(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(k=3), EXAMPLES[:3], members=team)
    give_out(studio, root, "demo", BatchRequest(size=10))
    assert len(given(studio)) == 9
    with pytest.raises(InputError, match="all items of the project were given out already"):
        give_out(studio, root, "demo", BatchRequest(size=10))


def test_a_batch_can_have_the_same_annotators_throughout_and_later_items_too(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(k=2), EXAMPLES[:8], members=team)
    give_out(studio, root, "demo", BatchRequest(size=20, per_batch=True))
    first = {name for _, _, name, _ in given(studio)}
    assert len(first) == 2
    with studio.write() as connection:  # one more response to a known source
        old = connection.execute(select(items).where(items.c.position == 1)).one()
        values = {**old._mapping, "position": 9, "example": "z", "batch": 0, "state": "new"}
        del values["id"]
        connection.execute(items.insert().values(**values))
    (batch,) = give_out(studio, root, "demo", BatchRequest(size=20, per_batch=True))
    assert {each.name for each in batch.annotators} == first
    assert {each.given for each in batch.annotators} == {9}


def test_a_project_without_items_says_so(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(), [], members=team)
    make_project("demo", ProjectSettings(), EXAMPLES[:1], purpose="training")
    with pytest.raises(InputError, match="the project has no items yet") as error:
        give_out(studio, root, "demo", BatchRequest(size=10))
    assert error.value.code == "no-items"


def test_too_few_members_is_an_error_and_nothing_is_given_out(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(), EXAMPLES, members=team)
    with pytest.raises(InputError, match="4 people annotate each item, but only 3 named"):
        give_out(studio, root, "demo", BatchRequest(size=10, k=4))
    with pytest.raises(InputError, match="'dan' is no active member of the project"):
        give_out(studio, root, "demo", BatchRequest(size=10, annotators=("ann", "dan")))
    assert given(studio) == []
    assert state_of(studio, "demo", 1) == "new"


def test_progress_of_a_batch(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(), EXAMPLES[:3], members=team)
    give_out(studio, root, "demo", BatchRequest(size=10, annotators=("Bob",)))
    annotate(studio, team[1], "demo", 2, [OK])
    (batch,) = list_batches(studio, root, "demo")
    assert [(each.name, each.given, each.submitted) for each in batch.annotators] == [("bob", 3, 1)]
    assert list(batch.states.items()) == [("open", 2), ("done", 1)]


def test_whoever_leaves_hands_over_what_is_open_and_what_they_submitted_stays(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    ann, bob, cat = team
    make_project("demo", ProjectSettings(k=2), EXAMPLES[:3], members=team)
    give_out(studio, root, "demo", BatchRequest(size=10, annotators=("ann", "bob")))
    annotate(studio, ann, "demo", 1, [OK])
    version, units, *_ = begun(studio, work_of(studio, ann, "demo", 2, "annotate"))
    left = remove_member(studio, root, "demo", "ann")
    assert (left.work.reassigned, left.work.unassigned, left.work.settled) == (2, 0, 0)
    by_name = {(example, name): state for example, _, name, state in given(studio)}
    assert by_name["a0", "ann"] == "submitted"
    assert by_name["a1", "ann"] == by_name["a2", "ann"] == "withdrawn"
    assert by_name["a1", "cat"] == by_name["a2", "cat"] == "assigned"
    with pytest.raises(NotFoundError):
        change(studio, ann, work_of(studio, ann, "demo", 2, "annotate"), version, "edit", [])
    annotate(studio, bob, "demo", 2, [OK])
    assert annotate(studio, cat, "demo", 2, [OK]) == "done"
    with studio.read() as connection:
        authors = select(judgements.c.author).where(judgements.c.stage == "annotate")
        assert sorted(connection.execute(authors).scalars()) == ["ann", "bob", "cat"]
    assert units[0].id == "s1"


def test_nobody_takes_over_until_somebody_joins(
    studio: Studio,
    root: Person,
    team: list[Person],
    make_person: MakePerson,
    make_project: MakeProject,
) -> None:
    ann, bob, _ = team
    make_project("demo", ProjectSettings(k=2), EXAMPLES[:3], members=[ann, bob])
    give_out(studio, root, "demo", BatchRequest(size=10))
    assert remove_member(studio, root, "demo", "ann").work.unassigned == 3
    (batch,) = list_batches(studio, root, "demo")
    assert batch.lacking == 3
    annotate(studio, bob, "demo", 1, [OK])
    assert state_of(studio, "demo", 1) == "open"
    dan = make_person("dan")
    add_member(studio, root, "demo", "dan")
    assert list_batches(studio, root, "demo")[0].lacking == 0
    assert annotate(studio, dan, "demo", 1, [OK]) == "done"


def test_whoever_comes_back_goes_on_with_their_draft(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    ann, bob, _ = team
    make_project("demo", ProjectSettings(k=2), EXAMPLES[:1], members=[ann, bob])
    give_out(studio, root, "demo", BatchRequest(size=10))
    number = work_of(studio, ann, "demo", 1, "annotate")
    begun(studio, number)
    remove_member(studio, root, "demo", "ann")
    add_member(studio, root, "demo", "ANN")
    assert begun(studio, number)[1][0].id == "s1"
    assert annotate(studio, ann, "demo", 1, [OK]) == "open"


def test_whoever_leaves_a_discussion_holds_and_their_review_goes_to_another(
    studio: Studio,
    root: Person,
    team: list[Person],
    make_person: MakePerson,
    make_project: MakeProject,
) -> None:
    ann, bob, cat = team
    dan = make_person("dan")
    settings = ProjectSettings(k=2, discussion=True, review=True)
    make_project("demo", settings, EXAMPLES[:1], members=[*team, dan])
    give_out(studio, root, "demo", BatchRequest(size=10, annotators=("ann", "bob")))
    annotate(studio, ann, "demo", 1, [OK])
    annotate(studio, bob, "demo", 1, [WRONG])
    hold(studio, bob, work_of(studio, bob, "demo", 1, "discuss"))
    assert remove_member(studio, root, "demo", "ann").work.settled == 1
    assert state_of(studio, "demo", 1) == "review"
    assert remove_member(studio, root, "demo", "cat").work.reassigned == 1
    assert annotate(studio, dan, "demo", 1, [OK], "review") == "adjudication"
    assert cat.name == "cat"


def test_what_was_submitted_and_taken_up_again_stands_when_its_author_leaves(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    ann, bob, _ = team
    make_project("demo", ProjectSettings(k=2), EXAMPLES[:1], members=team)
    give_out(studio, root, "demo", BatchRequest(size=10, annotators=("ann", "bob")))
    annotate(studio, ann, "demo", 1, [OK])
    reopen(studio, ann, work_of(studio, ann, "demo", 1, "annotate"))
    assert remove_member(studio, root, "demo", "ann").work.settled == 1
    assert annotate(studio, bob, "demo", 1, [OK]) == "done"


def test_members_are_listed_with_what_they_have(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(), EXAMPLES[:2], members=team[:1])
    give_out(studio, root, "demo", BatchRequest(size=10))
    annotate(studio, team[0], "demo", 1, [OK])
    (ann,) = list_members(studio, root, "demo")
    assert (ann.name, ann.role, ann.waiting, ann.submitted) == ("ann", "annotator", 1, 1)
    with pytest.raises(InputError, match="'ann' is a member already"):
        add_member(studio, root, "demo", "ann")
    with pytest.raises(InputError, match="there is no account 'eve'"):
        add_member(studio, root, "demo", "eve")
    with pytest.raises(NotFoundError, match="'bob' is no member of the project"):
        remove_member(studio, root, "demo", "bob")


def test_only_administrators_give_out_and_choose_members(
    studio: Studio,
    root: Person,
    team: list[Person],
    make_person: MakePerson,
    make_project: MakeProject,
) -> None:
    judy = make_person("judy", "adjudicator")
    make_project("demo", ProjectSettings(), EXAMPLES, members=[*team, judy])
    for who in (judy, team[0]):
        with pytest.raises(ForbiddenError):
            give_out(studio, who, "demo", BatchRequest(size=10))
        with pytest.raises(ForbiddenError):
            add_member(studio, who, "demo", "root")
        with pytest.raises(ForbiddenError):
            remove_member(studio, who, "demo", "ann")
    assert list_members(studio, judy, "demo")
    for function in (list_members, list_batches):
        with pytest.raises(ForbiddenError):
            function(studio, team[0], "demo")
    with studio.read() as connection:
        assert len(connection.execute(select(members)).all()) == 4


def test_more_responses_that_come_later_join_the_batch_of_their_source(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(), EXAMPLES[:3], members=team)
    give_out(studio, root, "demo", BatchRequest(size=3))
    with studio.write() as connection:
        old = connection.execute(select(items).where(items.c.position == 1)).one()
        values = {**old._mapping, "id": None, "position": 9, "example": "z", "batch": 0}
        values.pop("id")
        connection.execute(items.insert().values(**{**values, "state": "new"}))
    (batch,) = give_out(studio, root, "demo", BatchRequest(size=3))
    assert (batch.number, batch.items) == (1, 4)


def test_a_closed_account_hands_its_work_over(
    studio: Studio, root: Person, team: list[Person], make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(), EXAMPLES[:3], members=team)
    give_out(studio, root, "demo", BatchRequest(size=10, annotators=("ann",)))
    change_person(studio, root, "ann", is_active=False)
    taken = {(name, state) for _, _, name, state in given(studio)}
    assert taken == {("ann", "withdrawn"), ("bob", "assigned"), ("cat", "assigned")}


@on_both_databases
def test_members_who_come_at_once_do_not_overfill_items(
    studio: Studio,
    root: Person,
    team: list[Person],
    make_person: MakePerson,
    make_project: MakeProject,
) -> None:
    make_project("demo", ProjectSettings(k=2), EXAMPLES, members=team[:2])
    give_out(studio, root, "demo", BatchRequest(size=20))
    remove_member(studio, root, "demo", "bob")  # each item lacks one now
    names = [make_person(f"new{number}").name for number in range(6)]
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(lambda name: add_member(studio, root, "demo", name), names))
    held = [example for example, _, _, state in given(studio) if state != "withdrawn"]
    assert Counter(held) == {each.id: 2 for each in EXAMPLES}
