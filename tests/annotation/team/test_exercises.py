"""The training and the quiz that come with Assay."""

import pytest

from assay.annotation.items.drafts import draft_of, first_draft, places_of
from assay.annotation.items.problems import problems
from assay.annotation.settings import Mode, ProjectSettings
from assay.annotation.studio import Studio
from assay.annotation.team.disagreement import place_of, sentences
from assay.annotation.team.exercises import KINDS, Kind, add_shipped, shipped
from assay.core.errors import InputError
from assay.core.taxonomies import GRAY7
from tests.annotating import MakePerson, MakeProject

MODES = ("sentences", "spans", "both")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_gold_could_be_submitted(kind: Kind, mode: Mode) -> None:
    settings = ProjectSettings(mode)
    for each in shipped(kind, settings):
        begun = first_draft(each, settings)
        draft = draft_of(each.gold[0])
        assert problems(draft, settings, begun, each.example.response.text) == {}, each.id


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_are_cut_as_an_annotator_finds_them(kind: Kind) -> None:
    settings = ProjectSettings("sentences")
    for each in shipped(kind, settings):
        found = [places_of(unit)[0] for unit in first_draft(each, settings)]
        assert [place_of(finding) for finding in sentences(each.gold[0])] == found, each.id


@pytest.mark.parametrize("kind", KINDS)
def test_all_seven_labels_occur_with_a_reason_each(kind: Kind) -> None:
    golds = [each.gold[0] for each in shipped(kind, ProjectSettings("sentences"))]
    said = [finding for gold in golds for finding in gold.findings]
    assert {finding.label and finding.label.name for finding in said} == set(GRAY7.names)
    assert all(finding.note for finding in said)


@pytest.mark.parametrize(
    ("sentence", "label"),
    [
        # Definition 1 asks for the same meaning, and what words mean is a part of the source.
        ("Kim did not lose a set.", "explicitly-supported"),
        ("Strong winds in the Channel caused the delay.", "explicitly-supported"),
        ("The Adeyemi family has run it since 1974.", "explicitly-supported"),
        # Sums, and what is weaker, follow from the source, which has nothing equal to them.
        ("On Saturdays it is open for three hours.", "implicitly-supported"),
        ("Repairs are expected to last more than a month.", "implicitly-supported"),
        ("Every team plays eight matches.", "implicitly-supported"),
    ],
)
def test_explicit_is_what_means_the_same(sentence: str, label: str) -> None:
    settings = ProjectSettings("sentences")
    golds = [each.gold[0] for kind in KINDS for each in shipped(kind, settings)]
    said = {finding.text: finding for gold in golds for finding in gold.findings}
    assert said[sentence].label == GRAY7[label]


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_is_inferred_because_its_words_differ(kind: Kind) -> None:
    golds = [each.gold[0] for each in shipped(kind, ProjectSettings("sentences"))]
    notes = " ".join(finding.note for gold in golds for finding in gold.findings)
    assert "words differ, so" not in notes
    assert "in other units" not in notes


@pytest.mark.parametrize("kind", KINDS)
def test_spans_of_every_class_occur_with_a_reason_and_one_response_has_none(kind: Kind) -> None:
    golds = [each.gold[0] for each in shipped(kind, ProjectSettings("spans"))]
    said = [finding for gold in golds for finding in gold.findings if finding.kind == "span"]
    classes = {"unwanted.intrinsic", "unwanted.extrinsic", "questionable", "benign"}
    assert {finding.label and finding.label.name for finding in said} == classes
    assert all(finding.note for finding in said)
    assert any(gold.units[0].id == "response" for gold in golds)


def test_there_are_enough_and_all_are_different() -> None:
    settings = ProjectSettings("both")
    training, quiz = (shipped(kind, settings) for kind in KINDS)
    assert 8 <= len(training) <= 10
    assert 6 <= len(quiz) <= 8
    assert len({each.example.source.text for each in (*training, *quiz)}) == 17


def test_a_project_gets_them_once(
    studio: Studio, make_project: MakeProject, make_person: MakePerson
) -> None:
    root = make_person("root", "administrator")
    make_project("demo")
    assert add_shipped(studio, root, "demo") == {"training": 10, "quiz": 7}
    with pytest.raises(InputError, match="already"):
        add_shipped(studio, root, "demo")
