"""The guide has words for every label and every question."""

import pytest

from assay.annotation.access import NotFoundError
from assay.annotation.items.guide import guide
from assay.annotation.settings import Mode, ProjectSettings
from assay.annotation.studio import Studio
from assay.core.codec import encode, loads
from assay.core.decision import QUESTIONS, TREE
from assay.core.taxonomies import TAXONOMIES
from tests.annotating import MakePerson, MakeProject


@pytest.mark.parametrize(
    ("mode", "menus"),
    [("sentences", ["gray7"]), ("spans", ["faithbench"]), ("both", ["gray7", "faithbench"])],
)
def test_menus_are_those_of_the_mode_with_an_example_each(
    studio: Studio,
    make_person: MakePerson,
    make_project: MakeProject,
    mode: Mode,
    menus: list[str],
) -> None:
    ann = make_person()
    make_project(settings=ProjectSettings(mode=mode, guidelines="Be kind."), members=[ann])
    found = guide(studio, ann, "demo")
    assert [each.name for each in found.taxonomies] == menus
    for menu in found.taxonomies:
        assert [each.name for each in menu.labels] == list(TAXONOMIES[menu.name].names)
        assert all(each.meaning and each.example and each.title for each in menu.labels)
        assert len({each.example for each in menu.labels}) == len(menu.labels)
    assert found.guidelines == "Be kind."


def test_the_tree_is_data_and_every_question_is_explained(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann = make_person()
    make_project(members=[ann])
    told = loads(encode(guide(studio, ann, "demo")))
    assert list(told["questions"]) == list(QUESTIONS)
    assert all(each["definition"] and each["example"] for each in told["questions"].values())
    assert (told["tree"]["question"], told["tree"]["no"]) == (TREE.question, "no-fact")
    assert told["tree"]["yes"]["yes"]["yes"] == "explicitly-supported"


def test_ambiguous_example_has_a_label_for_each_reading(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann = make_person()
    make_project(members=[ann])
    (menu,) = guide(studio, ann, "demo").taxonomies
    (example,) = [each.example for each in menu.labels if each.name == "ambiguous"]
    assert "explicitly supported" in example
    assert "fabricated" in example


def test_a_stranger_has_no_guide(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project()
    with pytest.raises(NotFoundError):
        guide(studio, make_person(), "demo")
