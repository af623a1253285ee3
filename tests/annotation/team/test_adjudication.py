"""Discussions, the queue of disputes, everything said of an item, and what a project settles on."""

import pytest

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.items.work import submit
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import adjudication, discussion
from assay.annotation.team.batches import BatchRequest, give_out
from assay.core.errors import InputError
from assay.core.judgements import Judgement
from assay.store.annotation.finals import Final, final
from tests.annotating import MadeProject, MakePerson, MakeProject, on_both_databases
from tests.annotation.acting import annotate, begun, do, state_of, work_of
from tests.annotation.stories import detect

Team = dict[str, Person]
OK, SOFT, WRONG = "explicitly-supported", "implicitly-supported", "contradicting"


@pytest.fixture
def team(make_person: MakePerson) -> Team:
    """An administrator, an adjudicator and three annotators."""
    roles = {"root": "administrator", "judy": "adjudicator"}
    names = ("root", "judy", "ann", "bob", "cat")
    return {name: make_person(name, roles.get(name, "annotator")) for name in names}


@pytest.fixture
def disputed(studio: Studio, team: Team, make_project: MakeProject) -> MadeProject:
    """Two annotators differ: a little about item 1, badly about item 2; they agree about 3."""
    people = [person for name, person in team.items() if name != "root"]
    made = make_project("demo", ProjectSettings(k=2), members=people)
    give_out(studio, team["root"], "demo", BatchRequest(10, annotators=("ann", "bob")))
    said = {1: ([OK, OK], [OK, SOFT]), 2: ([OK, OK], [OK, WRONG]), 3: ([OK], [OK])}
    for position, (first, second) in said.items():
        annotate(studio, team["ann"], "demo", position, first)
        annotate(studio, team["bob"], "demo", position, second)
    return made


def finals(studio: Studio, made: MadeProject) -> dict[int, Final]:
    """What the project settled on, by position."""
    with studio.read() as connection:
        return {each.position: each for each in final(connection, made.id)}


def labels(judgement: Judgement) -> list[str]:
    """The labels of the sentences of a judgement."""
    return [f.label.name for f in judgement.findings if f.label and f.kind == "sentence"]


@on_both_databases
def test_the_queue_has_contradictions_first_and_leaves_out_what_all_agree_on(
    studio: Studio, team: Team, disputed: MadeProject
) -> None:
    queue = adjudication.queue(studio, team["judy"], "demo")
    assert [each.position for each in queue.disputes] == [2, 1]
    worst, mild = queue.disputes
    # Explicitly-supported and contradicting are the ends of the order, 6 of 6 apart.
    assert (worst.severity.conflicts, worst.severity.distance, worst.severity.units) == (1, 1.0, 1)
    assert (mild.severity.conflicts, mild.severity.distance) == (0, round(1 / 6, 4))
    assert (queue.agreed, queue.settled, queue.earlier) == (1, 0, 0)
    assert worst.authors == ("ann", "bob")


def test_a_case_shows_every_verdict_and_rationale_of_people_and_detectors(
    studio: Studio, team: Team, disputed: MadeProject
) -> None:
    detect(studio, "demo", 2, "overlap", 0.2)
    case = adjudication.case(studio, team["judy"], "demo", 2)
    assert (case.people, case.detectors) == (("ann", "bob"), ("overlap",))
    first, second = case.stretches
    assert (first.is_disputed, second.is_disputed) == (False, True)
    assert second.text == "It was 6."
    said = [(each.author, each.kind, each.label, each.score) for each in second.said]
    assert said == [
        ("ann", "person", OK, None),
        ("bob", "person", WRONG, None),
        ("overlap", "detector", None, 0.2),
    ]
    assert second.said[1].note == "because"
    verdict = second.said[1].unit.verdict
    assert verdict is not None
    assert verdict.evidence[0].text == "The "


def test_an_adjudication_begins_with_what_all_agree_on(
    studio: Studio, team: Team, disputed: MadeProject
) -> None:
    taken = adjudication.take(studio, team["judy"], "demo", 2)
    _, units, *_ = begun(studio, taken.work)
    assert [unit.verdict and unit.verdict.label for unit in units] == [OK, None]
    assert adjudication.take(studio, team["judy"], "demo", 2) == taken  # goes on with it
    queue = adjudication.queue(studio, team["root"], "demo")
    assert queue.disputes[0].taken_by == "judy"


def test_an_adjudication_may_begin_with_anybody_s_judgement(
    studio: Studio, team: Team, disputed: MadeProject
) -> None:
    taken = adjudication.take(studio, team["judy"], "demo", 2, "bob")
    version, units, *_ = begun(studio, taken.work)
    assert [unit.verdict and unit.verdict.label for unit in units] == [OK, WRONG]
    assert submit(studio, team["judy"], taken.work, version).state == "done"
    settled = finals(studio, disputed)[2]
    assert (settled.origin, settled.authors) == ("adjudication", ("judy",))
    assert labels(settled.judgement) == [OK, WRONG]
    with pytest.raises(InputError, match="'eve' has no judgement"):
        adjudication.take(studio, team["judy"], "demo", 1, "eve")


def test_items_that_all_agree_on_can_be_opened_anyway(
    studio: Studio, team: Team, disputed: MadeProject
) -> None:
    taken = adjudication.take(studio, team["judy"], "demo", 3)
    assert state_of(studio, "demo", 3) == "done"
    assert finals(studio, disputed)[3].origin == "agreement"
    do(studio, team["judy"], taken.work, [WRONG])
    assert labels(finals(studio, disputed)[3].judgement) == [WRONG]


def test_final_judgements_are_by_gold_and_only_of_finished_items(
    studio: Studio, team: Team, disputed: MadeProject
) -> None:
    found = finals(studio, disputed)
    assert list(found) == [3]
    settled = found[3]
    assert (settled.origin, settled.authors) == ("agreement", ("ann", "bob"))
    assert (settled.judgement.author.name, settled.judgement.round) == ("gold", 1)


def test_a_review_is_final_where_all_agree(
    studio: Studio, team: Team, make_project: MakeProject
) -> None:
    people = [team["ann"], team["cat"]]
    made = make_project("demo", ProjectSettings(review=True), members=people)
    give_out(studio, team["root"], "demo", BatchRequest(10, annotators=("ann",)))
    annotate(studio, team["ann"], "demo", 1, [OK, WRONG])
    work = work_of(studio, team["cat"], "demo", 1, "review")
    version, units, *_ = begun(studio, work)
    # They are to be confirmed or changed.
    assert [unit.verdict and unit.verdict.label for unit in units] == [OK, WRONG]
    assert submit(studio, team["cat"], work, version).state == "done"
    assert finals(studio, made)[1].authors == ("cat",)


def test_comments_are_for_those_of_the_item_once_it_is_no_longer_blind(
    studio: Studio, team: Team, make_project: MakeProject
) -> None:
    people = [person for name, person in team.items() if name != "root"]
    make_project("demo", ProjectSettings(k=2, discussion=True), members=people)
    give_out(studio, team["root"], "demo", BatchRequest(10, annotators=("ann", "bob")))
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    with pytest.raises(ForbiddenError, match="still annotated blind"):
        discussion.add_comment(studio, team["ann"], "demo", 1, text="What about s2?")
    annotate(studio, team["bob"], "demo", 1, [OK, WRONG])
    talk = discussion.add_comment(studio, team["ann"], "demo", 1, text=" Why? ", unit="s2")
    (comment,) = talk.comments
    assert (comment.unit, comment.author, comment.text) == ("s2", "ann", "Why?")
    assert [(each.name, each.state) for each in talk.participants] == [
        ("ann", "assigned"),
        ("bob", "assigned"),
    ]
    assert discussion.discussion(studio, team["judy"], "demo", 1) == talk
    with pytest.raises(NotFoundError):
        discussion.discussion(studio, team["cat"], "demo", 1)
    for text, unit in (("", ""), ("x", "s9"), ("x" * 10_001, "")):
        with pytest.raises(InputError):
            discussion.add_comment(studio, team["ann"], "demo", 1, text=text, unit=unit)


def test_hold_is_for_an_open_discussion_only_and_may_be_sent_twice(
    studio: Studio, team: Team, make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(k=2, discussion=True), members=[team["ann"], team["bob"]])
    give_out(studio, team["root"], "demo", BatchRequest(10))
    work = work_of(studio, team["ann"], "demo", 1, "annotate")
    with pytest.raises(InputError, match="only an open discussion has a judgement to hold"):
        discussion.hold(studio, team["ann"], work)
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    annotate(studio, team["bob"], "demo", 1, [OK, WRONG])
    work = work_of(studio, team["ann"], "demo", 1, "discuss")
    with pytest.raises(NotFoundError):
        discussion.hold(studio, team["bob"], work)
    assert discussion.hold(studio, team["ann"], work).state == "discussion"
    assert discussion.hold(studio, team["ann"], work).state == "discussion"


def test_an_adjudicator_cannot_begin_before_the_others_are_done(
    studio: Studio, team: Team, make_project: MakeProject
) -> None:
    make_project("demo", ProjectSettings(k=2, discussion=True), members=[team["ann"], team["bob"]])
    give_out(studio, team["root"], "demo", BatchRequest(10))
    annotate(studio, team["ann"], "demo", 1, [OK, OK])
    annotate(studio, team["bob"], "demo", 1, [OK, WRONG])
    with pytest.raises(InputError, match="the item is in discussion"):
        adjudication.take(studio, team["root"], "demo", 1)
