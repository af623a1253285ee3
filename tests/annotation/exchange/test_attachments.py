"""What detectors say is laid beside the items of a project: once, and only where it fits."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, select

from assay.annotation.access import ForbiddenError
from assay.annotation.exchange.attachments import Attached, attach, judge_items
from assay.annotation.studio import Person, Studio
from assay.core.errors import InputError, UnknownNameError
from assay.core.judgements import Author, Judgement, Judgements, Manifest
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.store.annotation.judgement_sets import open_studio_judgements
from assay.store.annotation.judgements import add_judgements, last_round
from assay.store.annotation.records import StoredJudgement, all_of
from assay.store.annotation.tables import judgements, members, projects
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import sentences_said, submit


@pytest.fixture
def ada(make_person: MakePerson, make_project: MakeProject) -> Person:
    """An administrator, and a project of three items."""
    make_project("demo")
    return make_person("ada", "administrator")


def opened(*given: Judgement) -> Judgements:
    return Judgements("test", Manifest(Author("d")), lambda: given)


def whole(example: str, text: str, score: float) -> Judgement:
    unit = Unit.at("response", Span.cut(text, 0, len(text), "response"), "response")
    return Judgement(example, Author("d"), (unit,), (Verdict("response", score=score),))


@on_both_databases
def test_detector_judges_each_item_once(studio: Studio, ada: Person) -> None:
    assert judge_items(studio, ada, "demo", "overlap") == Attached("demo", ("overlap",), added=3)
    assert judge_items(studio, ada, "demo", "overlap") == Attached("demo")


def test_newer_judgement_replaces_the_older_one(studio: Studio, ada: Person) -> None:
    text = EXAMPLES[0].response.text
    first, second = whole("a", text, 0.25), whole("a", text, 0.75)
    assert attach(studio, ada, "demo", opened(first)).added == 1
    assert attach(studio, ada, "demo", opened(first)).known == 1
    assert attach(studio, ada, "demo", opened(second)).added == 1
    with studio.read() as connection:
        rows = connection.execute(select(judgements).order_by(judgements.c.round)).all()
    assert [(row.round, row.is_current) for row in rows] == [(1, False), (2, True)]


def test_judgements_of_other_texts_are_left_out(studio: Studio, ada: Person) -> None:
    given = opened(whole("a", "Another text.", 0.5), whole("z", "It sat.", 0.5))
    assert attach(studio, ada, "demo", given) == Attached("demo", others=2)


def test_only_detectors_without_a_model_are_attached_this_way(
    studio: Studio, ada: Person, make_person: MakePerson
) -> None:
    with pytest.raises(InputError, match="asks a model") as caught:
        judge_items(studio, ada, "demo", "judge-gray7")
    assert (caught.value.code, caught.value.field) == ("asks-model", "detector")
    with pytest.raises(UnknownNameError):
        judge_items(studio, ada, "demo", "oracle")
    said = sentences_said(EXAMPLES[2], ["fabricated"], "ann")
    with pytest.raises(InputError, match="judgements by people"):
        attach(studio, ada, "demo", opened(said))
    with pytest.raises(ForbiddenError):
        attach(studio, make_member(make_person, studio), "demo", opened())


def make_member(make_person: MakePerson, studio: Studio) -> Person:
    ann = make_person("ann", "adjudicator")
    with studio.write() as connection:
        project = connection.execute(select(projects.c.id)).scalar_one()
        row = insert(members).values(project=project, person=ann.id, at="", passed_at="")
        connection.execute(row)
    return ann


def test_detector_cannot_have_the_name_of_a_person(
    studio: Studio, ada: Person, make_person: MakePerson
) -> None:
    make_person("D")
    with pytest.raises(InputError, match="name of a person") as caught:
        attach(studio, ada, "demo", opened(whole("a", EXAMPLES[0].response.text, 0.5)))
    assert caught.value.code == "name-taken"


def test_detector_cannot_have_the_name_of_an_annotator_without_an_account(
    studio: Studio, ada: Person
) -> None:
    submit(studio, "demo", 1, Person(ada.id, "d", "annotator"), ["fabricated"] * 2)
    with pytest.raises(InputError, match="name of a person"):
        attach(studio, ada, "demo", opened(whole("a", EXAMPLES[0].response.text, 0.5)))


def test_person_and_detector_of_one_name_do_not_replace_each_other(
    studio: Studio, ada: Person, studio_at: str, make_person: MakePerson
) -> None:
    submit(studio, "demo", 1, make_person("d"), ["fabricated"] * 2)
    with studio.write() as connection:
        (said,) = all_of(StoredJudgement, connection, select(judgements))
        detected = replace(said, kind="detector", person=None)
        add_judgements(connection, [detected])
        add_judgements(connection, [replace(detected, round=2)])
    with studio.read() as connection:
        rows = connection.execute(select(judgements).order_by(judgements.c.id)).all()
        rounds = [last_round(connection, said.item, "d", kind) for kind in ("person", "detector")]
    found = [(row.kind, row.round, row.is_current) for row in rows]
    assert found == [("person", 1, True), ("detector", 1, False), ("detector", 2, True)]
    assert rounds == [1, 2]
    with pytest.raises(InputError, match="of a person and of a detector") as caught:
        open_studio_judgements("demo/d", studio_at)
    assert caught.value.code == "ambiguous-name"
